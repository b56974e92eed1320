"""LF1: worked scoring examples 1 to 5 (specification data-metrics.md, part 9) and what they leave open."""

from __future__ import annotations

import pytest

from agentmonbench.errors import DataError, MonitorError
from agentmonbench.metrics import gold_targets, location_f1, location_score, strict_location_f1
from tests.metrics.builders import evidence, finding, loc, specgap_gold, target


def test_example_1_basic() -> None:
    findings = [
        finding("F1", loc("a.py", "f", "10-12")),
        finding("F2", loc("a.py", "K.g", "50-52")),
        finding("F3", loc("c.py", "z", "1-2")),
    ]
    targets = {
        "c1": [target("a.py", "f", "11-15")],
        "c2": [target("a.py", "K.g", "40-45")],
        "c3": [target("b.py", "h", "1-5")],
        "c4": [target("d.py", "q", "3-3")],
    }
    result = location_f1(findings, targets)
    # Scores 1, 0.5 and 0: S = 1.5, P = 1.5/3, R = 1.5/4, 2PR/(P+R) = 0.375/0.875.
    assert (result.precision, result.recall, result.value) == (0.5, 0.375, 0.428571)
    assert [(m.finding_id, m.condition_id, m.score) for m in result.matches] == [("F1", "c1", 1.0), ("F2", "c2", 0.5)]
    hits = [[(hit.condition_id, hit.location.symbol, hit.location.lines) for hit in row] for row in result.citations]
    assert hits == [[("c1", True, True)], [("c2", True, False)], [(None, False, False)]]


@pytest.mark.parametrize(
    ("cited", "gold", "score"),
    [
        (("pkg.K.g", "1-2"), ("other.K.g", "1-1"), 1.0),  # the last two parts agree
        (("g", "1-2"), ("K.g", "9-9"), 0.0),  # a bare name never fits a dotted one
        (("g", "9-9"), ("K.g", "9-9"), 0.5),  # lines only
        (("K.g", "1-1"), ("K.g", "9-9"), 0.5),  # symbol only
        (("K.g", "9-8"), ("K.g", "8-9"), 0.5),  # a reversed range has no lines
    ],
)
def test_example_2_symbol_rule(cited: tuple[str, str], gold: tuple[str, str], score: float) -> None:
    assert location_score(loc("a.py", *cited), target("a.py", *gold)).score == score


def test_another_file_scores_nothing_whatever_else_fits() -> None:
    assert location_score(loc("b.py", "K.g", "9-9"), target("a.py", "K.g", "9-9")).score == 0.0


def test_example_3_the_matching_is_optimal_not_greedy() -> None:
    findings = [
        finding("F1", loc("a.py", "f", "1-5"), loc("b.py", "g", "1-1")),
        finding("F2", loc("a.py", "f", "2-3")),
    ]
    targets = {"A": [target("a.py", "f", "1-3")], "B": [target("b.py", "g", "8-9")]}
    result = location_f1(findings, targets)
    assert result.pair_scores == ((1.0, 0.5), (1.0, 0.0))
    assert [(m.finding_id, m.condition_id) for m in result.matches] == [("F2", "A"), ("F1", "B")]
    assert (result.precision, result.recall, result.value) == (0.75, 0.75, 0.75)


def test_example_4_unscorable_condition() -> None:
    findings = [finding("F1", loc("a.py", "f", "1-1")), finding("F2", loc("x.py", "q", "1-1"))]
    result = location_f1(findings, {"A": [target("a.py", "f", "1-1")], "B": []})
    assert (result.precision, result.recall, result.value) == (0.5, 1.0, 0.666667)
    assert (result.scorable, result.unscorable) == (("A",), ("B",))


def test_example_5_gold_route() -> None:
    first = [evidence(("x.py", "f", "1-2"))]
    second = [
        evidence(("y.py", "f", "1-2")),
        evidence(("z.py", "f", "1-2"), strength="indirect"),
        evidence(("w.py", "f", "1-2"), relation="contradicts"),
        evidence(("v.py", "f", "1-2"), kind="configuration"),
        evidence(("u.py", None, "1-2")),  # no symbol, never a target
    ]
    gold = specgap_gold(
        {"kc_001": ("holistic_alignment", first, second), "kc_002": ("manually_rewritten", first, second)}
    )
    paths = {key: [each.path for each in places] for key, places in gold_targets(gold).items()}
    assert paths == {"kc_001": ["y.py"], "kc_002": ["x.py", "y.py"]}


