"""Tools and services: one registry, one call path for every door (in process, HTTP, MCP).

A `Toolbox` is a class whose methods marked `@tool` can be called by name with JSON arguments. Parameter types come from
the annotations, descriptions from the Google-style docstring, and both become the JSON schema that models and MCP
clients see. A `Service` is a toolbox over a state and a clock: the ten SentinelBench environments are services, and so
are the services of VibeLifeBench.

    class Notes(Service):
        key = "notes"
        schema = "CREATE TABLE notes(id TEXT, text TEXT);"

        @tool(writes=True)
        def add_note(self, text: str) -> object:
            '''Write a note down.

Args:
                text: what to remember.
            '''
            self.state.insert("notes", {"id": "n1", "text": text})
            return {"success": True}

    notes = Notes(State(), VirtualClock())
    notes.boot()
    notes.call("add_note", {"text": "milk"})
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, ClassVar, Literal, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from worlds.clock import Clock
from worlds.errors import ToolError
from worlds.state import State

__all__ = ["EPOCH", "ReturnKind", "Service", "Tool", "Toolbox", "tool"]

EPOCH = datetime(2024, 7, 18, 9, 0, tzinfo=UTC)
"""The date and time of second 0 of a session, when nothing else is said."""

ReturnKind = Literal["value", "json_str", "structured", "blocks"]
"""How a transport hands a result on: `value` and `structured` as a JSON value; `json_str` as text that holds JSON;
`blocks` as one text block for each element (VibeLife services, section 0)."""

_Function = TypeVar("_Function", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Tool:
    """One callable thing of a toolbox."""

    name: str
    function: Callable[..., object]
    """The unbound method."""
    writes: bool = False
    """True when a call may change the state."""
    route: str = ""
    """`METHOD path` of the original's data endpoint, below `/data/`; parts in braces are arguments. Empty: none."""
    returns: ReturnKind = "value"

    @property
    def description(self) -> str:
        """The docstring without its sections."""
        return _documentation(self.function)[0]

    def parameters(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments."""
        schema = _model(self.function).model_json_schema()
        for name, field in schema.get("properties", {}).items():
            field.pop("title", None)
            if text := _documentation(self.function)[1].get(name):
                field["description"] = text
        return {
            "type": "object",
            "properties": schema.get("properties", {}),
            "required": schema.get("required", []),
            **({"$defs": schema["$defs"]} if "$defs" in schema else {}),
            "additionalProperties": False,
        }

    def schema(self) -> dict[str, Any]:
        """Return name, description and parameters, as chat models and MCP want them."""
        return {"name": self.name, "description": self.description, "parameters": self.parameters()}

    def bind(self, arguments: Mapping[str, object], *, strict: bool = True) -> dict[str, object]:
        """Check arguments and fill in defaults.

        Args:
            arguments: from outside; nothing about them is believed.
            strict: refuse names that the tool does not have; otherwise they are dropped.

        Raises:
            ToolError: with code `bad_arguments`, naming each argument that is wrong.
        """
        model = _model(self.function)
        fields = model.model_fields
        if strict and (unknown := sorted(set(arguments) - set(fields))):
            known = ", ".join(fields) or "none"
            raise ToolError(
                f"{self.name} has no argument {unknown[0]!r}; its arguments: {known}", code="bad_arguments", status=422
            )
        try:
            checked = model.model_validate(dict(arguments))
        except ValidationError as error:
            wrong = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors())
            raise ToolError(f"{self.name}: {wrong}", code="bad_arguments", status=422) from error
        return {name: getattr(checked, name) for name in fields}


def tool(
    *, name: str | None = None, writes: bool = False, route: str = "", returns: ReturnKind = "value"
) -> Callable[[_Function], _Function]:
    """Mark a method as a tool of its class.

    Args:
        name: how it is called; the method's name when None (VibeLife has names with hyphens).
        writes: whether a call may change the state.
        route: the original's data endpoint, for example `POST micromail-emails/{id}/read`.
        returns: how transports hand the result on.
    """

    def mark(function: _Function) -> _Function:
        spec = Tool(name or function.__name__, function, writes=writes, route=route, returns=returns)
        function.__worlds_tool__ = spec  # type: ignore[attr-defined]  # functions take attributes
        return function

    return mark


class Toolbox:
    """A class with tools; subclasses inherit and may replace those of their bases."""

    tools: ClassVar[Mapping[str, Tool]] = {}
    """By name, in order of definition."""
    strict_arguments: ClassVar[bool] = True
    """Whether unknown argument names are refused."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        own = {
            member.__worlds_tool__.name: member.__worlds_tool__
            for member in vars(cls).values()
            if hasattr(member, "__worlds_tool__")
        }
        cls.tools = {**cls.tools, **own}

    def call(self, name: str, arguments: Mapping[str, object] | None = None) -> object:
        """Call a tool by name: the one way in for every door.

        Returns:
            A JSON value.

        Raises:
            ToolError: no such tool, wrong arguments, or refused by the tool.
        """
        found = self.tools.get(name)
        if found is None:
            close = difflib.get_close_matches(name, self.tools, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(self.tools)}"
            raise ToolError(f"unknown tool {name!r}{hint}", code="unknown_tool", status=404)
        return self.run(found, found.bind(arguments or {}, strict=self.strict_arguments))

    def run(self, tool: Tool, arguments: Mapping[str, object]) -> object:
        """Run a tool with checked arguments; subclasses wrap it."""
        return tool.function(self, **arguments)


