"""Runs code that nobody has vouched for: in a throw-away copy, without network, home, environment or rights.

With bubblewrap (the package of the distribution) a run sees a read-only system, its own copy on a memory file system of
limited size, an empty home and no network, as a user that exists nowhere else. Where bubblewrap is missing there are
only resource limits, a private home and an empty environment; `Sandbox.warning` says so, and nobody should run what
they do not trust.

What a run says about itself (output, exit code) is the subject's own word. `Finished.records` came through a pipe, each
behind a nonce; `Finished.tampered` tells that somebody wrote to the pipe who did not know it. A subject that runs in
the process of the reporter could still learn the nonce, so verdicts that matter have a second witness (`_verdicts`).
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import secrets
import selectors
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from agentmonbench.errors import SandboxError

__all__ = ["Finished", "Limits", "Sandbox"]

_INSIDE = Path(__file__).parent / "inside"
_MEMORY = Path("/dev/shm")  # noqa: S108  # for a private folder below it
_POLL_S = 0.2
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives")
_slots = itertools.count()


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use."""

    wall_s: float = 120.0
    cpu_s: int = 110
    """Processor time of each process."""
    memory_mb: int = 2048
    """Memory of all processes together; also the address space of each."""
    processes: int = 64
    """Processes and threads at one time."""
    file_mb: int = 64
    """Size of one file."""
    disk_mb: int = 256
    """Size of all files together (with bubblewrap)."""
    output_kb: int = 512
    """Kept of each output stream; the rest is dropped."""
    channel_mb: int = 32
    """Records past this size end the run."""


