"""Which files and settings make up a campaign?"""
