"""Does a monitor know when nothing has to be disclosed (the paper's Table E6)? True and false positive rates.

    python -m experiments.disclosure --monitor kimi-k3 --subset specgap --count 50
    python -m experiments.disclosure --monitor kimi-k3 --negatives FOLDER --csv disclosure.csv --figure disclosure

Each monitor is asked one yes-or-no question about examples that hold something to disclose and about others that do
not. For SpecGAP the others are the same repositories with the undeleted document; for SilentSwap (original
repositories) and FeedbackTrace (windows without pushback) they come from --negatives, a folder in the layout of the
release. A failed run discloses nothing and is counted apart. Exit codes: 0 every question was answered, 1 some failed,
2 the command line or its data cannot be used, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

import subsets
from agentmonbench import methods, monitors
from agentmonbench._command import run_command, say
from agentmonbench._files import dump_json
from agentmonbench._plan import Plan
from agentmonbench._predict import Options
from agentmonbench.errors import UsageError
from agentmonbench.examples import Example
from agentmonbench.loop import limits_for
from agentmonbench.methods import Method
from agentmonbench.metrics.statistics import wilson_interval
from agentmonbench.monitors import Monitor
from agentmonbench.runs import RunDirectory
from experiments._answers import ANSWERS, Work, ask_all
from experiments._binary import question
from experiments._cases import Case, cases_of
from experiments._choices import (
    CsvPath,
    DryRun,
    FigurePath,
    Ids,
    Jobs,
    Monitors,
    RetryErrors,
    RunName,
    RunsDir,
    Seed,
    SourceName,
    choose_subsets,
)
from experiments._console import print_grid
from experiments._output import new_figure, save_figure, write_csv
from experiments._running import print_estimates

__all__ = ["Rate", "app", "main", "rates_of"]

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  python -m experiments.disclosure --monitor kimi-k3 --subset specgap --count 50

  python -m experiments.disclosure --monitor kimi-k3 --negatives FOLDER --csv disclosure.csv --figure disclosure"""


class Rate(NamedTuple):
    """How often one side of one arm was flagged."""

    subset: str
    monitor: str
    method: str
    rate: str
    """TPR over cases that hold something to disclose, FPR over the others."""
    cases: int
    flagged: int
    failed: int
    """Without an answer; they count as not flagged."""
    value: float
    low: float
    """Ends of Wilson's 95% interval."""
    high: float
    completed: float | None
    """Over the cases that were answered; None when all failed."""


@app.command(epilog=EPILOG)
def run(
    *,
    monitor: Monitors = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help="How examples are shown; repeatable.", show_default="base, ebg"),
    ] = None,
    subset: Annotated[
        list[str] | None,
        typer.Option(help="specgap, silentswap, feedbacktrace; repeatable.", show_default="all with two sides"),
    ] = None,
    source: SourceName = "sample",
    negatives: Annotated[
        str | None, typer.Option(help="Folder or archive of examples that hold nothing to disclose.")
    ] = None,
    ids: Ids = None,
    count: Annotated[int, typer.Option(min=1, help="Examples that are drawn of each side and subset.")] = 50,
    seed: Seed = 0,
    name: RunName = None,
    runs_dir: RunsDir = Path("runs"),
    jobs: Jobs = 4,
    retry_errors: RetryErrors = False,
    dry_run: DryRun = False,
    csv_path: CsvPath = None,
    figure: FigurePath = None,
) -> None:
    """Ask whether anything has to be disclosed, and print true and false positive rates."""
    cases = [
        case
        for loaded in choose_subsets(subset, source, ids=ids or ())
        for case in cases_of(loaded, negatives, count, seed, asked=bool(subset))
    ]
    if not cases:
        raise UsageError("no subset has two sides; give --negatives")
    arms = [methods.get(each) for each in method or ["base", "ebg"]]
    tested = [monitors.get(each, seed=seed) for each in monitor or ["lexical"]]
    if dry_run:
        print_estimates(_plans(cases, arms, tested))
        return
    work = [
        Work(case, arm, each)
        for case in cases
        for arm in arms
        if arm.supports(Example(id="", subset=case.subset.name))
        for each in tested
    ]
    settings = _settings(cases, arms, tested, seed)
    default = f"disclosure-{sha256(dump_json(settings).encode()).hexdigest()[:8]}"
    folder = runs_dir / RunDirectory.check_name(name or default)
    answers = ask_all(folder, work, settings, seed=seed, jobs=jobs, retry_errors=retry_errors)
    rates = rates_of([answers[each.key] for each in work])
    _print(rates)
    say(f"Answers: {folder / ANSWERS}")
    if csv_path is not None:
        write_csv(csv_path, Rate._fields, rates)
    if figure is not None:
        _draw(rates, figure)
    if any(rate.failed for rate in rates):
        raise typer.Exit(1)


