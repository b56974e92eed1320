"""Reliability figure 11: do 95 percent intervals cover, and does the paired test reject, as often as they say?

    python benchmarks/statistics_calibration.py                      # 2,000 data sets a scenario, some minutes
    python benchmarks/statistics_calibration.py --simulations 200

Every scenario has 100 examples. Coverage: the true mean is known, the interval is `mean_interval`. Size: both arms are
equally good, the test is `sign_flip_test` at 5 percent. Oracle: largest difference to scipy and krippendorff over
random inputs. The bars are 93 to 97 percent, 4 to 6 percent, and 1e-10; scenarios beyond the bars' wording (rare
events, few clusters) are printed as well and marked `-`. With few simulations a bar may be missed by chance alone.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agentmonbench.metrics import krippendorff_alpha, spearman
from agentmonbench.metrics.statistics import mean_interval, sign_flip_test, standard_error, wilson_interval

EXAMPLES = 100
COVERAGE_BAR = (0.93, 0.97)
SIZE_BAR = (0.04, 0.06)
ORACLE_BAR = 1e-10

Draw = Callable[[numpy.random.Generator], tuple[numpy.ndarray, numpy.ndarray]]


@dataclass(frozen=True)
class Scenario:
    """A way to draw data sets whose truth is known."""

    name: str
    truth: float
    draw: Draw
    """Gives the values and the cluster number of each."""
    judged: bool = True
    """False: shown, but not held to the bar."""


def alone(values: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    return values, numpy.arange(len(values))


def groups(random: numpy.random.Generator, count: int) -> numpy.ndarray:
    """Spread the examples over `count` clusters of at least one."""
    return numpy.repeat(numpy.arange(count), 1 + random.multinomial(EXAMPLES - count, [1 / count] * count))


def rates(rate: float) -> Draw:
    return lambda random: alone((random.random(EXAMPLES) < rate).astype(float))


def clustered_rates(count: int) -> Draw:
    """Rates of clusters from Beta(2, 3), mean 0.4."""

    def draw(random: numpy.random.Generator) -> tuple[numpy.ndarray, numpy.ndarray]:
        group = groups(random, count)
        return (random.random(EXAMPLES) < random.beta(2, 3, count)[group]).astype(float), group

    return draw


def clustered_bounded(count: int) -> Draw:
    """Cluster means from Beta(4, 6), values around them, mean 0.4."""

    def draw(random: numpy.random.Generator) -> tuple[numpy.ndarray, numpy.ndarray]:
        group = groups(random, count)
        mean = random.beta(4, 6, count)[group]
        return random.beta(5 * mean, 5 * (1 - mean)), group

    return draw


COVERAGE = (
    Scenario("yes or no, rate 0.5", 0.5, rates(0.5)),
    Scenario("yes or no, rate 0.3", 0.3, rates(0.3)),
    Scenario("yes or no, rate 0.9", 0.9, rates(0.9)),
    Scenario("bounded, U-shaped", 0.5 / 1.4, lambda random: alone(random.beta(0.5, 0.9, EXAMPLES))),
    Scenario(
        "bounded, half are 0",
        0.25,
        lambda random: alone(random.beta(2, 2, EXAMPLES) * (random.random(EXAMPLES) < 0.5)),
    ),
    Scenario("yes or no, 50 clusters", 0.4, clustered_rates(50)),
    Scenario("yes or no, 30 clusters", 0.4, clustered_rates(30)),
    Scenario("bounded, 50 clusters", 0.4, clustered_bounded(50)),
    Scenario("bounded, 30 clusters", 0.4, clustered_bounded(30)),
    Scenario("bounded, 20 clusters", 0.4, clustered_bounded(20), judged=False),
    Scenario("yes or no, rate 0.05", 0.05, rates(0.05), judged=False),
    Scenario("yes or no, rate 0.02", 0.02, rates(0.02), judged=False),
)


def correlated_rates(rate: float) -> Draw:
    """Difference of two yes-or-no answers that share half of their luck."""

    def draw(random: numpy.random.Generator) -> tuple[numpy.ndarray, numpy.ndarray]:
        shared = random.random(EXAMPLES) < 0.5
        common = random.random(EXAMPLES) < rate
        first, second = (numpy.where(shared, common, random.random(EXAMPLES) < rate) for _ in range(2))
        return alone(first.astype(float) - second.astype(float))

    return draw


def bounded_pairs(random: numpy.random.Generator) -> tuple[numpy.ndarray, numpy.ndarray]:
    mean = random.beta(2, 3, EXAMPLES)
    return alone(random.beta(4 * mean, 4 * (1 - mean)) - random.beta(4 * mean, 4 * (1 - mean)))


def graded_pairs(random: numpy.random.Generator) -> tuple[numpy.ndarray, numpy.ndarray]:
    first, second = random.choice([0.0, 0.5, 1.0], (2, EXAMPLES), p=[0.4, 0.3, 0.3])
    return alone(first - second)


def clustered_pairs(count: int) -> Draw:
    """A cluster's examples lean to the same side."""

    def draw(random: numpy.random.Generator) -> tuple[numpy.ndarray, numpy.ndarray]:
        group = groups(random, count)
        return numpy.clip(random.normal(0, 0.15, count)[group] + random.normal(0, 0.2, EXAMPLES), -1, 1), group

    return draw


