"""Uncertainty of every number: intervals, paired tests, corrections, and what a run could have shown.

All functions take one value per example id and, where examples of one repository are not independent, the cluster of
each id. Everything random has an explicit seed.
"""

from agentmonbench.metrics.statistics._bootstrap import Interval, mean_interval, standard_error
from agentmonbench.metrics.statistics._clusters import clusters_of, epoch_means
from agentmonbench.metrics.statistics._compare import PairedComparison, compare_pairs, minimum_detectable_difference
from agentmonbench.metrics.statistics._rates import holm, wilson_interval
from agentmonbench.metrics.statistics._signflip import SignFlip, sign_flip_test

__all__ = [
    "Interval",
    "PairedComparison",
    "SignFlip",
    "clusters_of",
    "compare_pairs",
    "epoch_means",
    "holm",
    "mean_interval",
    "minimum_detectable_difference",
    "sign_flip_test",
    "standard_error",
    "wilson_interval",
]
