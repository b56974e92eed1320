"""Tests of sessions and their graphs."""
