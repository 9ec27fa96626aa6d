"""How is a file written so that a reader never sees half of it, and has it changed?"""