SIZE = (
    Scenario("yes or no, rate 0.5", 0.0, correlated_rates(0.5)),
    Scenario("yes or no, rate 0.2", 0.0, correlated_rates(0.2)),
    Scenario("bounded", 0.0, bounded_pairs),
    Scenario("graded 0, 0.5, 1", 0.0, graded_pairs),
    Scenario("bounded, 50 clusters", 0.0, clustered_pairs(50)),
    Scenario("bounded, 30 clusters", 0.0, clustered_pairs(30)),
    Scenario("bounded, 20 clusters", 0.0, clustered_pairs(20), judged=False),
    Scenario("yes or no, rate 0.05", 0.0, correlated_rates(0.05), judged=False),
)


def as_mappings(values: numpy.ndarray, cluster: numpy.ndarray) -> tuple[dict[str, float], dict[str, str]]:
    names = [f"x{index:03d}" for index in range(len(values))]
    return dict(zip(names, values.tolist(), strict=True)), {
        name: f"c{number:03d}" for name, number in zip(names, cluster.tolist(), strict=True)
    }


def coverage(scenario: Scenario, simulations: int, seed: int) -> float:
    random = numpy.random.default_rng(seed)
    hits = 0
    for run in range(simulations):
        values, clusters = as_mappings(*scenario.draw(random))
        interval = mean_interval(values, clusters=clusters, seed=run)
        hits += interval.low - 1e-12 <= scenario.truth <= interval.high + 1e-12
    return hits / simulations


def size(scenario: Scenario, simulations: int, seed: int) -> tuple[float, float, float]:
    """Return the share of rejections by p, by the conservative p, and the coverage of 0 by the interval."""
    random = numpy.random.default_rng(seed)
    rejected = conservative = covered = 0
    for run in range(simulations):
        differences, clusters = as_mappings(*scenario.draw(random))
        test = sign_flip_test(differences, clusters=clusters, seed=run)
        interval = mean_interval(differences, clusters=clusters, bounds=(-1, 1), seed=run)
        rejected += test.p < 0.05
        conservative += test.p_conservative < 0.05
        covered += interval.low <= 0 <= interval.high
    return rejected / simulations, conservative / simulations, covered / simulations


