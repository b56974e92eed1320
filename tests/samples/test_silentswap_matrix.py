"""SilentSwap: the whole construction matrix, executed for real (specification part 5.2, steps 5 and 8).

For every swap: its semantic test passes on the original, fails with only this swap, passes with the other four, and
fails in the same way with all five. The package's own suite passes on the original, with each swap and with all five.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from construction._execution import SEMANTIC, Outcome, run_pytest
from construction._silentswap import RECORDING, patched, read_swaps, semantic_tests, swapped_lines
from construction._sources import Source, all_sources

from subsets.build import fingerprint
from subsets.build._places import prose

MECHANISMS = {
    "input_validation_boundary",
    "parsing_matching",
    "ordering_precedence",
    "default_null_fallback",
    "exception_error_handling",
    "state_identity_lifecycle",
    "representation_normalization",
    "dispatch_routing_aggregation",
}
SOURCES = all_sources()
each_source = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)


def failures(source: Source, numbers: set[int], *, suite: bool = True) -> dict[str, str | None]:
    """Run the semantic tests, and the suite, with the given swaps; return the failure of each semantic test."""
    swaps = [swap for swap in read_swaps(source) if swap.number in numbers]
    paths = [f"{SEMANTIC}/{swap.semantic_test}" for swap in read_swaps(source)]
    run, outcomes = run_pytest(
        {**patched(source, swaps), **semantic_tests(source)}, ["tests", *paths] if suite else paths
    )
    own = [outcome for outcome in outcomes if not outcome.test.startswith(f"{SEMANTIC}.")]
    assert bool(own) == suite, run.stdout
    assert [outcome for outcome in own if outcome.failure] == [], f"the suite fails with swaps {sorted(numbers)}"
    return {
        swap.semantic_test: _only([outcome for outcome in outcomes if _belongs(outcome, swap.semantic_test)])
        for swap in read_swaps(source)
    }


def _belongs(outcome: Outcome, semantic_test: str) -> bool:
    return outcome.test.startswith(f"{SEMANTIC}.{semantic_test.removesuffix('.py')}::")


def _only(outcomes: list[Outcome]) -> str | None:
    assert len(outcomes) == 1, "a semantic test is one test"
    return outcomes[0].failure


def test_a_semantic_test_sees_the_swaps_and_the_suite_does_not():
    """The fast subset: one package, original and all five."""
    source = SOURCES[0]
    assert set(failures(source, set()).values()) == {None}
    assert None not in failures(source, {1, 2, 3, 4, 5}).values()


@pytest.mark.slow
@each_source
def test_matrix(source):
    every = {1, 2, 3, 4, 5}
    original, all_five = failures(source, set()), failures(source, every)
    assert set(original.values()) == {None}
    for swap in read_swaps(source):
        only_this = failures(source, {swap.number})
        others = failures(source, every - {swap.number}, suite=False)
        mine = only_this.pop(swap.semantic_test)
        assert mine is not None, swap.semantic_test
        assert set(only_this.values()) == {None}, "a swap fails the semantic test of another"
        assert others[swap.semantic_test] is None, swap.semantic_test
        assert all_five[swap.semantic_test] == mine, "alone and together it fails in different ways"
        assert not mine.startswith(("ImportError", "ModuleNotFoundError", "SyntaxError", "FileNotFoundError"))


@each_source
def test_recorded_executions_tell_the_difference(source):
    for swap, entry in zip(read_swaps(source), source.recorded(RECORDING), strict=True):
        assert entry["semantic_test"] == swap.semantic_test
        assert entry["on_original"]["counts"] == {"passed": 1, "failed": 0}
        assert entry["on_original"]["exit_code"] == 0
        assert entry["after_all_five_swaps"]["counts"] == {"passed": 0, "failed": 1}
        assert entry["after_all_five_swaps"]["exit_code"] == 1
        assert swap.semantic_test in entry["after_all_five_swaps"]["stdout"]


@each_source
def test_swaps_contradict_one_sentence_each_and_change_code_only(source):
    swaps = read_swaps(source)
    assert len(swaps) == 5
    assert len({swap.swap_type for swap in swaps}) == 5
    assert {swap.swap_type for swap in swaps} <= MECHANISMS
    places = []
    for swap in swaps:
        assert source.document.count(swap.document_target) == 1
        start = source.document.index(swap.document_target)
        places.append((start, start + len(swap.document_target)))
        before = source.files[swap.file]
        assert prose(before) == prose(swap.apply(before)), "comments and docstrings stay as they are"
        assert swap.file.startswith(f"{source.name}/")
    places.sort()
    assert all(end <= start for (_, end), (start, _) in pairwise(places))


@each_source
def test_swapped_lines_do_not_overlap(source):
    lines = [(swap.file, line) for swap in read_swaps(source) for line in swapped_lines(source, swap)]
    assert len(lines) == len(set(lines))


def test_the_samples_cover_all_eight_mechanisms():
    if len(SOURCES) >= 4:
        assert {swap.swap_type for source in SOURCES for swap in read_swaps(source)} == MECHANISMS


def test_gold_of_the_first_example_points_at_the_swapped_lines():
    # Lines 47 and 29 were looked up by hand in the swapped files.
    source = SOURCES[0]
    swaps = read_swaps(source)
    after = patched(source, swaps)
    assert swapped_lines(source, swaps[0]) == [47]
    assert after["sluice/bucket.py"].splitlines()[46].strip().startswith("gained = max(")
    assert swapped_lines(source, swaps[1]) == [29]
    assert after["sluice/policy.py"].splitlines()[28].strip() == "if best is None:"


def test_fingerprints_forget_numbers_texts_paths_and_addresses():
    assert fingerprint("assert 5 == 0\n where 5 = <B object at 0x7f12ab34>.x") == (
        "assert <n> == <n>\n where <n> = <B object at <address>>.x"
    )
    assert fingerprint("OSError: '/tmp/a/b' in /tmp/sample-x1/y.py:12") == "OSError: <text> in <path>:<n>"
