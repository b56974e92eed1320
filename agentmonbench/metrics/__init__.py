"""Metrics of the paper and their companions."""
