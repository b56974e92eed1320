import pytest
from jobspool import Backoff, Permanent, Retry


def test_jobs_reach_their_handlers(queue, worker):
    seen = []
    worker.handles("a")(lambda payload: seen.append(("a", payload)))
    worker.handles("b")(lambda payload: seen.append(("b", payload)))
    queue.put("b", 1)
    queue.put("a", 2)
    queue.put("c", 3)
    assert worker.run() == 2
    assert seen == [("b", 1), ("a", 2)]
    assert queue.counts() == {"waiting": 1, "running": 0, "done": 2, "dead": 0}


def test_a_limit_ends_the_run(queue, worker):
    worker.handles("a")(print)
    queue.put("a")
    queue.put("a")
    assert worker.run(limit=1) == 1
    assert queue.counts()["waiting"] == 1


def test_one_handler_for_each_kind(worker):
    worker.handles("a")(print)
    with pytest.raises(ValueError, match="two handlers"):
        worker.handles("a")


@pytest.mark.parametrize(
    ("raised", "state", "wait_s"),
    [(Permanent("no"), "dead", 0), (Retry("later", after_s=5), "waiting", 5), (OSError("net"), "waiting", 10)],
)
def test_failures(queue, worker, clock, raised, state, wait_s):
    @worker.handles("a")
    def handler(payload):
        raise raised

    job_id = queue.put("a")
    assert worker.run() == 1
    job = queue.get(job_id)
    assert (job.state, job.due_at) == (state, clock.seconds + wait_s)
    assert str(raised) in job.error


def test_a_stopped_worker_gives_its_job_back(queue, worker):
    @worker.handles("a")
    def handler(payload):
        raise KeyboardInterrupt

    job_id = queue.put("a")
    with pytest.raises(KeyboardInterrupt):
        worker.run()
    assert queue.get(job_id).state == "waiting"


def test_a_slow_worker_goes_on(queue, worker, clock, caplog):
    @worker.handles("a")
    def handler(payload):
        if payload == "slow":
            clock.seconds += 61
            assert queue.claim(["a"]).attempts == 2

    queue.put("a", "slow")
    quick = queue.put("a", "quick", delay_s=30)
    assert worker.run() == 2
    assert "job 1 is no longer leased" in caplog.text
    assert queue.get(quick).state == "done"


def test_backoff():
    backoff = Backoff(first_s=1, factor=3, ceiling_s=20)
    assert [backoff.delay(attempts) for attempts in (1, 2, 3, 4)] == [1, 3, 9, 20]
