"""`Retry(after_s=0)` means at once."""

from jobspool import Queue, Retry, Worker


def test_a_retry_without_wait_is_due_at_once(tmp_path):
    queue = Queue(tmp_path / "jobs.sqlite", now=lambda: 1000.0)
    worker = Worker(queue)

    @worker.handles("a")
    def handler(payload):
        raise Retry("again", after_s=0)

    job_id = queue.put("a")
    worker.run(limit=1)
    job = queue.get(job_id)
    queue.close()
    assert job.due_at == 1000.0