@dataclass(slots=True)
class Finished:
    """What came of a run."""

    exit_code: int
    """Negative when a signal ended it."""
    stdout: str = ""
    stderr: str = ""
    records: list[dict[str, Any]] = field(default_factory=list)
    """What the reporter sent, in order."""
    tampered: str | None = None
    """Why the channel cannot be believed, or None."""
    stopped: str | None = None
    """The limit at which it was ended from outside, or None."""
    seconds: float = 0.0

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the records of one kind."""
        return [record for record in self.records if record["kind"] == kind]


class Sandbox:
    """Runs jobs in throw-away copies.

    Args:
        limits: for every run that names no others.
        bubblewrap: None looks for `bwrap`; False does without, which is not safe for code that you do not trust.
        scratch: folder below which each run has its own while it lasts; by default in memory, where that is possible.

    Raises:
        SandboxError: bubblewrap is asked for and missing.
    """

    def __init__(
        self, *, limits: Limits | None = None, bubblewrap: bool | None = None, scratch: Path | None = None
    ) -> None:
        self.limits = limits or Limits()
        self._scratch = scratch or (_MEMORY if _MEMORY.is_dir() else None)
        self._bwrap = None if bubblewrap is False else shutil.which("bwrap")
        if bubblewrap and self._bwrap is None:
            raise SandboxError("bubblewrap is not installed; install the package 'bubblewrap' of your distribution")

    @property
    def warning(self) -> str | None:
        """What a person should know before strangers' code runs here, or None."""
        if self._bwrap:
            return None
        return (
            "bubblewrap is not installed: tests of other people's packages run with limits on time, memory and files, "
            "but they can reach the network and read what you can read. Install the package 'bubblewrap', or build "
            "only from code that you trust."
        )

    def run(
        self,
        program: str,
        job: Mapping[str, object],
        *,
        files: Mapping[str, bytes],
        path: Sequence[str] = (),
        libraries: Sequence[Path] = (),
        limits: Limits | None = None,
    ) -> Finished:
        """Run one of the programs of `inside` over `files` and return what came of it.

        Args:
            program: name of the module, whose `main(job, channel)` is called.
            job: what it is told; plain JSON.
            files: the subject's files by relative path; each state of the job gets a fresh copy.
            path: folders below the copy that are put first on the import path ('' is the copy itself).
            libraries: folders of installed packages that follow on the import path, read only.
            limits: instead of the sandbox's own.

        Raises:
            SandboxError: the sandbox itself does not work here.
        """
        limits = limits or self.limits
        with tempfile.TemporaryDirectory(prefix="sandbox-", dir=self._scratch) as name:
            folder = Path(name)
            folder.chmod(0o755)
            _write(folder / "original", files)
            told = {
                **job,
                "program": program,
                "path": list(path),
                "libraries": list(map(str, libraries)),
                "limits": _rlimits(limits),
            }
            if self._bwrap:
                told |= {"original": "/original", "work": "/copy", "own": ["/copy", "/home", "/tmp", "/dev/shm"]}  # noqa: S108
                if os.geteuid() == 0:
                    # Processes are counted by user: a number of its own keeps runs, and the system, out of the count.
                    told["user"] = 0x100000 + (os.getpid() % 0x10000) * 0x100 + next(_slots) % 0x100
                command = self._wrapped(folder / "original", libraries, limits)
                environment = {"PATH": "/usr/bin:/bin"}
            else:
                for part in ("home", "tmp", "copy"):
                    (folder / part).mkdir()
                told |= {"original": str(folder / "original"), "work": str(folder / "copy")}
                command = [sys.executable, "-s", "-P", "-B", str(_INSIDE / "launch.py")]
                environment = _environment(str(folder / "home"), str(folder / "tmp"))
            return _Run(command, environment, told, limits, cwd=folder).finish()

    def _wrapped(self, original: Path, libraries: Sequence[Path], limits: Limits) -> list[str]:
        assert self._bwrap
        # Root needs no user namespace, and inside of one it could not become another user.
        apart = [f"--unshare-{kind}" for kind in ("ipc", "pid", "net", "uts", "cgroup-try")]
        apart = apart if os.geteuid() == 0 else ["--unshare-all"]
        words = [self._bwrap, *apart, "--die-with-parent", "--new-session", "--clearenv"]
        words += ["--ro-bind", "/usr", "/usr"]
        for place in _SYSTEM:
            if os.path.islink(place):
                words += ["--symlink", os.readlink(place), place]
            elif os.path.exists(place):
                words += ["--ro-bind", place, place]
        disk = str(limits.disk_mb << 20)
        words += ["--proc", "/proc", "--dev", "/dev"]
        for place in ("/tmp", "/home", "/copy"):  # noqa: S108  # of the sandbox
            words += ["--size", disk, "--tmpfs", place]
        seen: set[str] = set()
        for place in (*_interpreter(), *map(str, libraries)):
            if not place.startswith("/usr/") and place not in seen:
                seen.add(place)
                # Folders on the way are made closed to others unless it is said, and the run is another user.
                for parent in [*Path(place).parents][-2::-1]:
                    words += ["--perms", "0755", "--dir", str(parent)]
                words += ["--ro-bind", place, place]
        words += ["--ro-bind", str(_INSIDE), "/inside", "--ro-bind", str(original), "/original", "--remount-ro", "/"]
        for key, value in _environment("/home", "/tmp").items():  # noqa: S108  # of the sandbox
            words += ["--setenv", key, value]
        return [*words, "--", sys.executable, "-s", "-P", "-B", "/inside/launch.py"]


