"""Model files: what do they say of themselves?"""
