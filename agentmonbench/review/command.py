"""`agentmonbench review`: the decisions of an agent's session that a person should check, in a short ranked list.

Exit codes: 0 nothing at or above `--fail-on` (or no `--fail-on`), 1 something is, 2 the command line or the transcript
cannot be used.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from agentmonbench import monitors
from agentmonbench._command import run_command, say
from agentmonbench.errors import MonitorError, UsageError
from agentmonbench.monitors import Connections
from agentmonbench.review._find import AGENTS, latest_session
from agentmonbench.review._finding import Finding, Severity
from agentmonbench.review._judge import Judgement, judge
from agentmonbench.review._log import Log
from agentmonbench.review._rank import find_decisions
from agentmonbench.review._redact import Redact, keep, redact_session, redactor
from agentmonbench.review._report import build_report
from agentmonbench.review.formats import Format, render
from ebg import read_transcript

__all__ = ["app", "main"]

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  agentmonbench review --latest

  agentmonbench review session.jsonl --format sarif --fail-on high > review.sarif"""


@app.command(epilog=EPILOG)
def review(
    path: Annotated[Path | None, typer.Argument(help="Transcript of any known format, a file or a folder.")] = None,
    *,
    latest: Annotated[
        bool, typer.Option("--latest", help="Take the newest session of this folder from the agents' own folders.")
    ] = False,
    agent: Annotated[
        str | None, typer.Option(help=f"With --latest, only this agent: {', '.join(AGENTS)}.", show_default="any")
    ] = None,
    session: Annotated[str | None, typer.Option(help="Id of the session, for files that hold several.")] = None,
    top: Annotated[int, typer.Option(min=1, help="How many decisions to list.")] = 5,
    monitor: Annotated[
        str | None, typer.Option(help="Model that judges the candidates; without it nothing leaves this machine.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How to print the list.")] = "text",
    fail_on: Annotated[
        Severity | None, typer.Option(help="Exit with 1 when a candidate is at or above this severity.")
    ] = None,
    no_redact: Annotated[
        bool, typer.Option("--no-redact", help="Keep secrets, e-mail addresses and home folders as they are.")
    ] = False,
) -> None:
    """List what an agent decided in a session and a person should check, each with the words that prove it."""
    where = _where(path, latest=latest, agent=agent)
    redact = keep if no_redact else redactor([Path.home()])
    log = Log(redact_session(read_transcript(where, session=session), redact))
    findings = find_decisions(log)
    judgement = Judgement(findings, {}) if monitor is None else _judged(monitor, log, findings, redact)
    report = build_report(
        log,
        judgement.findings,
        path=str(where),
        top=top,
        redact=redact,
        monitor=monitor,
        judged=judgement.words,
        notes=judgement.notes,
    )
    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    sys.stdout.write(render(report, form, width=width))
    if fail_on is not None and report.reaches(fail_on):
        raise typer.Exit(1)


def _judged(name: str, log: Log, findings: list[Finding], redact: Redact) -> Judgement:
    """Return the monitor's judgement; an answer that is not accepted leaves the list as it was, with a note."""
    connections = Connections()
    chosen = monitors.get(name, connections=connections)

    async def ask() -> Judgement:
        try:
            return await judge(chosen, log, findings, redact=redact)
        finally:
            await connections.aclose()

    try:
        return asyncio.run(ask())
    except MonitorError as error:
        return Judgement(findings, {}, (f"Not judged: {error}.",))


def _where(path: Path | None, *, latest: bool, agent: str | None) -> Path:
    if (path is None) != latest:
        raise UsageError("give either a transcript or --latest")
    if path is not None:
        if agent is not None:
            raise UsageError("--agent goes with --latest; a transcript's format is found by its content")
        return path
    found = latest_session(Path.cwd(), agent=agent)
    say(f"Reviewing {found}")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="agentmonbench review")


if __name__ == "__main__":
    sys.exit(main())
