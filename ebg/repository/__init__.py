"""Repositories: from files to evidence, behaviors, scopes and relations."""

from ebg.repository._build import build
from ebg.repository._cache import user_cache_folder

__all__ = ["build", "user_cache_folder"]
