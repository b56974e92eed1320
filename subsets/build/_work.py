"""Works through sources: several at a time, written in their order, each remembered when it is finished."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import subsets
from agentmonbench.errors import DataError, SandboxError
from agentmonbench.examples import Example
from subsets.build._candidates import Package, open_package
from subsets.build._environment import install, requirements_of
from subsets.build._record import BuildLog, Outcome
from subsets.build._sandbox import Sandbox
from subsets.build._silentswap import build_examples
from subsets.build._sources import open_source, source_name
from subsets.build._specgap import build_gap
from subsets.build._swap_gold import construction_files, to_example

__all__ = ["Made", "build_silentswap", "build_specgap", "open_source_package", "work_through"]

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Made:
    """One finished example with what is kept beside it."""

    example: Example
    gold: Mapping[str, Any]
    files: Mapping[str, str]


def build_silentswap(
    sources: Sequence[str],
    folder: Path,
    *,
    count: int = 5,
    seed: int = 0,
    suite_limit_s: float = 120.0,
    jobs: int = 1,
    cache: Path | None = None,
    sandbox: Sandbox | None = None,
    say: Say = print,
) -> list[Outcome]:
    """Build SilentSwap examples into `folder` and return what came of each source, in order.

    What `folder` holds of an earlier call with the same count and seed is not built again.

    Args:
        sources: folders, git checkouts or `pypi:NAME==VERSION`.
        folder: gets the release layout, and `construction/` with tests, patches and the log.
        count: examples of one source, at most.
        seed: of what is drawn.
        suite_limit_s: a package whose own tests take longer is left alone.
        jobs: sources that are worked on at one time.
        cache: where downloads and requirements are kept, by default below `folder`.
        sandbox: where tests run.
        say: is told how it goes.

    Raises:
        UsageError: a source is no folder and no pinned distribution.
    """
    kept = cache or folder / "cache"
    where = sandbox or Sandbox()

    def make(source: str, counts: dict[str, int]) -> list[Made]:
        package = open_source_package(source, kept)
        found = build_examples(
            package, where, seed=seed, count=count, suite_limit_s=suite_limit_s, counts=counts, say=say
        )
        return [Made(*to_example(each, source), construction_files(each)) for each in found]

    return work_through(
        sources, folder, "silentswap", make, settings={"count": count, "seed": seed}, jobs=jobs, say=say
    )


def build_specgap(
    sources: Sequence[str],
    folder: Path,
    *,
    pages: Sequence[str] = (),
    minimum: int = 3,
    jobs: int = 1,
    cache: Path | None = None,
    say: Say = print,
) -> list[Outcome]:
    """Build SpecGAP examples into `folder`, one of each source, and return what came of each, in order.

    Nothing of a source is run or installed.

    Args:
        sources: folders, git checkouts or `pypi:NAME==VERSION`.
        folder: gets the release layout, and `construction/` with the log.
        pages: paths of the documents in the source; by default its README and documentation pages.
        minimum: conditions without which a source gives no example.
        jobs: sources that are worked on at one time.
        cache: where downloads are kept, by default below `folder`.
        say: is told how it goes.

    Raises:
        UsageError: a source is no folder and no pinned distribution.
    """
    kept = (cache or folder / "cache") / "sources"

    def make(source: str, counts: dict[str, int]) -> list[Made]:
        package = open_package(open_source(source, kept))
        return [Made(*build_gap(package, source, minimum=minimum, counts=counts, pages=pages), {})]

    settings = {"pages": list(pages), "minimum": minimum}
    return work_through(sources, folder, "specgap", make, settings=settings, jobs=jobs, say=say)


def open_source_package(source: str, cache: Path) -> Package:
    """Open a source with what its tests need.

    Raises:
        DataError: it cannot be had, has no tests, or hardly a document.
    """
    subject = open_source(source, cache / "sources")
    libraries = install(requirements_of(subject, source), subject.name, cache / "libraries")
    return open_package(replace(subject, libraries=libraries))


def work_through(
    sources: Sequence[str],
    folder: Path,
    kind: str,
    make: Callable[[str, dict[str, int]], list[Made]],
    *,
    settings: Mapping[str, Any],
    jobs: int,
    say: Say,
) -> list[Outcome]:
    """Call `make` for each source that is not done, write what it gives, and return what came of all of them."""
    for source in sources:
        source_name(source)  # a wrong word stops before any work
    log = BuildLog(folder, kind)
    done = log.done(settings)

    def one(source: str) -> tuple[Outcome, list[Made]]:
        if source in done:
            return done[source], []
        counts: dict[str, int] = {}
        started = time.monotonic()
        made: list[Made] = []
        reason = None
        try:
            made = make(source, counts)
        except DataError as error:
            reason = str(error)
        except SandboxError as error:
            raise SandboxError(f"{source}: {error}") from error
        if not made and reason is None:
            reason = "too few of its candidates came through"
        ids = tuple(each.example.id for each in made)
        return Outcome(source, settings, ids, counts, reason, round(time.monotonic() - started, 1)), made

    outcomes = []
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        try:
            for outcome, made in pool.map(one, dict.fromkeys(sources)):
                for each in made:
                    log.keep(each.example.id, each.files)
                    subsets.write(folder, [(each.example, each.gold)], overwrite=True)
                if outcome.source not in done:
                    log.add(outcome)
                    say(f"{outcome.source}: {_told(outcome)}")
                outcomes.append(outcome)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return outcomes


def _told(outcome: Outcome) -> str:
    counts = ", ".join(f"{name} {count}" for name, count in outcome.counts.items())
    made = f"{len(outcome.ids)} examples" if outcome.ids else f"none: {outcome.reason}"
    return f"{made} ({outcome.seconds:.0f} s; {counts})" if counts else f"{made} ({outcome.seconds:.0f} s)"
