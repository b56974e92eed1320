"""A whole run: predict what is missing, score, write tables and report. Stopped at any moment, it resumes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmonbench._plan import Plan
from agentmonbench._predict import Listener, predict
from agentmonbench._record import ANSWER_FAILURES
from agentmonbench._scoring import Judged, ScoreRow, SummaryRow, score_run, summarize
from agentmonbench._spending import Spending, paid_before
from agentmonbench._tables import scores_csv, summary_csv, tables
from agentmonbench.loop import Record
from agentmonbench.monitors import Connections, Monitor
from agentmonbench.report import Detail, render_report
from agentmonbench.runs import Key, RunDirectory
from ebg._files import write_text

__all__ = ["JudgeStep", "Results", "Silent", "execute", "notes_of", "write_results"]


JudgeStep = Callable[
    [RunDirectory, Mapping[Key, Record], Callable[[], bool]], Awaitable[Mapping[tuple[Key, str], Judged]]
]
"""Asks judges about the predictions of an open run folder, until the last argument says that it is enough, and returns
the judged metrics by prediction and judge."""


@dataclass(frozen=True, slots=True)
class Results:
    """What a run came to."""

    path: Path
    rows: tuple[ScoreRow, ...]
    summary: tuple[SummaryRow, ...]
    details: tuple[Detail, ...]
    failed: int
    """Predictions without a score of their own: they count as 0 in every mean."""
    missing: int = 0
    """Predictions that were not made because the limit on money was reached; they are in no mean."""


class Silent:
    """A listener that says nothing."""

    def started(self, key: Key) -> None:
        """Do nothing."""

    def finished(self, key: Key, record: Record) -> None:
        """Do nothing."""


def execute(
    plan: Plan,
    folder: Path,
    *,
    jobs: int = 4,
    retry_errors: bool = False,
    listener: Listener | None = None,
    judge: JudgeStep | None = None,
    connections: Connections | None = None,
    spending: Spending | None = None,
) -> Results:
    """Run `plan` in `folder`, or go on with the run that is there, and return its results.

    Args:
        plan: what to run.
        folder: the run directory.
        jobs: predictions in flight.
        retry_errors: make failed predictions again; the old records stand until the new ones are there.
        listener: who is told how the work goes.
        judge: what asks the judges about the predictions, once they are all there.
        connections: what the monitors and judges share; closed at the end.
        spending: a limit on money; when it is reached, what is in flight is finished and the rest is left for later.

    Raises:
        UsageError: when the folder holds a run with other settings, or another process writes it.
        KeyboardInterrupt: after what was finished has been kept; the same call goes on.
    """
    with RunDirectory(folder) as run:
        stored = run.start(plan.settings(), plan.facts())
        before_usd = paid_before(run) if spending is not None else 0.0

        def enough() -> bool:
            return spending is not None and spending.reached(before_usd)

        failed = {key: codes for key, record in stored.items() if (codes := _failure_codes(record))}
        done = [key for key in stored if not (retry_errors and key in failed)]
        again = {key for key, codes in failed.items() if codes & ANSWER_FAILURES}

        async def work() -> tuple[Mapping[Key, Record], Mapping[tuple[Key, str], Judged]]:
            # One event loop for everything: connections belong to the loop that made them.
            try:
                if missing := [key for key in plan.keys if key not in set(done)]:
                    await predict(
                        missing,
                        subsets=plan.sources,
                        methods={method.name: method for method in plan.methods},
                        monitors={monitor.name: monitor for monitor in plan.monitors},
                        run=run,
                        options=plan.options,
                        jobs=jobs,
                        listener=listener or Silent(),
                        again=again,
                        enough=enough,
                    )
                    run.finish(run.predictions())
                records = {key: Record.model_validate(record) for key, record in run.predictions().items()}
                return records, await judge(run, records, enough) if judge is not None else {}
            finally:
                await _close(plan.monitors, connections)

        records, judged = asyncio.run(work())
        return write_results(plan, run, records, judged)


def _failure_codes(record: Mapping[str, Any]) -> set[str]:
    """Return the failure codes of both stages of a stored prediction."""
    return {failure["code"] for failure in (record["failure"], record["second_failure"]) if failure is not None}


async def _close(monitors: Sequence[Monitor], connections: Connections | None) -> None:
    for monitor in monitors:
        close = getattr(monitor, "aclose", None)
        if close is not None:
            await close()
    if connections is not None:
        await connections.aclose()


def write_results(
    plan: Plan,
    run: RunDirectory,
    records: Mapping[Key, Record],
    judged: Mapping[tuple[Key, str], Judged],
) -> Results:
    """Score `records` and write tables and report into the run directory."""
    missing = sum(key not in records for key in plan.keys)
    scored = score_run(records, plan.sources, judged)
    summary = summarize(sorted(scored.rows, key=lambda row: _table_order(plan, row)))
    write_text(run.path / "scores.csv", scores_csv(scored.rows))
    write_text(run.path / "summary.csv", summary_csv(summary))
    write_text(run.details_log.path, "".join(detail.model_dump_json() + "\n" for detail in scored.details))
    write_text(
        run.path / "report.html",
        render_report(
            title="AgentMonBench run",
            lead=_lead(plan, len(records)),
            notes=[*notes_of(plan), *_incomplete(missing, len(plan.keys))],
            tables=tables(summary),
            details=sorted(scored.details, key=lambda detail: _report_order(plan, detail)),
            footer=_footer(plan),
        ),
    )
    failed = len({(row.subset, row.example, row.method, row.monitor, row.repeat) for row in scored.rows if row.failure})
    return Results(run.path, scored.rows, summary, scored.details, failed, missing)


def _incomplete(missing: int, all_: int) -> list[str]:
    if not missing:
        return []
    return [
        f"{missing} of {all_} predictions were not made because the limit on money was reached. They are in no mean: "
        "compare methods only where both were run."
    ]


def notes_of(plan: Plan) -> tuple[str, ...]:
    """Return what every reader of this run's numbers must know."""
    notes = []
    if any(subset.source == "sample" for subset in plan.subsets):
        notes.append(
            "Bundled samples: a few examples a subset that show how the benchmark works. "
            "They say nothing about how good a monitor is."
        )
    notes += [f"{method} does not apply to {subset} and was left out there." for method, subset in plan.left_out]
    return tuple(notes)


