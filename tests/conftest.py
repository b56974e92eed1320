"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# No test reaches a network: libraries that would phone home are told before anything imports them.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_DATASETS_OFFLINE", "1")
os.environ.setdefault("LITELLM_OFFLINE_MODE", "true")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the project's root folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real transcripts and published results that lies beside a checkout, or skip."""
    # Git worktrees lie deeper than a plain clone, so the folder is looked for in every parent.
    for parent in ROOT.parents:
        if (parent / "shared" / "data").is_dir():
            return parent / "shared" / "data"
    pytest.skip("the folder shared/data is not beside this checkout")
