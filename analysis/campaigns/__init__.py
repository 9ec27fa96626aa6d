"""Campaigns: which files and settings make one up?"""
