"""Grading of what an agent did in a world."""
