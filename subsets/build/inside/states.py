"""Runs one piece of work in many states of the subject, each in a fresh copy and a process of its own.

The parent has imported nothing of the subject, so a fork is as good as a new interpreter and much quicker.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

_POLL_S = 0.01


def run_states(job: dict[str, Any], channel: Any, work: Callable[[dict[str, Any], Any], None]) -> None:
    """Call `work(state, channel)` for each of the job's states and tell how each ended.

    A state has `id` and `files` (path to text, put over the original); records are marked with the id.
    """
    for state in job["states"]:
        folder = Path(job["work"]) / f"s{state['id']}"
        shutil.copytree(job["original"], folder, symlinks=True)
        for path, text in state["files"].items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="")
        child = os.fork()
        if child == 0:
            _work(job, folder, state, channel, work)
        status = _wait(child, job["state_s"])
        channel.send("ended", state=state["id"], status=status)
        shutil.rmtree(folder, ignore_errors=True)
    channel.send("end")


def _work(
    job: dict[str, Any], folder: Path, state: dict[str, Any], channel: Any, work: Callable[[dict[str, Any], Any], None]
) -> None:
    code = 1
    try:
        os.setpgid(0, 0)
        os.chdir(folder)
        sys.path[:0] = [os.path.join(folder, entry) if entry else str(folder) for entry in job["path"]]
        channel.state = state["id"]
        work(state, channel)
        code = 0
    except BaseException:  # noqa: BLE001  # whatever it was, this process must not go on as its parent
        traceback.print_exc()
    finally:
        os._exit(code)


def _wait(child: int, limit_s: float) -> int | None:
    """Return the exit code of a child, or None when it was too slow and was ended."""
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            _kill(child)
            return os.waitstatus_to_exitcode(status)
        time.sleep(_POLL_S)
    _kill(child)
    os.waitpid(child, 0)
    return None


def _kill(group: int) -> None:
    for end in (os.killpg, os.kill):
        try:
            end(group, signal.SIGKILL)
        except OSError:
            continue
