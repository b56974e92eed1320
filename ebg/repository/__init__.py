"""Repositories: from files to evidence, behaviors, scopes and relations."""

from ebg.repository._build import build

__all__ = ["build"]
