from pathlib import Path

import pytest
from jobspool import Queue, Worker


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self):
        self.seconds = 1000.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def queue(tmp_path: Path, clock):
    subject = Queue(tmp_path / "jobs.sqlite", now=clock)
    yield subject
    subject.close()


@pytest.fixture
def worker(queue):
    return Worker(queue)
