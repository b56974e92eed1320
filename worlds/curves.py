"""Piecewise linear curves of prices and stars, with exact crossing times (specification sentinelbench 3.6 and 3.7)."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Curve", "first_true"]


@dataclass(frozen=True, slots=True)
class Curve:
    """A value over time: linear between its knots, constant before the first and after the last.

    Knots are in ascending time. Two knots at one time are a jump: from that time on the later one holds.
    """

    knots: tuple[tuple[float, float], ...]

    @classmethod
    def from_waypoints(cls, start: float, waypoints: Iterable[tuple[float, float]]) -> Curve:
        """Make a curve that leaves `start` at time 0 and passes the waypoints.

        A first waypoint later than 0 gets the knot (0, start) before it; with no waypoint the curve is flat.
        """
        knots = sorted(((float(at), float(value)) for at, value in waypoints), key=lambda knot: knot[0])
        if not knots or knots[0][0] > 0:
            knots.insert(0, (0.0, float(start)))
        return cls(tuple(knots))

    def at(self, time: float) -> float:
        """Return the value at a time."""
        index = bisect_right(self.knots, time, key=lambda knot: knot[0])
        if index == 0:
            return self.knots[0][1]
        if index == len(self.knots):
            return self.knots[-1][1]
        (t0, v0), (t1, v1) = self.knots[index - 1], self.knots[index]
        return v0 + (v1 - v0) * (time - t0) / (t1 - t0)

    def with_knot(self, time: float, value: float) -> Curve:
        """Return the curve that also passes (time, value); at an equal time the new knot holds from then on."""
        index = bisect_right(self.knots, time, key=lambda knot: knot[0])
        return Curve((*self.knots[:index], (time, value), *self.knots[index:]))

    def scaled(self, factor: float) -> Curve:
        """Return the curve with every time multiplied by `factor`."""
        return Curve(tuple((time * factor, value) for time, value in self.knots))

    def crossing(self, level: float, *, after: float = 0.0) -> float | None:
        """Return the first time from `after` on at which the curve is on the other side of `level`, or None.

        The side is that at `after`: below counts as strictly less, so a curve that starts at the level has crossed it.
        """
        below = self.at(after) < level

        def crossed(value: float) -> bool:
            return value >= level if below else value < level

        times = [after, *(time for time, _ in self.knots if time > after)]
        for start, end in pairwise(times):
            if crossed(self.at(math.nextafter(end, start))) or crossed(self.at(end)):
                return first_true(start, end, lambda moment: crossed(self.at(moment)))
        return None


def first_true(low: float, high: float, holds: Callable[[float], bool]) -> float:
    """Return the first float in (low, high] at which a monotone condition holds.

    `holds(low)` must be false and `holds(high)` true. The interval is halved until its ends are neighbouring floats
    (at most about 60 steps for times in seconds), so the answer is exact.
    """
    while True:
        middle = low + (high - low) / 2
        if not low < middle < high:
            return high
        if holds(middle):
            high = middle
        else:
            low = middle
