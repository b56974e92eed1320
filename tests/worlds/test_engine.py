"""The engine: curves, timeline, state, sandbox, and the original's scenarios on the two environments."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds import Curve, Event, Scenario, SqlRefused, State, Timeline, World, bundled_catalog, load_scenario
from worlds.catalog import open_catalog
from worlds.grading._sql import evaluate

ORIGINALS = Path(__file__).parents[3].parent / "shared" / "data" / "sentinelbench"
TIMES = st.floats(0, 720)
WAYPOINTS = st.lists(st.tuples(TIMES, st.floats(1, 1000)), max_size=6)


@given(WAYPOINTS, st.floats(1, 1000), TIMES)
def test_a_curve_stays_between_its_values(waypoints: list[tuple[float, float]], start: float, time: float) -> None:
    values = [start, *(value for _, value in waypoints)]
    assert min(values) - 1e-6 <= Curve.from_waypoints(start, waypoints).at(time) <= max(values) + 1e-6


def test_a_crossing_is_exact() -> None:
    curve = Curve.from_waypoints(100.0, [(100.0, 200.0)])
    assert curve.at(50.0) == 150.0
    assert curve.crossing(150.0) == pytest.approx(50.0, abs=1e-9)
    assert curve.crossing(201.0) is None


@given(st.lists(TIMES, max_size=20))
def test_events_come_in_time_then_file_order(times: list[float]) -> None:
    events = [Event(time=time, type=str(number)) for number, time in enumerate(times)]
    timeline = Timeline(events)
    assert list(timeline.due(720.0)) == sorted(events, key=lambda event: event.time)
    assert not len(timeline)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM session_meta",
        "SELECT 1; SELECT 2",
        "ATTACH 'x.db' AS other",
        "PRAGMA user_version",
        "SELECT load_extension('x')",
        "SELECT random()",
        "SELECT datetime('now')",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n",
        "SELECT * FROM nothing_of_that_name",
    ],
)
def test_the_sandbox_refuses(sql: str) -> None:
    state = State()
    state.script("CREATE TABLE session_meta(key TEXT PRIMARY KEY, value TEXT)")
    state.set_meta("kept", 1)
    with pytest.raises(SqlRefused):
        evaluate(state, sql, max_steps=100_000)
    assert state.meta("kept") == "1"
    assert evaluate(state, "SELECT COUNT(*) >= 1 FROM session_meta") == 1


def test_a_failed_transaction_leaves_nothing() -> None:
    state = State()
    state.script("CREATE TABLE session_meta(key TEXT PRIMARY KEY, value TEXT)")
    before = state.fingerprint()

    def fail() -> None:
        with state.transaction():
            state.set_meta("a", 1)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert state.fingerprint() == before


def test_equal_steps_make_equal_states() -> None:
    catalog = bundled_catalog()
    ids = list(catalog.rows("microlendar", "events"))
    scenario = Scenario(
        id="calendar",
        environment="microlendar",
        events=(
            Event(time=0, type="preload_events", payload={"today": "2026-01-05", "event_ids": ids[:3]}),
            Event(time=100, type="new_event", payload={"event_id": ids[3]}),
        ),
    )

    def run(*stops: float) -> str:
        world = World(scenario, catalog)
        for stop in stops:
            world.advance_to(stop)
        world.env.call("create_event", {"title": "Lunch", "date": "2026-01-05"})
        return world.state.fingerprint()

    assert run(300.0) == run(300.0) == run(50.0, 100.0, 300.0)
    assert run(300.0) != run(50.0)


# File, and the seconds by which the SQL is true before condition_at (0 for event-driven ones).
ONSETS = [
    ("microlendar/today-events-relative-passive", 0.0),
    ("microlendar/work-relative-passive", 0.0),
    ("microhood/portfolio-relative-passive", 31.8),
    ("microhood/price-absolute-passive", 17.7),
]


@pytest.mark.parametrize(("name", "early"), ONSETS)
def test_an_original_scenario_comes_true_at_its_onset(name: str, early: float) -> None:
    if not (ORIGINALS / "_catalogs").is_dir():
        pytest.skip("the original's scenarios and catalogs are not on this machine")
    scenario = load_scenario(ORIGINALS / f"{name}.json")
    assert scenario.eval_sql
    assert scenario.condition_at
    world = World(scenario, open_catalog(ORIGINALS / "_catalogs"))
    assert not world.holds(scenario.eval_sql)
    world.advance_to(scenario.condition_at - early - 0.2)
    assert not world.holds(scenario.eval_sql)
    world.advance_to(scenario.condition_at - early + 0.2)
    assert world.holds(scenario.eval_sql)
