"""The `ebg` command: build, look at, count and check graphs of repositories and of agents' sessions.

Results go to stdout, talk to stderr. Exit codes: 0 done, 1 it could not be done or a check failed, 2 a wrong command
line. What a command needs is imported when it runs, so `--help` is instant.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from ebg._repository_commands import run_build, run_stats, run_verify, run_view
from ebg._session_commands import run_convert, run_session
from ebg._terminal import fail
from ebg.errors import EbgError, UsageError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Args:
        argv: arguments without the program's name; None takes those of the process.
    """
    arguments = _parser().parse_args(argv)
    run: Callable[[argparse.Namespace], int] = arguments.run
    try:
        code = run(arguments)
        sys.stdout.flush()
    except UsageError as exc:
        return fail(exc, 2)
    except EbgError as exc:
        return fail(exc, 1)
    except BrokenPipeError:  # the reader (`head`) has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # so that the interpreter's last flush finds a place
        return 0
    except OSError as exc:
        return fail(f"{exc.filename}: {exc.strerror}" if exc.filename else exc, 1)
    except KeyboardInterrupt:
        return fail("stopped", 130)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ebg",
        description="Evidence-grounded behavior graphs of repositories and agents' sessions, built without any model.",
        epilog="examples:\n  ebg view src --requirements README.md\n  ebg session session.jsonl",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    build = _command(
        commands,
        "build",
        run_build,
        "build the graph of a repository and write it",
        "ebg build src -o graph.json\n  ebg build src -o graph.graphml --format graphml --exclude 'vendor/**'",
    )
    _source(build)
    _work(build)
    build.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="where to write the graph")
    build.add_argument(
        "--format",
        choices=("published", "node-link", "graphml"),
        default="published",
        help="published: the exchange form of the benchmark, the only one that is read back (default)",
    )
    build.add_argument("--id", metavar="NAME", help="input_id of the published form (default: name of the folder)")
    build.add_argument(
        "--benchmark",
        metavar="NAME",
        default="repository",
        help="benchmark of the published form (default: repository)",
    )

    view = _command(
        commands,
        "view",
        run_view,
        "show a repository as a monitor sees it",
        "ebg view src --requirements README.md\n  ebg view src --requirements README.md --files F0003 src/app.py",
    )
    _source(view)
    _work(view)
    view.add_argument("--requirements", metavar="FILE", help="the text that says what the code should do")
    view.add_argument("--files", metavar="ID", nargs="+", default=[], help="read these ids or paths")
    view.add_argument("--search", metavar="WORDS", help="search ids, paths, symbols and source")
    view.add_argument("--hops", type=int, choices=(1, 2, 3), default=1, help="how far neighbours reach (default: 1)")
    view.add_argument("--max-neighbors", metavar="N", type=int, help="neighbours that a scope brings in (default: all)")
    view.add_argument(
        "--order", choices=("sections", "cover"), default="sections", help="how files are dealt out (default: sections)"
    )
    view.add_argument(
        "--without",
        choices=("behaviors", "relations", "guidance"),
        action="append",
        default=[],
        help="leave out a part, as the paper's ablations do",
    )

    stats = _command(
        commands,
        "stats",
        run_stats,
        "count what is in a repository or a saved graph",
        "ebg stats src\n  ebg stats graph.json --json",
    )
    _source(stats, "folder, file, or graph in the published form (.json)")
    _work(stats)

    verify = _command(
        commands,
        "verify",
        run_verify,
        "rebuild a saved graph from its source and compare",
        "ebg verify graph.json src\n  ebg verify graph.json src --exclude 'vendor/**'",
    )
    verify.add_argument("graph", metavar="GRAPH", help="graph in the published form")
    _source(verify)

    session = _command(
        commands,
        "session",
        run_session,
        "sum up an agent's session: its tasks, demands and what is missing from its record",
        "ebg session session.jsonl\n  ebg session session.jsonl --view -o graph.json",
    )
    _transcript(session)
    session.add_argument("-o", "--output", metavar="FILE", type=Path, help="write its graph in the published form")
    session.add_argument("--view", action="store_true", help="print what a monitor is shown instead")

    convert = _command(
        commands,
        "convert",
        run_convert,
        "write a session in another form",
        "ebg convert session.jsonl -o session.atif.json --to atif\n  ebg convert session.jsonl -o input.json --to ebg",
    )
    _transcript(convert)
    convert.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="where to write it")
    convert.add_argument(
        "--to",
        choices=("atif", "chat", "ebg"),
        required=True,
        help="atif: trajectory interchange format; chat: chat messages; ebg: the benchmark's model_input.json",
    )
    return parser


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    examples: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"examples:\n  {examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print JSON for scripts")
    parser.set_defaults(run=run)
    return parser


def _source(parser: argparse.ArgumentParser, path_help: str = "folder or file") -> None:
    parser.add_argument("path", metavar="PATH", help=path_help)
    parser.add_argument(
        "--include", metavar="GLOB", action="append", default=[], help="take files that the rules leave out"
    )
    parser.add_argument("--exclude", metavar="GLOB", action="append", default=[], help="leave out more files")


def _work(parser: argparse.ArgumentParser) -> None:
    jobs = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    parser.add_argument("--jobs", metavar="N", type=int, default=jobs, help="processes to use (default: all cores)")
    parser.add_argument(
        "--no-cache",
        dest="cache",
        action="store_false",
        help="read every file anew and keep nothing for the next build",
    )


def _transcript(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="transcript of any known format: a file or folder")
    parser.add_argument("--from", dest="reader", metavar="FORMAT", help="its format (default: found by content)")
    parser.add_argument("--session", metavar="ID", help="which one, when the transcript holds several")
