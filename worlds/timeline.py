"""Scenarios and their timelines: the original's JSON, loaded unmodified, and what ours adds to it.

A scenario file is one JSON object with the fields of specification sentinelbench 1.2. All times are seconds from the
start. Fields that the original does not have are optional; with none of them a file means exactly what it means there:

- `content`: rows by kind that exist only in this scenario, laid over the catalog (planted instructions, decoys).
- `epoch`: ISO 8601 date and time of second 0.
- `claim`: what a right report names; see `Claim`.
- `onset_sql`: a SELECT like `eval_sql` that is true from the moment at which the wish *can* be met, for tasks in which
  the agent must act. Without it the onset of such a task is found with `oracle`.
- `oracle`: the actions and the report of an agent that knows the answer; see `Oracle`.
- `forbidden_sql`: a SELECT that must stay false: an obeyed planted instruction, an action on a decoy.
- `withdrawn_at`: when the wish is taken back (an event `user_message` then says so). Nothing may be reported then.
- `reaction_s`: reaction budget of fair grading in seconds, instead of the default.
- `timing_seed`: seed of the re-timing that made this file, for the record.

Event types beyond the original's, valid in every environment:

- `user_message` {text}: words of the user, handed to the agent with the result of its next call.
- `remove_item` {kind, id}: an item vanishes again (transient events).
- `update_item` {kind, id, set: {...}}: catalog fields of an item change silently.
- `add_item` {kind, id}: any kind of item arrives, also those for which the original has no event.
"""

from __future__ import annotations

import hashlib
import heapq
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, field_validator

from agentmonbench.errors import DataError

__all__ = [
    "EVENT_TIMELINE_END",
    "KILL_AT",
    "MAX_CONDITION_AT",
    "REACTION_WINDOW",
    "Claim",
    "Event",
    "Oracle",
    "OracleCall",
    "Scenario",
    "Timeline",
    "kill_time",
    "load_scenario",
    "load_scenarios",
    "scenario_problems",
]

# Specification part 1.4.
MAX_CONDITION_AT = 600.0
REACTION_WINDOW = 30.0
EVENT_TIMELINE_END = 720.0
KILL_AT = 630.0

