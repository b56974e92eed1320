"""A persistent job queue in one SQLite file, with leases, retries and backoff."""

from jobspool.backoff import Backoff
from jobspool.errors import JobError, LeaseLost, Permanent, Retry
from jobspool.job import Job
from jobspool.queue import Queue
from jobspool.worker import Worker

__all__ = ["Backoff", "Job", "JobError", "LeaseLost", "Permanent", "Queue", "Retry", "Worker"]
