"""The limit of the payload is measured in bytes of its UTF-8 form."""

import pytest
from jobspool import JobError, Queue


def test_umlauts_count_twice(tmp_path):
    queue = Queue(tmp_path / "jobs.sqlite")
    try:
        with pytest.raises(JobError):
            queue.put("a", "ü" * 40_000)
    finally:
        queue.close()