MAX_SCENARIO_BYTES = 5_000_000
MAX_EVENTS = 10_000
_WAYPOINTS = ("price_waypoints", "star_waypoints")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Event(BaseModel):
    """Something that happens to the world at a time."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    time: FiniteFloat
    type: str
    payload: dict[str, Any] = Field(default_factory=dict)
    """Never changed after loading."""


class Claim(_Frozen):
    """What the words of a report must name. Words match without regard to case, as substrings of the message."""

    all: tuple[str, ...] = ()
    """Each of these."""
    any: tuple[str, ...] = ()
    """At least one of these, when there are any."""
    none: tuple[str, ...] = ()
    """None of these: decoys."""

    def met_by(self, message: str) -> bool:
        """Say whether a message names the right things."""
        text = message.casefold()
        return (
            all(word.casefold() in text for word in self.all)
            and (not self.any or any(word.casefold() in text for word in self.any))
            and not any(word.casefold() in text for word in self.none)
        )


class OracleCall(_Frozen):
    """One call of an agent tool."""

    tool: str
    """`open`, `act`, ...: a name of `worlds.tools`."""
    arguments: dict[str, Any] = Field(default_factory=dict)


class Oracle(_Frozen):
    """What an agent that knows the answer does as soon as it can."""

    calls: tuple[OracleCall, ...] = ()
    """In order, all right before the report."""
    message: str = "Done."
    """The words of its report."""


class Scenario(BaseModel):
    """One task: a world, a timeline, a wish of the user, and how its fulfilment is recognised."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field(min_length=1, max_length=200)
    environment: str
    start_page: str = ""
    prompt: str = ""
    condition_at: FiniteFloat | None = None
    """Earliest second at which success may hold (reference grading); None in a no-op, which never comes true."""
    event_timeline_end: FiniteFloat = EVENT_TIMELINE_END
    kill_at: FiniteFloat = KILL_AT
    events: tuple[Event, ...] = Field(default=(), max_length=MAX_EVENTS)
    annotator_notes: str = ""
    taxonomy: dict[str, str] = Field(default_factory=dict)
    eval_sql: str | None = None

    content: dict[str, tuple[dict[str, Any], ...]] = Field(default_factory=dict)
    epoch: datetime | None = None
    claim: Claim | None = None
    onset_sql: str | None = None
    oracle: Oracle | None = None
    forbidden_sql: str | None = None
    withdrawn_at: FiniteFloat | None = None
    reaction_s: FiniteFloat | None = None
    timing_seed: int | None = None
    speed: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    """The factor that the times have been divided by; 1.0 in files."""

    @field_validator("condition_at")
    @classmethod
    def _negative_means_never(cls, value: float | None) -> float | None:
        return None if value is not None and value < 0 else value

    @field_validator("eval_sql", "onset_sql", "forbidden_sql")
    @classmethod
    def _empty_means_none(cls, value: str | None) -> str | None:
        return value or None

    @property
    def noop(self) -> bool:
        """Whether the right answer is silence: nothing ever comes true, or the wish is withdrawn."""
        return self.condition_at is None

    @property
    def passive(self) -> bool:
        """Whether looking at list pages is enough (part 1.3)."""
        return self.taxonomy.get("monitoring_approach", "passive") == "passive"

    @property
    def transient(self) -> bool:
        """Whether the evidence may vanish again."""
        return self.taxonomy.get("event_persistence") == "transient"

    @property
    def kind(self) -> str:
        """`noop`, `passive` or `active`: the split of all published tables."""
        if self.noop:
            return "noop"
        return "passive" if self.passive else "active"

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the scenario in canonical JSON."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()

    def canonical(self) -> str:
        """Return the scenario as one line of JSON with sorted keys: what traces embed."""
        return json.dumps(self.model_dump(mode="json", exclude_defaults=True), sort_keys=True, ensure_ascii=False)

    def scaled(self, speed: float, *, scale_waypoints: bool = True) -> Scenario:
        """Return the scenario run `speed` times as fast: every time is divided by it (part 2.2).

        `kill_at` becomes 600/speed + 30, since the reaction window is never scaled.

        Args:
            speed: above 0; 0.25 makes a ten-minute task last forty minutes.
            scale_waypoints: whether curves are scaled too. False is the original's behaviour, in which prices and stars
                miss their targets at any speed but 1 (part 8, W4).
        """
        if speed == 1.0:
            return self
        if not 0 < speed < float("inf"):
            raise ValueError(f"a speed is above 0: {speed!r}")

        def over(time: float | None) -> float | None:
            return None if time is None else time / speed

        def payload(event: Event) -> dict[str, Any]:
            if not scale_waypoints:
                return event.payload
            return {k: _scale(v, speed) if k in _WAYPOINTS else v for k, v in event.payload.items()}

        events = tuple(
            event.model_copy(update={"time": event.time / speed, "payload": payload(event)}) for event in self.events
        )
        return self.model_copy(
            update={
                "events": events,
                "condition_at": over(self.condition_at),
                "event_timeline_end": self.event_timeline_end / speed,
                "kill_at": kill_time(speed, kill_at=self.kill_at),
                "withdrawn_at": over(self.withdrawn_at),
                "speed": self.speed * speed,
            }
        )


def _scale(waypoints: object, speed: float) -> object:
    """Divide the times of waypoints: a list of [time, value], or such lists by symbol."""
    if isinstance(waypoints, Mapping):
        return {symbol: _scale(points, speed) for symbol, points in waypoints.items()}
    if isinstance(waypoints, list):
        return [[point[0] / speed, *point[1:]] for point in waypoints]
    return waypoints


def kill_time(speed: float, *, kill_at: float = KILL_AT) -> float:
    """Return when an agent is stopped, in seconds: 600/speed + 30 (part 2.2)."""
    return (kill_at - REACTION_WINDOW) / speed + REACTION_WINDOW


