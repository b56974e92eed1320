"""Reliability figure 12: is the data clean, can it be solved, is nothing given for free, are the methods told the same?

    python benchmarks/hygiene.py [SOURCE ...]

For each example of each SOURCE (the bundled samples by default; anything that `subsets.load` opens):

- leaks and leftovers: `subsets.check`, which looks for deleted text as runs of ten words, for version control, compiled
  files and built documentation;
- the monitor that is told the gold scores 1.0 in every official rule metric with at least one method, under the limits
  of a real run: the example can be solved (the ceiling of each method stands below the table);
- the trivial monitor `empty`, run by every method, scores 0.0 in them (a session needs an answer: there the answer
  cites an event that does not exist, since the emptiest valid one may hit by luck);
- what every method was told, less its input note and its index, is the same byte for byte.

Prints a table and the numbers; exit code 1 unless there is no problem and all examples pass all checks.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import subsets
from agentmonbench import methods, prompts
from agentmonbench.errors import UsageError
from agentmonbench.examples import SUBSETS, Example, FeedbackTracePrediction, Gold, Prediction
from agentmonbench.loop import Record, run_example
from agentmonbench.methods import Method
from agentmonbench.metrics import gold_prediction, metrics_of, score
from agentmonbench.monitors import EmptyMonitor, GoldMonitor, Monitor

INDEX_TITLES = ("\n\n# Record\n\n", "\n\n# Index\n\n")
CHECKS = ("gold is 1.0", "empty is 0.0", "one task text")


class Checked(NamedTuple):
    """What one example showed."""

    reached: Mapping[str, bool]
    """Method -> whether a monitor that knows the gold could cite all of it."""
    passed: Mapping[str, bool]
    """Check -> whether it was passed."""


def _scores(example: Example, gold: Gold, prediction: Prediction | None) -> set[float | None]:
    """Return the values of the official rule metrics; a failure scores 0."""
    official = [metric.name for metric in metrics_of(example.subset, source="rule") if metric.official]
    if prediction is None:
        return {0.0}
    values = score(example, gold, prediction).values
    return {values[name] for name in official}


def _run(example: Example, arm: Method, monitor: Monitor) -> Record:
    return asyncio.run(run_example(example, arm, monitor, second_stage="none"))


def _nothing(record: Record) -> Prediction:
    """What the empty monitor said; for a session, a citation of nothing in place of the first event."""
    if record.prediction is None:
        raise AssertionError(f"the empty monitor failed on {record.example_id}: {record.failure}")
    if isinstance(record.prediction, FeedbackTracePrediction):
        return record.prediction.model_copy(update={"supporting_evidence_ids": ("none",)})
    return record.prediction


def task_text(record: Record) -> str:
    """Return what a method's monitor was told in the first message before its input note and its index."""
    head = min((record.opening.partition(title)[0] for title in INDEX_TITLES), key=len)
    notes = [prompts.text(path.stem).strip() for path in Path(prompts.__file__).parent.glob("input-*.md")]
    for note in notes:
        head = head.removesuffix(note)
    return head


def check_example(example: Example, gold: Gold, arms: Sequence[Method]) -> Checked:
    """Run the monitors `gold` and `empty` over an example with every method."""
    arms = [arm for arm in arms if arm.supports(example)]
    told = GoldMonitor(gold_prediction(gold))
    reached = {arm.name: _scores(example, gold, _run(example, arm, told).prediction) == {1.0} for arm in arms}
    empty = [_run(example, arm, EmptyMonitor()) for arm in arms]
    return Checked(
        reached,
        {
            "gold is 1.0": any(reached.values()),
            "empty is 0.0": all(_scores(example, gold, _nothing(record)) == {0.0} for record in empty),
            "one task text": len({task_text(record) for record in empty}) == 1,
        },
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Check all sources and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="*", default=["sample"], metavar="SOURCE")
    arms = [methods.get(name) for name in methods.names()]
    errors = 0
    results: list[Checked] = []
    print(f"{'source':<28} {'subset':<14} {'examples':>8}  " + "  ".join(f"{name:>13}" for name in CHECKS))
    for source in parser.parse_args(arguments).source:
        problems = [problem for problem in subsets.check(_path(source)) if problem.level == "error"]
        errors += len(problems)
        for problem in problems:
            print(f"  {problem}")
        for name in SUBSETS:
            try:
                subset = subsets.load(name, source)
            except (UsageError, subsets.BundleError):
                continue  # not in this source, or reported above
            sound = [example_id for example_id in subset.ids if not subset.problems_of(example_id)]
            new = [check_example(subset.example(each), subset.gold(each), arms) for each in sound]
            cells = (f"{sum(each.passed[check] for each in new)}/{len(new)}" for check in CHECKS)
            print(f"{source[-28:]:<28} {name:<14} {len(new):>8}  " + "  ".join(f"{cell:>13}" for cell in cells))
            results += new
    passed = sum(all(each.passed.values()) for each in results)
    for arm in arms:
        reached = [each.reached[arm.name] for each in results if arm.name in each.reached]
        print(f"ceiling of {arm.name}: all gold can be cited in {sum(reached)} of {len(reached)}")
    print(f"leaks, leftovers and broken rules: {errors} (bar 0)")
    print(f"examples that pass all checks: {passed} of {len(results)} (bar: all)")
    return int(bool(errors or passed < len(results) or not results))


def _path(source: str) -> str:
    return str(Path(subsets.__file__).parent / "samples") if source == "sample" else source


if __name__ == "__main__":
    sys.exit(main())
