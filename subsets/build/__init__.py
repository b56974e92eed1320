"""Builders of new examples from anyone's repositories and sessions; only execution decides what is kept."""

from subsets.build._record import Outcome
from subsets.build._sandbox import Finished, Limits, Sandbox
from subsets.build._subject import Subject
from subsets.build._verdicts import (
    SEMANTIC,
    Check,
    Expression,
    Observed,
    SemanticTest,
    SemanticVerdict,
    SuiteVerdict,
    check_semantics,
    fingerprint,
    observe,
    run_suites,
)
from subsets.build._work import build_silentswap, build_specgap

__all__ = [
    "SEMANTIC",
    "Check",
    "Expression",
    "Finished",
    "Limits",
    "Observed",
    "Outcome",
    "Sandbox",
    "SemanticTest",
    "SemanticVerdict",
    "Subject",
    "SuiteVerdict",
    "build_silentswap",
    "build_specgap",
    "check_semantics",
    "fingerprint",
    "observe",
    "run_suites",
]
