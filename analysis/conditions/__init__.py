"""Conditions: what do requests at once, context and temperature change?"""