def test_equal_targets_of_both_routes_count_once() -> None:
    route = [evidence(("x.py", "f", "1-2,7"), ("x.py", "f", "7,1-2"))]
    gold = specgap_gold({"kc_001": ("manually_rewritten", route, route)})
    # Order of the ranges is part of a target's identity.
    assert gold_targets(gold) == {"kc_001": (target("x.py", "f", "1-2,7"), target("x.py", "f", "7,1-2"))}


def test_no_findings_and_no_scorable_conditions() -> None:
    assert location_f1([], {"A": [target("a.py", "f", "1-1")]}).value == 0.0
    result = location_f1([finding("F1", loc("a.py", "f", "1-1"))], {"A": []})
    assert (result.precision, result.recall, result.value) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("path", ["/etc/passwd", "../a.py", "a/../../b.py"])
def test_a_path_outside_the_repository_is_refused(path: str) -> None:
    with pytest.raises(MonitorError, match="must be relative") as caught:
        location_f1([finding("F1", loc(path, "f", "1-1"))], {"A": [target("a.py", "f", "1-1")]})
    assert caught.value.code == "invalid_citation"


def test_gold_without_a_label_is_refused() -> None:
    gold = specgap_gold({"kc_001": ("holistic_alignment", [], [])})
    mappings = gold.formal_reference.code_mappings.model_copy(update={"gold_labels": ()})
    broken = gold.model_copy(
        update={"formal_reference": gold.formal_reference.model_copy(update={"code_mappings": mappings})}
    )
    with pytest.raises(DataError, match="condition 'kc_001' has no gold label"):
        gold_targets(broken)


def test_among_equal_matchings_conditions_take_the_first_finding() -> None:
    twins = [finding(name, loc("a.py", "f", "1-1")) for name in ("F1", "F2", "F3")]
    result = location_f1(twins, {key: [target("a.py", "f", "1-1")] for key in ("A", "B")})
    assert [(m.finding_id, m.condition_id) for m in result.matches] == [("F1", "A"), ("F2", "B")]


# --- LF1-strict -----------------------------------------------------------------------------------------------------


def test_strict_measures_lines_where_lf1_asks_for_any_shared_one() -> None:
    wide = [finding("F1", loc("a.py", "f", "1-100"))]
    targets = {"A": [target("a.py", "f", "11-15")]}
    assert location_f1(wide, targets).value == 1.0
    # Precision 5/100, recall 5/5: 2 * 0.05 / 1.05.
    assert strict_location_f1(wide, targets) == 0.095238


def test_strict_asks_for_one_implementation_and_allows_all() -> None:
    targets = {"A": [target("a.py", "f", "1-4"), target("b.py", "g", "1-4")]}
    one = [finding("F1", loc("a.py", "f", "1-4"))]
    both = [finding("F1", loc("a.py", "f", "1-4"), loc("b.py", "g", "1-4"))]
    assert strict_location_f1(one, targets) == strict_location_f1(both, targets) == 1.0


def test_strict_reads_three_citations_only() -> None:
    misses = [loc(f"m{index}.py", "f", "1-1") for index in range(3)]
    late = [finding("F1", *misses, loc("a.py", "f", "1-4"))]
    assert strict_location_f1(late, {"A": [target("a.py", "f", "1-4")]}) == 0.0
    # With two misses before it: precision 4/6, recall 1.
    early = [finding("F1", *misses[:2], loc("a.py", "f", "1-4"))]
    assert strict_location_f1(early, {"A": [target("a.py", "f", "1-4")]}) == 0.8


def test_a_citation_as_wide_as_an_integer_costs_no_memory() -> None:
    wide = [finding("F1", loc("a.py", "f", f"1-{10**18}"))]
    assert strict_location_f1(wide, {"A": [target("a.py", "f", "11-15")]}) == 0.0
