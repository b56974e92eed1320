"""Logs that survive a kill: they only grow by whole lines. Whole files are written by `ebg._files.write_text`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentmonbench.errors import DataError

__all__ = ["JsonLines", "dump_json"]


def dump_json(value: object) -> str:
    """Return `value` as one line of JSON with sorted keys: equal values give equal bytes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


class JsonLines:
    """A log of JSON objects, one a line, appended and synced one by one.

    A kill can cut only the last line; opening for writing removes such a torn tail, reading skips it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def repair(self) -> int:
        """Cut a torn last line and return how many bytes were cut."""
        if not self.path.exists():
            return 0
        data = self.path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole != len(data):
            with self.path.open("r+b") as file:
                file.truncate(whole)
                os.fsync(file.fileno())
        return len(data) - whole

    def append(self, value: object) -> None:
        """Add one object; it is on disk when this returns."""
        with self.path.open("ab") as file:
            file.write(dump_json(value).encode("utf-8", "backslashreplace") + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the objects in order.

        Raises:
            DataError: when a line that is not the last is no JSON object.
        """
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    return
                try:
                    value = json.loads(line)
                except ValueError as exc:
                    raise DataError(f"{self.path}, line {number}: not JSON ({exc}); move the file away") from exc
                if not isinstance(value, dict):
                    raise DataError(f"{self.path}, line {number}: expected an object, found {type(value).__name__}")
                yield value
