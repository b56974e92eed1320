"""Tests of the metrics and their statistics."""
