"""Draft depths: how far do drafts survive, what does a forward cost, which depth is best?"""
