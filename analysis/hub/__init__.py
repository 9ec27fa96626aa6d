"""What does the Hub accept, and what is in a repository there?"""