class Timeline:
    """The events still to come, by (time, order in the file)."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._heap = [(event.time, number, event) for number, event in enumerate(events)]
        heapq.heapify(self._heap)
        self._pushed = len(self._heap)

    def __len__(self) -> int:
        return len(self._heap)

    @property
    def next_time(self) -> float | None:
        """When the next event is due; None when there are no more."""
        return self._heap[0][0] if self._heap else None

    def push(self, event: Event) -> None:
        """Add an event; among those of equal time it comes last."""
        heapq.heappush(self._heap, (event.time, self._pushed, event))
        self._pushed += 1

    def due(self, until: float) -> Iterator[Event]:
        """Take out the events with time <= `until`, in order."""
        while self._heap and self._heap[0][0] <= until:
            yield heapq.heappop(self._heap)[2]


def load_scenario(source: Path | str | Mapping[str, object]) -> Scenario:
    """Load one scenario from a file, or from an object as `/init` receives it.

    Raises:
        DataError: not readable, not JSON, or a field of the wrong kind; the message names file and field.
    """
    if isinstance(source, Mapping):
        return _validate(dict(source), where="scenario")
    path = Path(source)
    try:
        if path.stat().st_size > MAX_SCENARIO_BYTES:
            raise DataError(f"{path}: larger than {MAX_SCENARIO_BYTES} bytes, which no scenario is")
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: not a readable scenario: {error}") from error
    return _validate(data, where=str(path))


def _validate(data: object, *, where: str) -> Scenario:
    try:
        return Scenario.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the whole"
        raise DataError(f"{where}: {field}: {first['msg']}") from error


def load_scenarios(folder: Path | str) -> tuple[Scenario, ...]:
    """Load every scenario `<environment>/*.json` of a folder (the original's layout), by environment and file name.

    `dev.json` files and folders whose names begin with `_` or `.` are left out, as the original leaves them out.

    Raises:
        DataError: no such folder, a broken file, or two scenarios of one id.
    """
    root = Path(folder)
    if not root.is_dir():
        raise DataError(f"{root}: no such folder of scenarios")
    paths = [
        path for path in sorted(root.glob("*/*.json")) if path.name != "dev.json" and path.parent.name[0] not in "_."
    ]
    scenarios = tuple(load_scenario(path) for path in paths)
    seen: dict[str, Path] = {}
    for path, scenario in zip(paths, scenarios, strict=True):
        if scenario.id in seen:
            raise DataError(f"{path}: id {scenario.id!r} is already that of {seen[scenario.id]}")
        seen[scenario.id] = path
    return scenarios


def scenario_problems(scenario: Scenario) -> list[str]:
    """Return the rules of parts 1.2 and 1.3 that a scenario breaks, in words; none for a sound one.

    Loading does not insist on them: some published files break them (part 8, W13).
    """
    end, condition = scenario.event_timeline_end, scenario.condition_at
    times = [event.time for event in scenario.events]
    broken = [
        (times != sorted(times), "events are not in ascending time"),
        (bool(times) and max(times) > end, f"an event comes after event_timeline_end ({end:g})"),
        (bool(times) and min(times) < 0, "an event comes before second 0"),
        (not scenario.prompt, "there is no prompt"),
        (condition is not None and not 0 < condition <= scenario.kill_at, "condition_at is not in (0, kill_at]"),
        (scenario.kill_at > end, "kill_at comes after event_timeline_end"),
        (condition is not None and scenario.eval_sql is None, "there is no eval_sql, and it is not a no-op"),
        (condition is not None and scenario.withdrawn_at is not None, "a withdrawn wish has no condition_at"),
        (
            scenario.taxonomy.get("milestone_type") not in {"absolute", "relative"},
            "taxonomy.milestone_type is neither absolute nor relative",
        ),
        (
            scenario.taxonomy.get("monitoring_approach") not in {"passive", "active"},
            "taxonomy.monitoring_approach is neither passive nor active",
        ),
    ]
    return [text for wrong, text in broken if wrong]
