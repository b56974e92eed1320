"""Methods by name."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import pytest

from agentmonbench import _plugins, methods
from agentmonbench.errors import UsageError


def test_built_in_methods_have_their_names() -> None:
    for name in methods.METHODS:
        assert methods.get(name).name == name


def test_an_unknown_name_gets_the_nearest_and_all_valid_ones() -> None:
    with pytest.raises(UsageError, match=r"unknown method 'repo_graph'; did you mean 'repograph'.*valid: base, "):
        methods.get("repo_graph")


def test_installed_packages_offer_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("mine", "agentmonbench.methods._base:BaseMethod", "agentmonbench.methods"),
        EntryPoint("broken", "no_such_module:Method", "agentmonbench.methods"),
    ]

    def offers(**_: Any) -> list[EntryPoint]:
        return points

    monkeypatch.setattr(_plugins, "entry_points", offers)
    assert methods.get("mine").name == "base"
    assert methods.names()[-2:] == ("broken", "mine")
    with pytest.raises(UsageError, match="cannot be loaded from no_such_module:Method"):
        methods.get("broken")
