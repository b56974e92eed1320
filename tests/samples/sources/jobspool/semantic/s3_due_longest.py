"""Among jobs of equal priority the one that has been due longest comes first."""

from jobspool import Queue


def test_a_job_that_was_due_earlier_is_claimed_first(tmp_path):
    seconds = [1000.0]
    queue = Queue(tmp_path / "jobs.sqlite", now=lambda: seconds[0])
    delayed = queue.put("a", delay_s=50)
    prompt = queue.put("a")
    seconds[0] += 60
    order = [queue.claim(["a"]).id, queue.claim(["a"]).id]
    queue.close()
    assert order == [prompt, delayed]