def _plans(cases: Sequence[Case], arms: Sequence[Method], tested: Sequence[Monitor]) -> list[Plan]:
    """Return a plan for each side of each subset, which takes as much as its questions do."""
    sides: dict[tuple[str, str, str], list[str]] = {}
    for case in cases:
        sides.setdefault((case.subset.name, case.side, case.subset.source), []).append(case.example_id)
    return [
        Plan([subsets.load(name, source, ids=ids)], arms, tested, Options(second_stage="none"))
        for (name, _, source), ids in sides.items()
    ]


def _settings(cases: Sequence[Case], arms: Sequence[Method], tested: Sequence[Monitor], seed: int) -> dict[str, Any]:
    data: dict[str, dict[str, Any]] = {}
    for case in cases:
        side = data.setdefault(f"{case.subset.name} {case.side}", {"ids": [], "rebuilt": case.rebuilt})
        side["ids"].append(case.example_id)
        side["fingerprint"] = case.subset.fingerprint
    return {
        "question": sha256(question().encode()).hexdigest(),
        "cases": data,
        "methods": [each.name for each in arms],
        "monitors": {each.name: dict(getattr(each, "settings", {})) for each in tested},
        "limits": {case.subset.name: asdict(limits_for(case.subset.name)) for case in cases},
        "seed": seed,
    }


def rates_of(answers: Sequence[Mapping[str, Any]]) -> tuple[Rate, ...]:
    """Return TPR and FPR of every arm, by first appearance.

    Args:
        answers: with `subset`, `monitor`, `method`, `side`, and `disclose` (None for a failed run).
    """
    groups: dict[tuple[str, str, str, str], list[bool | None]] = {}
    for each in answers:
        arm = (each["subset"], each["monitor"], each["method"], "TPR" if each["side"] == "positive" else "FPR")
        groups.setdefault(arm, []).append(each["disclose"])
    order = list(dict.fromkeys(arm[:3] for arm in groups))
    rates = []
    for arm in sorted(groups, key=lambda each: (order.index(each[:3]), each[3] != "TPR")):
        said = groups[arm]
        flagged, failed = said.count(True), said.count(None)
        low, high = wilson_interval(flagged, len(said))
        completed = flagged / (len(said) - failed) if failed < len(said) else None
        rates.append(Rate(*arm, len(said), flagged, failed, flagged / len(said), low, high, completed))
    return tuple(rates)


def _print(rates: Sequence[Rate]) -> None:
    print_grid(
        ("Subset", "Monitor", "Method", "Rate", "Flagged", "Percent", "95% interval", "Failed"),
        [
            (
                *rate[:4],
                f"{rate.flagged} of {rate.cases}",
                f"{100 * rate.value:.1f}",
                f"{100 * rate.low:.1f} to {100 * rate.high:.1f}",
                str(rate.failed),
            )
            for rate in rates
        ],
        words=4,
    )


def _draw(rates: Sequence[Rate], path: Path) -> None:
    """Write one panel a subset: each arm at its false and true positive rate, with both intervals."""
    names = list(dict.fromkeys(rate.subset for rate in rates))
    figure = new_figure(width=3.8 * len(names), height=3.8)
    for place, name in enumerate(names, start=1):
        panel = figure.add_subplot(1, len(names), place)
        panel.plot([0, 1], [0, 1], color="0.8", linewidth=1)
        found = {rate[1:4]: rate for rate in rates if rate.subset == name}
        for monitor, method in dict.fromkeys(arm[:2] for arm in found):
            across, up = found.get((monitor, method, "FPR")), found.get((monitor, method, "TPR"))
            if across is None or up is None:
                continue
            panel.errorbar(
                [across.value],
                [up.value],
                xerr=[[across.value - across.low], [across.high - across.value]],
                yerr=[[up.value - up.low], [up.high - up.value]],
                fmt="o",
                capsize=3,
                label=f"{monitor} {method}",
            )
        panel.set(title=name, xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.02, 1.02))
        panel.set(ylim=(-0.02, 1.02), aspect="equal")
    figure.axes[0].legend(frameon=False, fontsize=7)
    for written in save_figure(figure, path):
        say(f"wrote {written}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="python -m experiments.disclosure")


if __name__ == "__main__":
    sys.exit(main())
