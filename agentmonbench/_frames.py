"""A run as pandas frames, for notebooks: predictions, scores, judgments, shown.

Every frame begins with the columns that name a prediction: `subset`, `example`, `method`, `monitor`, `repeat`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from agentmonbench._scoring import ScoreRow
from agentmonbench.errors import DataError
from agentmonbench.loop import Record
from agentmonbench.runs import Key, RunDirectory

if TYPE_CHECKING:
    import pandas

__all__ = ["COLUMNS", "RunFrames", "load_frames"]

_KEY = ("subset", "example", "method", "monitor", "repeat")

COLUMNS: dict[str, dict[str, str]] = {
    "predictions": {
        "failure": "code of what failed, empty when there is a prediction",
        "message": "what failed, in words",
        "items": "number of findings, swaps or verification points",
        "requests": "calls to the monitor, repairs included",
        "repairs": "how many of them were corrections",
        "rounds": "rounds of the first stage",
        "input_tokens": "as the provider reported, missing when it did not",
        "output_tokens": "as the provider reported, missing when it did not",
        "prompt_tokens_estimate": "our estimate of all prompts",
        "cost_usd": "missing when the price is not known",
        "latency_s": "seconds of waiting for the monitor",
        "prediction": "the answer as JSON values, missing when it failed",
    },
    "scores": {
        "metric": "name of the metric",
        "official": "whether the paper has it",
        "source": "rule or judge",
        "judge": "name of the judge, empty for rule metrics",
        "value": "0 to 1; 0 for a failed example",
        "status": "ok or failed",
        "failure": "code of what failed, empty otherwise",
        "cluster": "smallest id of the examples of the same repository",
    },
    "judgments": {
        "stage": "1, or 2 for the second stage of SilentSwap",
        "judge": "name of the judge",
        "status": "ok or failed",
        "failure": "code of what failed",
        "attempts": "requests to the judge, repairs included",
        "answer": "the checked answer as JSON values",
    },
    "shown": {
        "step": "0 for what the opening shows, then the number of the request whose action showed it",
        "action": "what the monitor did: opening, search, read",
        "path": "file, missing for sessions",
        "start": "first line, 1-based",
        "end": "last line, inclusive",
        "event": "evidence id of a session's event, missing for repositories",
    },
}
"""Columns of each frame after the key, and what they hold."""


@dataclass(frozen=True, slots=True)
class RunFrames:
    """The frames of one run; see `COLUMNS`."""

    manifest: Mapping[str, Any]
    predictions: pandas.DataFrame
    """One row a prediction."""
    scores: pandas.DataFrame
    """One row an example, metric and judge."""
    judgments: pandas.DataFrame
    """One row a judgement."""
    shown: pandas.DataFrame
    """One row a span of lines, or an event, at the moment it was first shown."""


def load_frames(run: RunDirectory) -> RunFrames:
    """Return the frames of a scored run.

    Raises:
        DataError: when the folder is no run, or was never scored.
    """
    import pandas as pd

    manifest = run.manifest()
    scores = run.path / "scores.csv"
    if not scores.exists():
        raise DataError(f"{run.path} has no scores.csv yet; run the same command again to finish and score it")
    records = {key: Record.model_validate(value) for key, value in sorted(run.predictions().items())}
    typed = {field.name: str for field in fields(ScoreRow) if field.type == "str"}
    return RunFrames(
        manifest=manifest,
        predictions=_frame("predictions", (_prediction(key, record) for key, record in records.items())),
        scores=pd.read_csv(scores, dtype=typed, keep_default_na=False),
        judgments=_frame("judgments", (_judgment(line) for line in run.judgments_log)),
        shown=_frame("shown", (row for key, record in records.items() for row in _shown(key, record))),
    )


def _frame(name: str, rows: Iterable[Mapping[str, Any]]) -> pandas.DataFrame:
    import pandas as pd

    return pd.DataFrame(list(rows), columns=[*_KEY, *COLUMNS[name]])


def _prediction(key: Key, record: Record) -> dict[str, Any]:
    answer = record.prediction.model_dump(mode="json") if record.prediction is not None else None
    lists = [value for value in (answer or {}).values() if isinstance(value, list)]
    failure = record.failure
    totals = record.totals
    return {
        **key._asdict(),
        "failure": failure.code if failure else "",
        "message": failure.message if failure else "",
        "items": 0 if answer is None else 1 if record.subset == "feedbacktrace" else len(lists[0]),
        "requests": totals.requests,
        "repairs": totals.repairs,
        "rounds": max((step.round for step in record.steps if step.stage == 1), default=0),
        "input_tokens": totals.input_tokens,
        "output_tokens": totals.output_tokens,
        "prompt_tokens_estimate": totals.prompt_tokens_estimate,
        "cost_usd": totals.cost_usd,
        "latency_s": totals.latency_s,
        "prediction": answer,
    }


def _judgment(line: Mapping[str, Any]) -> dict[str, Any]:
    judgement = line["judgement"]
    return {
        **{name: line[name] for name in (*_KEY, "stage", "judge")},
        "status": judgement["status"],
        "failure": judgement["failure"] or "",
        "attempts": len(judgement["attempts"]),
        "answer": judgement["answer"],
    }


def _shown(key: Key, record: Record) -> Iterable[dict[str, Any]]:
    base = key._asdict()
    for span in record.initial_lines:
        yield {**base, "step": 0, "action": "opening", "path": span.path, "start": span.start, "end": span.end}
    for event in record.shown_events:
        yield {**base, "step": 0, "action": "opening", "event": event}
    for number, step in enumerate(record.steps, start=1):
        action = "search" if step.action and step.action.startswith('{"action":"search"') else "read"
        for span in step.shown_lines:
            yield {**base, "step": number, "action": action, "path": span.path, "start": span.start, "end": span.end}