def _interpreter() -> list[str]:
    """Return the folders that the running interpreter needs, outermost first."""
    places = {sys.prefix, sys.base_prefix, sysconfig.get_path("stdlib"), str(Path(sys.executable).resolve().parent)}
    places |= {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    found = sorted(place for place in places if os.path.exists(place))
    return [place for place in found if not any(place.startswith(other + "/") for other in found)]


def _environment(home: str, temporary: str) -> dict[str, str]:
    return {
        "COLUMNS": "100",
        "HOME": home,
        "LC_ALL": "C.UTF-8",
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "TMPDIR": temporary,
        "TZ": "UTC",
    }


def _rlimits(limits: Limits) -> dict[str, int]:
    return {
        "RLIMIT_AS": limits.memory_mb << 20,
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": limits.cpu_s,
        "RLIMIT_FSIZE": limits.file_mb << 20,
        "RLIMIT_NOFILE": 256,
        "RLIMIT_NPROC": limits.processes,
    }


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir()
    made = {folder}
    for path, data in files.items():
        target = folder / path
        if target.parent not in made:
            target.parent.mkdir(parents=True, exist_ok=True)
            made.add(target.parent)
        target.write_bytes(data)


class _Run:
    """One process with its three ways out, watched until it ends or passes a limit."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], job: dict[str, Any], limits: Limits, *, cwd: Path
    ) -> None:
        self._limits = limits
        self._nonce = secrets.token_hex(16)
        reading, writing = os.pipe()
        self._channel = os.fdopen(reading, "rb", buffering=0)
        self._started = time.monotonic()
        job |= {"channel": writing, "nonce": self._nonce}
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[writing],
                env=dict(environment),
                cwd=cwd,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            self._channel.close()
            raise SandboxError(f"{command[0]!r} does not start: {error.strerror}") from error
        finally:
            os.close(writing)
        self._told = json.dumps(job).encode()

    def finish(self) -> Finished:
        """Feed, watch and end the process; nothing of it is left."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        caps = {"out": self._limits.output_kb << 10, "err": self._limits.output_kb << 10}
        caps["channel"] = self._limits.channel_mb << 20
        kept = {name: bytearray() for name in caps}
        stopped = None
        try:
            with contextlib.suppress(BrokenPipeError):  # it ended before it read its job; the exit code tells
                process.stdin.write(self._told)
                process.stdin.close()
            with selectors.DefaultSelector() as ways:
                streams: list[tuple[IO[bytes], str]] = [
                    (process.stdout, "out"),
                    (process.stderr, "err"),
                    (self._channel, "channel"),
                ]
                for stream, name in streams:
                    ways.register(stream, selectors.EVENT_READ, name)
                while ways.get_map() and stopped is None:
                    for key, _ in ways.select(_POLL_S):
                        data = os.read(key.fd, 1 << 16)
                        if not data:
                            ways.unregister(key.fileobj)
                        elif len(kept[key.data]) <= caps[key.data]:
                            kept[key.data] += data
                    stopped = self._passed_limit(len(kept["channel"]) > caps["channel"])
                    if process.poll() is not None and stopped is None and not ways.select(0):
                        break
        finally:
            self._end()
        texts = {name: kept[name][: caps[name]].decode("utf-8", "replace") for name in ("out", "err")}
        if process.returncode != 0 and texts["err"].startswith("bwrap: "):
            raise SandboxError(f"bubblewrap does not work here: {texts['err'].strip()}")
        finished = Finished(process.returncode, texts["out"], texts["err"], stopped=stopped)
        finished.records, finished.tampered = self._read(bytes(kept["channel"]))
        finished.seconds = time.monotonic() - self._started
        return finished

    def _passed_limit(self, channel_full: bool) -> str | None:
        if channel_full:
            return "records"
        if time.monotonic() - self._started > self._limits.wall_s:
            return "time"
        return "memory" if _memory(self._process.pid) > self._limits.memory_mb << 20 else None

    def _end(self) -> None:
        # Without bubblewrap the group is all that can be reached; with it, the first process takes all others along.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr, self._channel):
            if stream:
                stream.close()

    def _read(self, data: bytes) -> tuple[list[dict[str, Any]], str | None]:
        records: list[dict[str, Any]] = []
        mark = f"{self._nonce} ".encode()
        for number, line in enumerate(data.splitlines(), start=1):
            if not line.startswith(mark):
                return records, f"line {number} of the channel was written by somebody else"
            try:
                records.append(json.loads(line[len(mark) :]))
            except ValueError:
                return records, f"line {number} of the channel is no record"
        return records, None


def _memory(pid: int) -> int:
    """Return the resident bytes of a process and all its descendants (0 where /proc does not tell)."""
    total, waiting = 0, [pid]
    while waiting:
        known = waiting.pop()
        try:
            total += int(Path(f"/proc/{known}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            waiting += map(int, Path(f"/proc/{known}/task/{known}/children").read_text().split())
        except (OSError, ValueError, IndexError):
            continue  # it ended meanwhile
    return total
