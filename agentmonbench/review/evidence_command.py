"""`agentmonbench evidence`: the exact record behind an event id of a session.

Exit codes: 0 printed, 2 the transcript, the id or the command line cannot be used.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

from agentmonbench._command import run_command
from agentmonbench.errors import UsageError
from agentmonbench.review._record import record_text
from agentmonbench.review._redact import keep, redactor
from ebg import read_transcript
from ebg.text import visible
from ebg.trajectory.events import Event

__all__ = ["app", "main"]

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  agentmonbench evidence session.jsonl E12

  agentmonbench evidence session.jsonl E12 E15 --json"""


@app.command(epilog=EPILOG)
def evidence(
    path: Annotated[Path, typer.Argument(help="The transcript that was reviewed.")],
    ids: Annotated[list[str], typer.Argument(help="Event ids of the review, for example E12.")],
    *,
    session: Annotated[str | None, typer.Option(help="Id of the session, for files that hold several.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the records as JSON.")] = False,
    no_redact: Annotated[
        bool, typer.Option("--no-redact", help="Keep secrets, e-mail addresses and home folders as they are.")
    ] = False,
) -> None:
    """Print the records behind event IDS of the session in PATH, with their place in the file."""
    redact = keep if no_redact else redactor([Path.home()])
    events = {event.id: event for event in read_transcript(path, session=session).events}
    chosen = [_event(events, each) for each in ids]
    rows = [_row(event, redact(record_text(path, event.ref))) for event in chosen]
    if as_json:
        print(json.dumps([{key: redact(str(value)) for key, value in row.items()} for row in rows], indent=2))  # noqa: T201
        return
    for row in rows:
        head = " · ".join(value for key, value in row.items() if key != "record" and value)
        print(visible(f"{redact(head)}\n{row['record']}"))  # noqa: T201


def _event(events: dict[str, Event], name: str) -> Event:
    found = events.get(name.upper())
    if found is None:
        near = get_close_matches(name, events, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise UsageError(f"no event {name!r}{hint} (E1 to E{len(events)})")
    return found


def _row(event: Event, record: str) -> dict[str, str]:
    ref = event.ref
    place = f"{ref.file}:{ref.line}" if ref.line is not None else f"{ref.file}#{ref.pointer}"
    size = f"bytes {ref.byte_start}-{ref.byte_end}" if ref.byte_end else ""
    return {
        "id": event.id,
        "what": f"{event.actor} {event.kind}",
        "place": place,
        "bytes": size,
        "time": event.time or "",
        "record": record,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="agentmonbench evidence")


if __name__ == "__main__":
    sys.exit(main())
