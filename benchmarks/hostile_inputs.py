"""Reliability figure 8: forty hostile archives and bundles, none of which may get out.

    python benchmarks/hostile_inputs.py [--only WORDS]

Every case is made and read in processes of its own, in a folder that is compared before and after, together with a
home, a working and a temporary folder of their own. An escape is any of: a changed or new file, the secret in what was
read or said, another outcome than the expected one, a traceback, a raw control character in a message, more than
512 MB of memory, more than ten seconds. Prints a table and the number of escapes; exit code 1 unless it is 0.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import stat
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT), str(ROOT.parent)]

from hostile_cases import CASES, SECRET, Case  # noqa: E402  # found through the line above

import subsets  # noqa: E402
from agentmonbench.errors import DataError, UsageError  # noqa: E402
from agentmonbench.examples import SUBSETS, Example  # noqa: E402

MAX_RSS_MB = 512
MAX_SECONDS = 10.0
PATIENCE_S = 60.0


@dataclass(slots=True)
class Outcome:
    """What came of reading a source."""

    kind: str = "data"
    """`refused`, `broken` (sg_666 alone is), `data` (all is read), or what else happened."""
    messages: list[str] = field(default_factory=list)
    secret_seen: bool = False


def read(source: Path) -> Outcome:
    """Read all that a source holds, as a run and `check` would, and keep what was said."""
    outcome = Outcome()
    broken = set()
    for name in SUBSETS:
        try:
            subset = subsets.load(name, source)
        except UsageError:
            continue
        except DataError as error:
            outcome.kind = "refused"
            outcome.messages.append(str(error))
            continue
        outcome.messages.append(subset.fingerprint)
        for known in subset.ids:
            try:
                outcome.secret_seen |= SECRET in _all_text(subset.example(known)) + subset.gold_json(known)
            except DataError as error:
                broken.add(known)
                outcome.messages.append(str(error))
    if outcome.kind != "refused":  # `check` would open the same source again, and say the same
        outcome.messages += [str(problem) for problem in subsets.check(source)]
    outcome.secret_seen |= any(SECRET in message for message in outcome.messages)
    if broken:
        outcome.kind = "broken" if broken == {"sg_666"} else f"broken: {sorted(broken)}"
    return outcome


def faults(case: Case, outcome: Outcome) -> list[str]:
    """Return why the outcome is an escape."""
    found = []
    if outcome.kind != case.expect:
        found.append(f"{outcome.kind} instead of {case.expect}")
    if case.says not in "\n".join(outcome.messages):
        found.append(f"nothing was said of {case.says!r}")
    if outcome.secret_seen:
        found.append("the secret was read")
    if any(not char.isprintable() for message in outcome.messages for char in message.replace("\n", "")):
        found.append("a message has raw control characters")
    return found


def _all_text(example: Example) -> str:
    texts = [example.document.text if example.document else "", *(event.content for event in example.events)]
    return "".join(texts) + b"".join(example.files.values()).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Measured:
    """One case, run."""

    outcome: str
    seconds: float
    rss_mb: float
    escapes: list[str]


def measure(case: Case, folder: Path) -> Measured:
    """Make and read a case in processes of their own."""
    for name in ("home", "tmp", "work"):
        (folder / name).mkdir()
    (folder / "secret.txt").write_text(SECRET)
    environment = {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp"), "PATH": os.environ["PATH"]}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    command = [sys.executable, __file__, "--case", case.name, "--source", str(folder / "source")]

    def call(step: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, "--step", step],
            cwd=folder / "work",
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    made = call("make")
    if made.returncode:
        raise SystemExit(f"{case.name}: could not be made\n{made.stderr}")
    before = _snapshot(folder)
    start = time.monotonic()
    try:
        done = call("read")
    except subprocess.TimeoutExpired:
        return Measured("hangs", PATIENCE_S, 0, [f"no end after {PATIENCE_S} s"])
    seconds = time.monotonic() - start
    escapes = ["files changed"] if _snapshot(folder) != before else []
    if done.returncode or done.stderr:
        return Measured("crashes", seconds, 0, [*escapes, (done.stderr or "no reason").strip().splitlines()[-1]])
    result = json.loads(done.stdout)
    escapes += result["faults"]
    if result["rss_mb"] > MAX_RSS_MB:
        escapes.append(f"more than {MAX_RSS_MB} MB")
    if seconds > MAX_SECONDS:
        escapes.append(f"more than {MAX_SECONDS} s")
    return Measured(result["kind"], seconds, result["rss_mb"], escapes)


def _snapshot(folder: Path) -> str:
    """Return a digest of all names, kinds, sizes and times below a folder.

    Folders are held to the names in them: a temporary file that is gone leaves its mark in their times.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = None if stat.S_ISDIR(status.st_mode) else (status.st_size, status.st_mtime_ns)
        digest.update(f"{path} {status.st_mode} {content}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()


def _peak_rss_mb() -> float:
    # Not ru_maxrss: a child inherits the peak of the process that started it.
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="cases whose name has these words")
    parser.add_argument("--step", choices=["make", "read"], help=argparse.SUPPRESS)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    parser.add_argument("--source", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    cases = [case for case in CASES if options.only in case.name]
    if options.step:
        case = next(case for case in CASES if case.name == options.case)
        if options.step == "make":
            case.make(options.source)
        else:
            outcome = read(options.source)
            print(json.dumps({"kind": outcome.kind, "rss_mb": _peak_rss_mb(), "faults": faults(case, outcome)}))
        return 0
    escaped = 0
    print(f"{'case':<58} {'outcome':<8} {'s':>6} {'MB':>5}  escapes")
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            measured = measure(case, Path(folder))
        escaped += bool(measured.escapes)
        print(
            f"{case.name:<58} {measured.outcome:<8} {measured.seconds:>6.1f} {measured.rss_mb:>5.0f}  "
            f"{'; '.join(measured.escapes) or '-'}",
            flush=True,
        )
    print(f"{escaped} escapes of {len(cases)}")
    return 1 if escaped else 0


if __name__ == "__main__":
    sys.exit(main())
