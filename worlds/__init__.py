"""Worlds: deterministic environments that change over time while an agent waits and watches.

    scenario = load_scenario(path)               # a file of ours, or an original one, unmodified
    world = World(scenario, bundled_catalog())   # everything due at second 0 has happened
    world.advance_to(300.0)                      # everything due by then happens, in order
    world.env.observe(); world.env.open(kind, id); world.env.call(action, arguments)
    world.holds(scenario.eval_sql)               # the grading query, in a sandbox

Same scenario, same calls, same times: the same `world.state.fingerprint()`.
"""

from worlds.catalog import Catalog, bundled_catalog, open_catalog
from worlds.clock import Clock, VirtualClock, WallClock
from worlds.curves import Curve
from worlds.errors import SessionNotFound, SqlRefused, ToolError
from worlds.service import Service, Tool, Toolbox, tool
from worlds.state import State
from worlds.timeline import Event, Scenario, Timeline, load_scenario, load_scenarios
from worlds.world import Message, World

__all__ = [
    "Catalog",
    "Clock",
    "Curve",
    "Event",
    "Message",
    "Scenario",
    "Service",
    "SessionNotFound",
    "SqlRefused",
    "State",
    "Timeline",
    "Tool",
    "ToolError",
    "Toolbox",
    "VirtualClock",
    "WallClock",
    "World",
    "bundled_catalog",
    "load_scenario",
    "load_scenarios",
    "open_catalog",
    "tool",
]
