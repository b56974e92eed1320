"""The Hub: addresses, a clear refusal without a network, and a download from a Hub on loopback."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import subsets
from agentmonbench.errors import DataError, UsageError

pytest.importorskip("huggingface_hub")

REVISION = "3bf50f6271fd2dc164c5fdabefd84d363eb088f2"


def test_the_release_is_pinned() -> None:
    assert f"hub:ZhaoHongKang/AgentMonBench@{REVISION}" == subsets.RELEASE


@pytest.mark.parametrize("source", ["hub:name", "hub:a/b", "hub:a/b@", "hub:../b@main", "hub:a/b@--x", "hub:a/b@x\n"])
def test_what_is_no_address_is_refused(source: str) -> None:
    with pytest.raises(
        UsageError, match="is no address on the Hub; one looks like 'hub:ZhaoHongKang/AgentMonBench@3bf"
    ):
        subsets.load("specgap", source)


def test_offline_is_said_in_one_line_that_names_the_other_sources() -> None:
    # The tests run with HF_HUB_OFFLINE=1.
    with pytest.raises(DataError) as caught:
        subsets.load("specgap", "hub:")
    message = str(caught.value)
    assert caught.value.code == "hub_unreachable"
    assert "\n" not in message
    assert message.startswith("the Hub cannot be reached (")
    assert message.endswith(
        "without a network use another source: 'sample', a folder in the release layout, or an archive <subset>.tar.gz"
    )


class Hub(BaseHTTPRequestHandler):
    """Answers as the Hub does for the files of one dataset at one revision."""

    files: dict[str, bytes]
    asked: list[str]

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.wfile.write(self.answer())

    def answer(self) -> bytes:
        self.asked.append(f"{self.command} {self.path}")
        data = self.files.get(self.path)
        self.send_response(200 if data is not None else 404)
        if data is None:
            self.send_header("X-Error-Code", "EntryNotFound")
        data = data or b""
        self.send_header("X-Repo-Commit", REVISION)
        self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        return data

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[tuple[str, type[Hub]]]:
    handler = type("Scripted", (Hub,), {"files": {}, "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", handler
    server.shutdown()
    thread.join()
    server.server_close()


PROGRAM = """
import sys, subsets
from agentmonbench.errors import DataError
for source in sys.argv[1:]:
    try:
        subset = subsets.load("specgap", source)
        print(subset.source, subset.ids, len(subset.problems), subset.fingerprint)
    except DataError as error:
        print(error.code, str(error).splitlines()[0])
"""


def run(endpoint: str, home: Path, *sources: str) -> list[str]:
    """Load sources in a process that believes that `endpoint` is the Hub."""
    settings = {"HF_ENDPOINT": endpoint, "HF_HOME": str(home), "HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1"}
    root = str(Path(__file__).resolve().parents[2])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *sources],
        env={**os.environ, **settings, "HF_HUB_DISABLE_TELEMETRY": "1", "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_archive_of_the_pinned_revision_is_downloaded_once(
    pairs: Any, tmp_path: Path, hub: tuple[str, type[Hub]]
) -> None:
    endpoint, handler = hub
    subsets.write(tmp_path / "release", pairs["specgap"])
    subprocess.run(["tar", "-czf", tmp_path / "specgap.tar.gz", "specgap"], cwd=tmp_path / "release", check=True)
    path = f"/datasets/ZhaoHongKang/AgentMonBench/resolve/{REVISION}"
    handler.files[f"{path}/specgap.tar.gz"] = (tmp_path / "specgap.tar.gz").read_bytes()
    handler.files[f"{path}/samples.json"] = b'{"specgap": ["sg_002"], "silentswap": [], "feedbacktrace": []}'
    fingerprint = subsets.load("specgap", tmp_path / "release", ids=["sg_002"]).fingerprint
    expected = f"{subsets.RELEASE} ('sg_002',) 1 {fingerprint}"  # one note: sg_001 is not listed
    assert run(endpoint, tmp_path / "home", "hub:") == [expected]
    asked = len(handler.asked)
    assert run(endpoint, tmp_path / "home", subsets.RELEASE, "hub:ZhaoHongKang/AgentMonBench") == [expected] * 2
    assert len(handler.asked) == asked


def test_what_the_hub_does_not_have_is_refused(tmp_path: Path, hub: tuple[str, type[Hub]]) -> None:
    endpoint, _ = hub
    assert run(endpoint, tmp_path / "home", "hub:some/one@main") == [
        "hub_refused some/one@main has no specgap.tar.gz",
    ]


def test_a_hub_that_does_not_answer_is_not_waited_for(tmp_path: Path) -> None:
    # Port 9 (discard) of loopback: nothing listens there, and the connection is refused at once.
    (line,) = run("http://127.0.0.1:9", tmp_path / "home", "hub:")
    assert line.startswith("hub_unreachable the Hub cannot be reached (")
