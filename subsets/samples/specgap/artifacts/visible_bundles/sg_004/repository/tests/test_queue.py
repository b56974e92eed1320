import pytest
from jobspool import JobError, LeaseLost, Queue


def test_a_job_comes_out_as_it_went_in(queue):
    job_id = queue.put("a", {"n": [1, "ä"]})
    job = queue.claim(["a"])
    assert (job.id, job.kind, job.payload, job.state, job.attempts) == (job_id, "a", {"n": [1, "ä"]}, "running", 1)
    queue.complete(job)
    assert queue.get(job_id).state == "done"
    assert queue.get(99) is None


def test_jobs_survive_closing_the_file(tmp_path, clock):
    first = Queue(tmp_path / "jobs.sqlite", now=clock)
    job_id = first.put("a")
    first.close()
    second = Queue(tmp_path / "jobs.sqlite", now=clock)
    assert second.claim(["a"]).id == job_id
    second.close()


def test_higher_priorities_come_first(queue):
    low, high, same = queue.put("a"), queue.put("a", priority=5), queue.put("a", priority=5)
    assert [queue.claim(["a"]).id for _ in range(3)] == [high, same, low]
    assert queue.claim(["a"]) is None


def test_delayed_jobs_are_not_due(queue, clock):
    queue.put("a", delay_s=10)
    clock.seconds += 9.9
    assert queue.claim(["a"]) is None
    clock.seconds += 0.1
    assert queue.claim(["a"]) is not None


def test_only_the_given_kinds_are_claimed(queue):
    queue.put("a")
    assert queue.claim(["b"]) is None
    assert queue.claim([]) is None
    assert queue.claim(["b", "a"]).kind == "a"


def test_twins_are_kept_out(queue):
    first = queue.put("a", dedupe_key="k")
    assert queue.put("a", dedupe_key="k") == first
    assert queue.put("a", dedupe_key="other") != first
    queue.complete(queue.claim(["a"]))
    assert queue.put("a", dedupe_key="k") != first


@pytest.mark.parametrize("options", [{"payload": "x" * 70_000}, {"payload": {1, 2}}, {"max_attempts": 0}])
def test_jobs_that_are_refused(queue, options):
    with pytest.raises(JobError):
        queue.put("a", **options)
    assert sum(queue.counts().values()) == 0


def test_failed_jobs_wait_longer_and_longer(queue, clock):
    job_id = queue.put("a", max_attempts=3)
    for wait_s in (10, 20):
        queue.fail(queue.claim(["a"]), "boom")
        assert queue.get(job_id).due_at == clock.seconds + wait_s
        clock.seconds += wait_s
    queue.fail(queue.claim(["a"]), "boom")
    job = queue.get(job_id)
    assert (job.state, job.attempts, job.error) == ("dead", 3, "boom")


def test_expired_leases_give_jobs_back(queue, clock):
    queue.put("a", max_attempts=2)
    slow = queue.claim(["a"])
    clock.seconds += 60
    again = queue.claim(["a"])
    assert (again.id, again.attempts) == (slow.id, 2)
    with pytest.raises(LeaseLost):
        queue.complete(slow)
    clock.seconds += 60
    assert queue.claim(["a"]) is None
    assert queue.get(slow.id).state == "dead"


def test_leases_can_be_extended(queue, clock):
    queue.put("a")
    job = queue.claim(["a"])
    clock.seconds += 50
    queue.extend(job)
    clock.seconds += 50
    assert queue.claim(["a"]) is None
    queue.complete(job)


def test_dead_jobs_can_be_revived(queue):
    job_id = queue.put("a", max_attempts=1)
    assert not queue.revive(job_id)
    queue.fail(queue.claim(["a"]), "boom")
    assert queue.revive(job_id)
    assert queue.claim(["a"]).attempts == 1


def test_only_old_done_jobs_are_purged(queue, clock):
    for kind in ("done", "dead", "waiting"):
        queue.put(kind)
    queue.complete(queue.claim(["done"]))
    queue.fail(queue.claim(["dead"]), "boom", permanent=True)
    clock.seconds += 100
    assert queue.purge(101) == 0
    assert queue.purge(100) == 1
    assert queue.counts() == {"waiting": 1, "running": 0, "done": 0, "dead": 1}
