"""First and only program of a sandbox: give up rights, set limits, then run one job.

It reads its job from standard input before any code of the subject runs. Answers leave through the pipe `channel`, each
line behind a nonce that is not in the environment, in a file or on the command line.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import resource
import sys
from typing import Any

_PR_SET_DUMPABLE = 4


class Channel:
    """The way out: lines of JSON behind a nonce."""

    def __init__(self, descriptor: int, nonce: str) -> None:
        self._descriptor, self._nonce = descriptor, nonce
        self.state: int | None = None
        """Marks every record, when it is set."""

    def send(self, kind: str, **values: object) -> None:
        """Send one record as a whole."""
        marked = values if self.state is None else {"state": self.state, **values}
        line = f"{self._nonce} {json.dumps({'kind': kind, **marked})}\n".encode()
        while line:
            line = line[os.write(self._descriptor, line) :]


def _give_up_rights(user: int) -> None:
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def _limit(limits: dict[str, int]) -> None:
    for name, value in limits.items():
        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind)
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (allowed, allowed))


def main() -> None:
    """Run the job that stands on standard input."""
    job: dict[str, Any] = json.loads(sys.stdin.buffer.read())
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    channel = Channel(job["channel"], job.pop("nonce"))
    os.set_inheritable(job["channel"], False)
    if (user := job.get("user")) is not None:
        for folder in job["own"]:
            os.chown(folder, user, user)
        _give_up_rights(user)
    # Another process of the sandbox must not read this one's memory, which holds the nonce.
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    _limit(job["limits"])
    usual = list(sys.path)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    program = importlib.import_module(job["program"])
    sys.path[:] = [*job["libraries"], *usual]
    program.main(job, channel)


if __name__ == "__main__":
    main()
