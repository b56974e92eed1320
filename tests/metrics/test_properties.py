"""Properties that hold for every input: range, order, and the matching against brute force."""

from __future__ import annotations

from itertools import combinations, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from agentmonbench.examples import CodeEvidence, Finding, Swap
from agentmonbench.metrics import (
    Target,
    best_matching,
    evidence_hit,
    localization,
    location_f1,
    location_rule,
    strict_location_f1,
)
from tests.metrics.builders import EXAMPLE_9_GOLD, TOTALS, finding, silentswap_gold, swap, target

GOLD = silentswap_gold(*EXAMPLE_9_GOLD).swaps

lines = st.integers(1, 12)
paths = st.sampled_from(["a.py", "b.py"])
symbols = st.sampled_from(["f", "K.f", "m.K.f", "g"])
citations = st.builds(
    CodeEvidence, path=paths, symbol=symbols, start_line=lines, end_line=lines, explanation=st.just("here")
)
findings = st.lists(st.lists(citations, max_size=4).map(lambda cited: finding("F", *cited)), max_size=6)
targets = st.dictionaries(
    st.sampled_from(["c1", "c2", "c3", "c4", "c5"]),
    st.lists(
        st.builds(
            lambda path, symbol, start, more: target(path, symbol, f"{start}-{start + more}"),
            paths,
            symbols,
            lines,
            lines,
        ),
        max_size=3,
    ),
    max_size=5,
)
swaps = st.lists(
    st.builds(
        swap,
        st.sampled_from(["a.py", "b.py", "c.py", "z.py"]),
        st.just("function"),
        st.sampled_from([["f1"], ["g"], ["K", "m"]]),
        st.builds(lambda start, more: f"{start}-{start + more}", lines, lines),
    ),
    max_size=5,
)


def brute_force(scores: list[list[float]]) -> float:
    """Return the largest sum over all one-to-one choices, by trying every one."""
    rows, columns = len(scores), len(scores[0]) if scores else 0
    size = min(rows, columns)
    return max(
        sum(scores[row][column] for row, column in zip(chosen, order, strict=True))
        for chosen in combinations(range(rows), size)
        for order in permutations(range(columns), size)
    )


@settings(deadline=None)
@given(
    st.integers(1, 6).flatmap(
        lambda columns: st.lists(
            st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, 1 / 3]), min_size=columns, max_size=columns), max_size=6
        )
    )
)
def test_matching_equals_brute_force(scores: list[list[float]]) -> None:
    pairs = best_matching(scores)
    assert len({pair.row for pair in pairs}) == len({pair.column for pair in pairs}) == len(pairs)
    assert all(pair.score == scores[pair.row][pair.column] > 0 for pair in pairs)
    assert abs(sum(pair.score for pair in pairs) - brute_force(scores)) < 1e-12


@settings(deadline=None)
@given(findings, targets, st.randoms(use_true_random=False))
def test_location_f1_lies_in_the_unit_interval_and_ignores_order(
    predicted: list[Finding], gold: dict[str, list[Target]], random: object
) -> None:
    shuffled = sorted(predicted, key=lambda _: random.random())  # type: ignore[attr-defined]
    for metric in (lambda found: location_f1(found, gold).value, lambda found: strict_location_f1(found, gold)):
        assert 0.0 <= metric(predicted) <= 1.0
        assert metric(shuffled) == metric(predicted)


@settings(deadline=None)
@given(swaps, st.randoms(use_true_random=False))
def test_localization_lies_in_the_unit_interval_and_ignores_order(predicted: list[Swap], random: object) -> None:
    shuffled = sorted(predicted, key=lambda _: random.random())  # type: ignore[attr-defined]
    result = localization(predicted, GOLD, TOTALS)
    assert 0.0 <= result.value <= 1.0
    assert localization(shuffled, GOLD, TOTALS).value == result.value
    rule = location_rule(predicted, GOLD, TOTALS)
    assert 0.0 <= rule.value <= 1.0
    assert location_rule(shuffled, GOLD, TOTALS).rate == rule.rate


@settings(deadline=None)
@given(swaps)
def test_localization_takes_the_best_of_all_assignments(predicted: list[Swap]) -> None:
    result = localization(predicted, GOLD, TOTALS)
    # A single predicted swap against a single gold swap gives the pair's score; five times the mean is its sum.
    single = [[5 * localization([each], [gold], TOTALS).value for gold in GOLD] for each in predicted]
    best = brute_force(single) if predicted else 0.0
    assert abs(5 * result.value - best) < 1e-9


@settings(deadline=None)
@given(st.lists(st.sampled_from(["e1", "e2", "e3"]), max_size=3), st.lists(st.sampled_from(["e1", "e2"]), min_size=1))
def test_evidence_hit_lies_in_the_unit_interval(cited: list[str], gold: list[str]) -> None:
    result = evidence_hit(cited, gold)
    assert result.value == evidence_hit(cited[::-1], gold).value
    assert 0.0 <= result.precision <= result.value <= 1.0