def _table_order(plan: Plan, row: ScoreRow) -> tuple[int, int, int]:
    """Return the place of a row in the tables: as asked for, not by name."""
    return (
        [subset.name for subset in plan.subsets].index(row.subset),
        [monitor.name for monitor in plan.monitors].index(row.monitor),
        [method.name for method in plan.methods].index(row.method),
    )


def _report_order(plan: Plan, detail: Detail) -> tuple[int, str, int, int, int]:
    """Return the place of an example in the report: by subset as asked for, then all arms of an example together."""
    return (
        [subset.name for subset in plan.subsets].index(detail.subset),
        detail.example_id,
        [monitor.name for monitor in plan.monitors].index(detail.monitor),
        [method.name for method in plan.methods].index(detail.method),
        detail.repeat,
    )


def _lead(plan: Plan, predictions: int) -> str:
    monitors = ", ".join(monitor.name for monitor in plan.monitors)
    methods = ", ".join(method.name for method in plan.methods)
    return f"Monitor {monitors}; method {methods}; {predictions} predictions; protocol {plan.options.protocol}."


def _footer(plan: Plan) -> str:
    facts = plan.facts()
    versions = ", ".join(f"{name} {value}" for name, value in facts["versions"].items())
    prints = ", ".join(f"{subset.name} {subset.fingerprint[:12]}" for subset in plan.subsets)
    return f"Data {prints}. Versions: {versions}. Seed {plan.options.seed}."
