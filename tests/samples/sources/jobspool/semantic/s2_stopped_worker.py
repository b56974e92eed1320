"""A worker that is stopped gives its job back without losing an attempt."""

import pytest
from jobspool import Queue, Worker


def test_stopping_costs_no_attempt(tmp_path):
    queue = Queue(tmp_path / "jobs.sqlite")
    worker = Worker(queue)

    @worker.handles("long")
    def handler(payload):
        raise KeyboardInterrupt

    job_id = queue.put("long", max_attempts=1)
    with pytest.raises(KeyboardInterrupt):
        worker.run()
    job = queue.get(job_id)
    queue.close()
    assert (job.state, job.attempts) == ("waiting", 0)
