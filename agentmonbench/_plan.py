"""What a run consists of: its settings, which a resume must repeat, and the predictions that follow from them."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from agentmonbench import prompts
from agentmonbench._files import dump_json
from agentmonbench._predict import Options, Source, limits_of
from agentmonbench.errors import UsageError
from agentmonbench.examples import Example
from agentmonbench.methods import Method
from agentmonbench.monitors import Monitor
from agentmonbench.runs import Key
from ebg.tokens import ESTIMATE

__all__ = ["Plan"]

RECORDED_PACKAGES = ("agentmonbench", "networkx", "tree-sitter", "tree-sitter-python", "litellm", "scipy")
"""Packages whose versions can change a prediction or a score."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One run: every chosen example of every subset, with every method and monitor, `repeats` times."""

    subsets: Sequence[Source]
    methods: Sequence[Method]
    monitors: Sequence[Monitor]
    options: Options = field(default_factory=Options)
    repeats: int = 1

    def __post_init__(self) -> None:
        named: dict[str, list[str]] = {
            "subset": [subset.name for subset in self.subsets],
            "method": [method.name for method in self.methods],
            "monitor": [monitor.name for monitor in self.monitors],
        }
        for kind, names in named.items():
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise UsageError(f"{kind} {twice[0]!r} is asked for more than once")
        if self.repeats < 1:
            raise UsageError(f"repeats must be at least 1, not {self.repeats}")

    @property
    def sources(self) -> Mapping[str, Source]:
        """The subsets by name."""
        return {subset.name: subset for subset in self.subsets}

    @property
    def keys(self) -> tuple[Key, ...]:
        """The predictions to make, in the order of work: one example after the other, all arms of it together.

        A method that does not apply to a subset (RepoGraph to sessions) makes none there; see `left_out`.
        """
        return tuple(
            Key(subset.name, example_id, method.name, monitor.name, repeat)
            for repeat in range(self.repeats)
            for subset in self.subsets
            for example_id in subset.ids
            for method in self.methods
            if _applies(method, subset)
            for monitor in self.monitors
        )

    @property
    def left_out(self) -> tuple[tuple[str, str], ...]:
        """Pairs of method and subset that the run leaves out because the method does not apply."""
        return tuple(
            (method.name, subset.name)
            for method in self.methods
            for subset in self.subsets
            if not _applies(method, subset)
        )

    def settings(self) -> dict[str, Any]:
        """Return everything that changes a prediction or a score, as JSON values.

        Paths, the number of workers and time limits are not in it: a run can be moved and resumed with others.
        """
        return {
            "subsets": {
                subset.name: {"ids": list(subset.ids), "fingerprint": subset.fingerprint} for subset in self.subsets
            },
            "methods": [method.name for method in self.methods],
            "monitors": {monitor.name: dict(getattr(monitor, "settings", {})) for monitor in self.monitors},
            "protocol": self.options.protocol,
            "second_stage": self.options.second_stage,
            "limits": {subset.name: asdict(limits_of(subset.name, self.options)) for subset in self.subsets},
            "prompts": prompts.VERSION,
            "seed": self.options.seed,
            "repeats": self.repeats,
        }

    def facts(self) -> dict[str, Any]:
        """Return what else a reader of the run wants to know."""
        return {
            "sources": {subset.name: subset.source for subset in self.subsets},
            "token_estimate": ESTIMATE.name,
            "versions": {"python": platform.python_version(), **_versions()},
        }

    def default_name(self) -> str:
        """Return a name that is the same for the same settings, so that the same command resumes its run."""
        monitors = "+".join(monitor.name for monitor in self.monitors)
        methods = "+".join(method.name for method in self.methods)
        readable = "".join(letter if letter.isalnum() or letter in "+-." else "-" for letter in f"{monitors}-{methods}")
        return f"{readable[:80]}-{sha256(dump_json(self.settings()).encode()).hexdigest()[:8]}"


def _applies(method: Method, subset: Source) -> bool:
    # Whether a method applies depends on the form of the input, which is one for a whole subset.
    return method.supports(Example(id="", subset=subset.name))


def _versions() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name in RECORDED_PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
