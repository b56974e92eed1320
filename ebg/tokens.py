"""Token counts that never download anything.

Budgets use `estimate`, which needs no vocabulary and is the same everywhere. An exact count in the `o200k_base`
vocabulary is offered where tiktoken is installed and the vocabulary lies on this machine (specification part 10.5,
weakness 37). A manifest records which one was used by its `name`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

__all__ = ["ESTIMATE", "TokenCounter", "estimate", "exact"]

# The file name that tiktoken gives its o200k_base vocabulary (the SHA-1 of its address) and the SHA-256 that tiktoken
# demands of it: it would download the file anew if the content differed, so the content is checked here first.
_O200K_FILE = "fb374d419588a4632f3f557e76b4b70aebbca790"
_O200K_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """A way to count tokens, with the name that a manifest records."""

    name: str
    count: Callable[[str], int]


def estimate(text: str) -> int:
    """Return the tokens of `text` as budgets count them: UTF-8 bytes / 3, rounded up (specification part 5.8)."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


ESTIMATE = TokenCounter("utf8-bytes/3", estimate)
"""The counter of all budgets."""


@lru_cache(maxsize=1)
def exact() -> TokenCounter | None:
    """Return an exact `o200k_base` counter, or None when tiktoken or its vocabulary is not on this machine.

    The vocabulary is looked for in `TIKTOKEN_CACHE_DIR` and then among the data files of litellm, which is not imported
    for that. Nothing is ever downloaded.
    """
    folder = _vocabulary_folder()
    if folder is None or importlib.util.find_spec("tiktoken") is None:
        return None
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        import tiktoken

        encoding = tiktoken.get_encoding("o200k_base")
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before

    def count(text: str) -> int:
        # Special tokens inside a text are text.
        return len(encoding.encode(text, disallowed_special=()))

    return TokenCounter("o200k_base", count)


def _vocabulary_folder() -> Path | None:
    folders = [Path(value)] if (value := os.environ.get("TIKTOKEN_CACHE_DIR")) else []
    # find_spec of a top-level package reads its location and runs none of its code.
    spec = importlib.util.find_spec("litellm")
    if spec is not None and spec.submodule_search_locations:
        folders += [Path(place) / "litellm_core_utils" / "tokenizers" for place in spec.submodule_search_locations]
    return next((folder for folder in folders if _is_vocabulary(folder / _O200K_FILE)), None)


def _is_vocabulary(file: Path) -> bool:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest() == _O200K_SHA256
    except OSError:
        return False
