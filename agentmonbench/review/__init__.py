"""Everyday review of a session."""
