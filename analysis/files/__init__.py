"""Files: how is one written so that no reader sees half of it, and has it changed?"""
