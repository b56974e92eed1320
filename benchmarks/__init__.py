"""Measurements that are printed, not asserted: run one with `python -m benchmarks.NAME`."""
