"""Evaluates expressions and tells what came out; whether that is right is decided outside.

A state has `calls`: a list of {id, setup, expression}. `setup` is a list of statements, run in a fresh namespace. With
`trace`, each answer names the lines of the subject that were executed, as "path:line".
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from typing import Any

from observing import observe  # type: ignore[import-not-found]  # it lies beside this file in the sandbox
from states import run_states  # type: ignore[import-not-found]

_CALL_S = 5


def evaluate(setup: list[str], expression: str) -> str:
    """Return what the expression gives, in the words of `observe`."""
    space: dict[str, Any] = {"__name__": "observed"}

    def thunk() -> object:
        for statement in setup:
            exec(statement, space)  # noqa: S102  # running the subject is what the sandbox is for
        return eval(expression, space)  # noqa: S307

    signal.alarm(_CALL_S)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            return str(observe(thunk))
        finally:
            signal.alarm(0)


class Tracer:
    """Notes the executed lines of files below a folder."""

    def __init__(self, folder: str) -> None:
        self.lines: set[str] = set()
        self._folder = folder + os.sep

    def __call__(self, frame: Any, event: str, argument: object) -> Any:
        """Follow a frame of the subject, and no other."""
        name = frame.f_code.co_filename
        if not name.startswith(self._folder) or frame.f_code.co_name == "<module>":
            return None
        path = name[len(self._folder) :]
        lines = self.lines

        def each_line(frame: Any, event: str, _: object) -> Any:
            if event == "line":
                lines.add(f"{path}:{frame.f_lineno}")
            return each_line

        return each_line


def _late(*_: object) -> None:
    raise TimeoutError("the call takes too long")


def work(state: dict[str, Any], channel: Any) -> None:
    """Evaluate all calls in order."""
    signal.signal(signal.SIGALRM, _late)
    for call in state["calls"]:
        tracer = Tracer(os.getcwd()) if state.get("trace") else None
        if tracer:
            sys.settrace(tracer)
        try:
            value = evaluate(call["setup"], call["expression"])
        finally:
            sys.settrace(None)
        lines = sorted(tracer.lines) if tracer else []
        channel.send("observed", id=call["id"], value=value, lines=lines)


def main(job: dict[str, Any], channel: Any) -> None:
    """Evaluate the calls of every state."""
    run_states(job, channel, work)
