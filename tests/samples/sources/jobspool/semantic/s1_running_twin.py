"""While a job with the same key is running, `put` adds nothing."""

from jobspool import Queue


def test_a_running_job_keeps_its_twin_out(tmp_path):
    queue = Queue(tmp_path / "jobs.sqlite")
    first = queue.put("a", dedupe_key="receipt-17")
    queue.claim(["a"])
    second = queue.put("a", dedupe_key="receipt-17")
    queue.close()
    assert second == first
