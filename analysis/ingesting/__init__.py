"""Logs as their user names them: read, followed, and made into a campaign."""
