"""Answers to one question each: which setting, what differs, what a finding means."""