def oracle_differences(cases: int) -> dict[str, float]:
    """Return the largest difference to each library over random cases."""
    import krippendorff
    from scipy.stats import binomtest, permutation_test, sem, spearmanr

    random = numpy.random.default_rng(11)
    worst = dict.fromkeys(
        ("wilson", "alpha nominal", "alpha ordinal", "alpha interval", "spearman", "sem", "sign flip"), 0.0
    )

    def note(name: str, ours: float, theirs: float) -> None:
        if not (math.isnan(ours) and math.isnan(theirs)):
            worst[name] = max(worst[name], abs(ours - theirs))

    for _ in range(cases):
        trials = int(random.integers(1, 200))
        hits = int(random.integers(0, trials + 1))
        for ours, theirs in zip(
            wilson_interval(hits, trials), binomtest(hits, trials).proportion_ci(method="wilson"), strict=True
        ):
            note("wilson", ours, theirs)
        table = random.choice([0.0, 0.5, 1.0, numpy.nan], (3, 30), p=[0.3, 0.3, 0.3, 0.1])
        judges = [{str(i): value for i, value in enumerate(row) if not math.isnan(value)} for row in table.tolist()]
        for level in ("nominal", "ordinal", "interval"):
            note(
                f"alpha {level}",
                krippendorff_alpha(judges, level=level),
                float(krippendorff.alpha(table, level_of_measurement=level)),
            )
        first, second = random.integers(0, 6, (2, 12)).astype(float)
        note("spearman", spearman(first.tolist(), second.tolist()), float(spearmanr(first, second).statistic))
        values = {f"x{i:03d}": value for i, value in enumerate(random.random(40).tolist())}
        note("sem", standard_error(values), float(sem(list(values.values()))))
        differences = {f"x{i}": value for i, value in enumerate(random.choice([-1.0, -0.5, 0.0, 0.5, 1.0], 9).tolist())}
        theirs = permutation_test(
            (list(differences.values()),),
            lambda x, axis: numpy.abs(numpy.sum(x, axis=axis)),
            permutation_type="samples",
            vectorized=True,
            alternative="greater",
            n_resamples=numpy.inf,
        )
        note("sign flip", sign_flip_test(differences, seed=0).p_conservative, float(theirs.pvalue))
    return worst


def mark(value: float, bar: tuple[float, float], judged: bool) -> str:
    return ("ok" if bar[0] <= value <= bar[1] else "MISSED") if judged else "-"


def main() -> int:
    parser = argparse.ArgumentParser(description="Calibration of the statistics (reliability figure 11).")
    parser.add_argument("--simulations", type=int, default=2000, help="data sets a scenario (default 2000)")
    parser.add_argument("--seed", type=int, default=20261201)
    options = parser.parse_args()
    started = time.perf_counter()
    missed = 0
    noise = 1.96 * math.sqrt(0.95 * 0.05 / options.simulations)
    print(
        f"{options.simulations} data sets a scenario, {EXAMPLES} examples each; "
        f"Monte Carlo error +-{100 * noise:.1f} points"
    )
    print(f"\ncoverage of 95% intervals (bar {COVERAGE_BAR[0]:.0%} to {COVERAGE_BAR[1]:.0%})")
    for scenario in COVERAGE:
        value = coverage(scenario, options.simulations, options.seed)
        verdict = mark(value, COVERAGE_BAR, scenario.judged)
        missed += verdict == "MISSED"
        print(f"  {scenario.name:<26}{value:8.1%}  {verdict}", flush=True)
    print(f"\nsize of the paired test at 5% (bar {SIZE_BAR[0]:.0%} to {SIZE_BAR[1]:.0%})")
    print(f"  {'':<26}{'mid-p':>8}{'':>8}{'ties full':>11}{'interval covers 0':>20}")
    for scenario in SIZE:
        value, conservative, covered = size(scenario, options.simulations, options.seed)
        verdict = mark(value, SIZE_BAR, scenario.judged)
        missed += verdict == "MISSED"
        print(f"  {scenario.name:<26}{value:8.1%}{verdict:>8}{conservative:11.1%}{covered:20.1%}", flush=True)
    print(f"\nlargest difference to scipy and krippendorff (bar {ORACLE_BAR:g})")
    for name, difference in oracle_differences(200).items():
        missed += difference > ORACLE_BAR
        print(f"  {name:<26}{difference:8.1e}  {'ok' if difference <= ORACLE_BAR else 'MISSED'}")
    print(f"\n{missed} bars missed; {time.perf_counter() - started:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
