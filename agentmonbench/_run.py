"""A whole run: predict what is missing, score, write tables and report. Stopped at any moment, it resumes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from agentmonbench._plan import Plan
from agentmonbench._predict import Listener, predict
from agentmonbench._scoring import Judged, ScoreRow, SummaryRow, score_run, summarize
from agentmonbench._tables import scores_csv, summary_csv, tables
from agentmonbench.loop import Record
from agentmonbench.report import Detail, render_report
from agentmonbench.runs import Key, RunDirectory
from ebg._files import write_text

__all__ = ["JudgeStep", "Results", "Silent", "execute", "notes_of", "write_results"]


JudgeStep = Callable[[RunDirectory, Mapping[Key, Record]], Mapping[tuple[Key, str], Judged]]
"""Asks judges about the predictions of an open run folder and returns the judged metrics by prediction and judge."""


@dataclass(frozen=True, slots=True)
class Results:
    """What a run came to."""

    path: Path
    rows: tuple[ScoreRow, ...]
    summary: tuple[SummaryRow, ...]
    details: tuple[Detail, ...]
    failed: int
    """Predictions without a score of their own: they count as 0 in every mean."""


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
) -> Results:
    """Run `plan` in `folder`, or go on with the run that is there, and return its results.

    Args:
        plan: what to run.
        folder: the run directory.
        jobs: predictions in flight.
        retry_errors: make failed predictions again; the old records stand until the new ones are there.
        listener: who is told how the work goes.
        judge: what asks the judges about the predictions, once they are all there.

    Raises:
        UsageError: when the folder holds a run with other settings, or another process writes it.
        KeyboardInterrupt: after what was finished has been kept; the same call goes on.
    """
    with RunDirectory(folder) as run:
        stored = run.start(plan.settings(), plan.facts())
        done = {key for key, record in stored.items() if not (retry_errors and record["failure"])}
        missing = [key for key in plan.keys if key not in done]
        if missing:
            asyncio.run(
                predict(
                    missing,
                    subsets=plan.sources,
                    methods={method.name: method for method in plan.methods},
                    monitors={monitor.name: monitor for monitor in plan.monitors},
                    run=run,
                    options=plan.options,
                    jobs=jobs,
                    listener=listener or Silent(),
                )
            )
            run.finish(run.predictions())
        records = {key: Record.model_validate(record) for key, record in run.predictions().items()}
        judged = judge(run, records) if judge is not None else {}
        return write_results(plan, run, records, judged)


def write_results(
    plan: Plan,
    run: RunDirectory,
    records: Mapping[Key, Record],
    judged: Mapping[tuple[Key, str], Judged],
) -> Results:
    """Score `records` and write tables and report into the run directory."""
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
            notes=notes_of(plan),
            tables=tables(summary),
            details=sorted(scored.details, key=lambda detail: _report_order(plan, detail)),
            footer=_footer(plan),
        ),
    )
    failed = len({(row.subset, row.example, row.method, row.monitor, row.repeat) for row in scored.rows if row.failure})
    return Results(run.path, scored.rows, summary, scored.details, failed)


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
