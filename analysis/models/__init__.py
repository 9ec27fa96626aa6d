"""What does a model file say of itself?"""