class Service(Toolbox):
    """A simulated application: a schema, a state, a clock and tools.

    Args:
        state: where it keeps everything.
        clock: the only source of time.
        epoch: what second 0 of the clock is called in dates.
    """

    key: ClassVar[str] = ""
    """The name it is registered and called under."""
    schema: ClassVar[str] = ""
    """SQL that creates its empty tables."""

    def __init__(self, state: State, clock: Clock, *, epoch: datetime = EPOCH) -> None:
        self.state = state
        self.clock = clock
        self.epoch = epoch

    def boot(self, seed: str = "") -> None:
        """Create the tables and run a seed script over them."""
        self.state.script(self.schema)
        if seed:
            self.state.script(seed)

    def moment(self, seconds: float | None = None) -> datetime:
        """Return a moment of the session as a date and time; now when None."""
        return self.epoch + timedelta(seconds=self.clock.now() if seconds is None else seconds)

    def stamp(self, seconds: float | None = None) -> str:
        """Return a moment as ISO 8601 in UTC with whole seconds and suffix Z."""
        return self.moment(seconds).strftime("%Y-%m-%dT%H:%M:%SZ")

    def run(self, tool: Tool, arguments: Mapping[str, object]) -> object:
        """Run a tool; when it refuses, nothing that it had begun remains."""
        if not tool.writes:
            return super().run(tool, arguments)
        with self.state.transaction():
            return super().run(tool, arguments)


@cache
def _model(function: Callable[..., object]) -> type[BaseModel]:
    """Make the model of a method's parameters (lazily: 300 of them would make imports slow)."""
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], Field(default=default))
    config = ConfigDict(extra="ignore", arbitrary_types_allowed=False, protected_namespaces=())
    return create_model(f"{function.__name__}_arguments", __config__=config, **fields)


@cache
def _documentation(function: Callable[..., object]) -> tuple[str, dict[str, str]]:
    """Split a Google-style docstring into its description and the texts of its arguments."""
    text = inspect.getdoc(function) or ""
    sections = re.split(r"^(Args|Returns|Raises|Yields|Example|Examples):\s*$", text, flags=re.MULTILINE)
    described: dict[str, str] = {}
    for title, body in zip(sections[1::2], sections[2::2], strict=True):
        if title == "Args":
            for name, words in re.findall(r"^    (\w+): (.*(?:\n {5,}.*)*)", body, flags=re.MULTILINE):
                described[name] = " ".join(words.split())
    return " ".join(sections[0].split()), described
