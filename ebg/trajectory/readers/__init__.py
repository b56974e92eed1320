"""Readers of agents' transcripts, one module a format."""
