"""A world: an environment that lives along its scenario's timeline: only cause and effect, no agent."""

from __future__ import annotations

from dataclasses import dataclass

from worlds.catalog import Catalog
from worlds.clock import Clock, VirtualClock
from worlds.envs import environment_class
from worlds.grading._sql import is_true
from worlds.service import EPOCH
from worlds.state import State
from worlds.timeline import Event, Scenario, Timeline

__all__ = ["Message", "World"]


@dataclass(frozen=True, slots=True)
class Message:
    """Words of the user that arrive while the agent works."""

    at: float
    text: str


class World:
    """The state of one scenario over time.

    The time of a world is the time up to which it has been advanced; its environment's clock shows the same, so
    pages and prices are those of that moment, whatever the session's clock says meanwhile.

    Args:
        scenario: already scaled.
        catalog: where its ids are looked up; the scenario's own content is laid over it.
        compat: keep the bugs of the original's actions (specification part 8, W13).
        state: where it lives; a new database in memory when None.
    """

    def __init__(
        self, scenario: Scenario, catalog: Catalog, *, compat: bool = False, state: State | None = None
    ) -> None:
        self.scenario = scenario
        self._clock = VirtualClock()
        self.timeline = Timeline(scenario.events)
        self.messages: list[Message] = []
        """What the user has said so far."""
        self.state = state or State()
        self.env = environment_class(scenario.environment)(
            self.state,
            self._clock,
            catalog=catalog.overlay(scenario.environment, scenario.content),
            epoch=scenario.epoch or EPOCH,
            compat=compat,
        )
        self.env.boot()
        self.state.set_meta("event_timeline_end", scenario.event_timeline_end)
        self.advance_to(0.0)

    @property
    def clock(self) -> Clock:
        """The environment's clock."""
        return self._clock

    @property
    def now(self) -> float:
        """The moment up to which everything has happened."""
        return self._clock.now()

    def advance_to(self, moment: float) -> list[Event]:
        """Let everything happen that is due by a moment, in order, and return the events of the timeline among it.

        Going back only sets the clock: what has happened stays (the original's `/advance` allows it).
        """
        happened: list[Event] = []
        with self.state.transaction():
            while True:
                due = self.timeline.next_time
                due = moment if due is None or due > moment else max(due, self.now)
                own = self.env.next_own(due)
                if own is not None and self.now < own < due:
                    self._settle(own)
                    continue
                self._settle(due)
                if self.timeline.next_time is None or self.timeline.next_time > moment:
                    break
                happened += [self._apply(event) for event in self.timeline.due(due)]
            self._settle(moment)
        return happened

    def _settle(self, moment: float) -> None:
        self._clock.set(moment)
        self.env.refresh()
        self.state.set_meta("simulation_time", moment)

    def _apply(self, event: Event) -> Event:
        if event.type == "user_message":
            self.messages.append(Message(event.time, str(event.payload.get("text", ""))))
        else:
            self.env.apply(event)
        return event

    def next_change(self, until: float) -> float | None:
        """Return the next moment after now, by `until`, at which an event comes, a curve bends or an order fills."""
        moments = [*self.env.knots(self.now, until)[:1]]
        if self.timeline.next_time is not None and self.timeline.next_time <= until:
            moments.append(self.timeline.next_time)
        if (own := self.env.next_own(until)) is not None:
            moments.append(own)
        return min(moments, default=None)

    def holds(self, sql: str) -> bool:
        """Say whether a grading query is true now.

        Raises:
            SqlRefused: the query is not one harmless SELECT, or fails.
        """
        return is_true(self.state, sql)

    def close(self) -> None:
        """Free the database."""
        self.state.close()
