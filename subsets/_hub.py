"""The official release on the Hugging Face Hub: download an archive once, at a pinned revision."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from agentmonbench.errors import DataError, UsageError

__all__ = ["HUB_PREFIX", "RELEASE", "RELEASE_REPOSITORY", "RELEASE_REVISION", "download", "full_address"]

HUB_PREFIX = "hub:"
RELEASE_REPOSITORY = "ZhaoHongKang/AgentMonBench"
RELEASE_REVISION = "3bf50f6271fd2dc164c5fdabefd84d363eb088f2"
"""The frozen release (specification part 1.1)."""
RELEASE = f"{HUB_PREFIX}{RELEASE_REPOSITORY}@{RELEASE_REVISION}"
PROBE_TIMEOUT_S = 10.0
"""How long to wait for the Hub's first answer. The Hub's own downloader retries for 24 s when there is no network."""

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_REVISION = re.compile(r"[A-Za-z0-9][\w./-]*", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_OTHERS = "'sample', a folder in the release layout, or an archive <subset>.tar.gz"


class _Address(NamedTuple):
    repository: str
    revision: str


def full_address(source: str) -> str:
    """Return `source` with the pinned repository and revision where it leaves them out.

    Raises:
        UsageError: `source` is no address.
    """
    repository, revision = _parse(source)
    return f"{HUB_PREFIX}{repository}@{revision}"


def download(subset: str, source: str) -> Path:
    """Return the local path of the archive of `subset`; `samples.json` lies beside it when the release has one.

    A file of a pinned commit that was downloaded before is used without asking the network.

    Raises:
        UsageError: `source` is no address, or the Hub library is not installed.
        DataError: the Hub cannot be reached, or has no such repository, revision or file.
    """
    address = _parse(source)
    archive = _fetch(address, f"{subset}.tar.gz")
    if archive is None:
        raise DataError(f"{address.repository}@{address.revision} has no {subset}.tar.gz", code="hub_refused")
    _fetch(address, "samples.json")
    return archive


def _parse(source: str) -> _Address:
    repository, _, revision = source.removeprefix(HUB_PREFIX).partition("@")
    repository = repository or RELEASE_REPOSITORY
    if repository == RELEASE_REPOSITORY:
        revision = revision or RELEASE_REVISION
    if not _NAME.fullmatch(repository) or not _REVISION.fullmatch(revision):
        raise UsageError(f"the source {source!r} is no address on the Hub; one looks like {RELEASE!r}")
    return _Address(repository, revision)


def _fetch(address: _Address, file: str) -> Path | None:
    """Return the local path of a file of the repository, None when the repository has no such file."""
    try:
        from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url, try_to_load_from_cache
        from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, LocalEntryNotFoundError
    except ImportError as error:
        raise UsageError("the Hub source needs an extra: pip install 'agentmonbench[hf]'") from error

    repository, revision = address
    cached = try_to_load_from_cache(repository, file, repo_type="dataset", revision=revision)
    if isinstance(cached, str) and _COMMIT.fullmatch(revision):
        return Path(cached)
    try:
        # Asked once and without retries, so that a machine with no network learns it at once.
        url = hf_hub_url(repository, file, repo_type="dataset", revision=revision)
        get_hf_file_metadata(url, timeout=PROBE_TIMEOUT_S)
        return Path(hf_hub_download(repository, file, repo_type="dataset", revision=revision))
    except Exception as error:  # the transport's own classes, which differ between versions of the library
        if isinstance(error, EntryNotFoundError) and not isinstance(error, LocalEntryNotFoundError):
            return None
        line = (str(error).strip() or type(error).__name__).splitlines()[0]
        if isinstance(error, HfHubHTTPError):
            raise DataError(f"the Hub refuses {repository}@{revision}: {line}", code="hub_refused") from error
        if isinstance(cached, str):
            return Path(cached)
        message = f"the Hub cannot be reached ({line}); without a network use another source: {_OTHERS}"
        raise DataError(message, code="hub_unreachable") from error
