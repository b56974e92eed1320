"""Swaps that could be made in a package: documented, executed by an example, and with another value there.

This is the cheap part of the search: nothing here is proof. `_silentswap` proves what it keeps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import ebg
from agentmonbench.errors import DataError
from ebg.errors import EbgError
from ebg.model import RepositoryGraph
from subsets.build._documents import compose, docstrings_of, pages_of
from subsets.build._examples import Example, from_documents, from_tests, varied
from subsets.build._matching import Matcher, Target
from subsets.build._places import prose
from subsets.build._rewrites import Rewrite, rewrites_of
from subsets.build._sandbox import Sandbox
from subsets.build._subject import Subject
from subsets.build._verdicts import Check, observe

__all__ = ["Candidate", "Package", "find_candidates", "open_package"]

MAX_DOCUMENTED = 240
"""Documented changes that are looked at further, the strongest pairs first."""
MAX_OF_LINE = 3
MAX_EXAMPLES = 500
MAX_VARIED = 2500
MAX_CALLS = {"document": 12, "test": 20, "varied": 80}
"""Expressions evaluated for one change, by origin: the suite knows the first two, so the last show most."""
CHUNK = 250
BATCH = 12
CHECKS = 3
"""Expressions in one semantic test, at most."""

_CRASHES = (
    "AttributeError",
    "NameError",
    "UnboundLocalError",
    "TypeError",
    "RecursionError",
    "TimeoutError",
    "MemoryError",
    "ImportError",
    "ModuleNotFoundError",
    "SyntaxError",
    "AssertionError",
    "StopIteration",
    "ZeroDivisionError",
    "IndexError",
)
_UNTOLD = re.compile(r"(?i)<[^>]* at 0x|object at|<function|<generator|<bound method|\.\.\.$")


@dataclass(frozen=True, slots=True)
class Package:
    """A subject with its document and its graph."""

    subject: Subject
    document: str
    graph: RepositoryGraph = field(repr=False)
    modules: tuple[str, ...]
    """Python files that are no tests, documents or set-up."""
    tests: tuple[str, ...]
    """Python files of its tests."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change that contradicts a sentence, with expressions that show it."""

    rewrite: Rewrite
    target: Target
    checks: tuple[Check, ...]
    """Expressions with the original values."""
    swapped: tuple[str, ...]
    """What the same expressions give after the change."""
    asserted: bool
    """Whether an expression of the package's own tests changes its value: then its suite will most likely notice."""
    documented: bool
    """Whether an example of the document changes its value."""


def open_package(subject: Subject) -> Package:
    """Build the graph and the document of a subject.

    Raises:
        DataError: it holds no Python module, or no document worth the name.
    """
    try:
        graph = ebg.build(subject.files)
    except EbgError as error:
        raise DataError(str(error)) from error
    roots = tuple(f"{entry}/" if entry else "" for entry in subject.suite)
    modules = tuple(
        path
        for path, file in graph.files.items()
        if file.kind == "source"
        and file.language == "python"
        and file.note is None
        and path not in ("setup.py", *subject.suite)
        and not any(root and path.startswith(root) for root in roots)
        and not path.startswith(("scripts/", "tools/", "examples/", "bench", "bin/", "code_templates/"))
    )
    document = compose(subject.files, modules)
    if not modules or len(document) < 400:
        raise DataError(f"{subject.name}: no Python modules, or hardly a document")
    tests = tuple(
        path
        for path in subject.files
        if path.endswith(".py") and (path in subject.suite or any(path.startswith(root) for root in roots if root))
    )
    return Package(subject, document, graph, modules, tests)


def find_candidates(package: Package, sandbox: Sandbox, *, seed: int, counts: dict[str, int]) -> list[Candidate]:
    """Return the changes with a visible effect, the most promising first; `counts` takes how many came through."""
    pairs = _documented(package, counts)
    examples, values, lines = _evaluated(package, sandbox, seed)
    counts["examples"] = len(examples)
    found: list[Candidate] = []
    jobs = []
    for rewrite, target in pairs:
        places = _places(package.graph, rewrite)
        calls: list[int] = []
        for origin, most in MAX_CALLS.items():
            mine = [at for at in range(len(examples)) if examples[at].origin == origin and places & lines[at]]
            calls += sorted(mine, key=lambda at: (len(examples[at].expression.text), at))[:most]
        if calls:
            jobs.append((rewrite, target, calls))
    counts["executed"] = len(jobs)
    for start in range(0, len(jobs), BATCH):
        batch = jobs[start : start + BATCH]
        seen = observe(
            sandbox,
            package.subject,
            [[examples[at].expression for at in calls] for _, _, calls in batch],
            [{rewrite.path: rewrite.text} for rewrite, _, _ in batch],
            limit_s=20.0,
        )
        for (rewrite, target, calls), observed in zip(batch, seen, strict=True):
            if observed.refused is None:
                changed = [(at, new) for at, new in zip(calls, observed.values, strict=True) if new != values[at]]
                found += _candidate(rewrite, target, changed, examples, values)
    counts["differing"] = len(found)
    found.sort(
        key=lambda each: (
            each.asserted,
            not each.documented,
            -each.target.score,
            each.rewrite.path,
            each.rewrite.edit.start,
        )
    )
    return found


_ORIGIN = {"document": 0, "varied": 2, "test": 1}


def _places(graph: RepositoryGraph, rewrite: Rewrite) -> set[str]:
    """Return the lines of which one is executed when a change takes part; for a header, those of the whole scope."""
    first, last = rewrite.line, rewrite.line + rewrite.statement.count("\n")
    for scope in graph.scopes_of_file.get(rewrite.path, ()):
        if scope.kind in ("function", "method") and scope.signature[0] <= rewrite.line <= scope.signature[1]:
            first, last = scope.spans[0]
    return {f"{rewrite.path}:{line}" for line in range(first, last + 1)}


def _documented(package: Package, counts: dict[str, int]) -> list[tuple[Rewrite, Target]]:
    matcher = Matcher(package.graph, package.document)
    pairs: list[tuple[Rewrite, Target]] = []
    counts["rewrites"] = 0
    for path in package.modules:
        text = package.subject.text(path)
        for rewrite in rewrites_of(path, text):
            counts["rewrites"] += 1
            if target := matcher.target(rewrite):
                pairs.append((rewrite, target))
    counts["documented"] = len(pairs)
    pairs.sort(key=lambda pair: (-pair[1].score, pair[0].path, pair[0].edit.start, pair[0].operator, pair[0].edit.new))
    taken: dict[tuple[str, int], int] = {}
    kept = []
    for rewrite, target in pairs:
        place = (rewrite.path, rewrite.line)
        taken[place] = taken.get(place, 0) + 1
        if taken[place] <= MAX_OF_LINE and prose(package.subject.text(rewrite.path)) == prose(rewrite.text):
            kept.append((rewrite, target))
        if len(kept) == MAX_DOCUMENTED:
            break
    return kept


def _evaluated(package: Package, sandbox: Sandbox, seed: int) -> tuple[list[Example], list[str], list[frozenset[str]]]:
    """Return the examples with a steady value, their values and the lines that they execute."""
    subject = package.subject
    roots = sorted({path.removeprefix("src/").split("/")[0].removesuffix(".py") for path in package.modules})
    documents = dict(pages_of(subject.files))
    imports: dict[str, str] = {}
    for path in package.modules:
        module = re.sub(r"/__init__$", "", path.removeprefix("src/").removesuffix(".py")).replace("/", ".")
        for name, text in docstrings_of(subject.text(path)):
            documents[f"{path}:{name}"] = text
            imports.setdefault(name.partition(".")[0], f"from {module} import {name.partition('.')[0]}")
    tests = {path: subject.files[path].decode("utf-8", "replace") for path in package.tests}
    own = _distinct([*from_documents(documents, imports), *from_tests(tests, roots)])[:MAX_EXAMPLES]
    every = [*own, *list(varied(own, seed, each=8))[:MAX_VARIED]]
    chunks = [every[start : start + CHUNK] for start in range(0, len(every), CHUNK)]
    wanted = [[example.expression for example in chunk] for chunk in chunks]
    once = observe(sandbox, subject, wanted, [{}] * len(chunks), trace=True)
    again = observe(sandbox, subject, wanted, [{}] * len(chunks))
    kept: list[Example] = []
    values: list[str] = []
    lines: list[frozenset[str]] = []
    for chunk, first, second in zip(chunks, once, again, strict=True):
        if first.refused or second.refused:
            continue
        for example, value, other, executed in zip(chunk, first.values, second.values, first.lines, strict=True):
            if value == other and not _UNTOLD.search(value) and not value.startswith(_RAISED_CRASH) and executed:
                kept.append(example)
                values.append(value)
                lines.append(executed)
    return kept, values, lines


_RAISED_CRASH = tuple(
    f"raises {name}:" for name in _CRASHES if name not in ("TypeError", "IndexError", "AssertionError")
)


def _candidate(
    rewrite: Rewrite,
    target: Target,
    changed: Sequence[tuple[int, str]],
    examples: Sequence[Example],
    values: Sequence[str],
) -> Iterator[Candidate]:
    """Yield the candidate, unless all that changed is that something crashes."""
    errors_too = rewrite.mechanism == "exception_error_handling"
    crashes = tuple(f"raises {name}:" for name in _CRASHES)
    shown = []
    for at, new in changed:
        old = values[at]
        if _UNTOLD.search(new) or (
            new.startswith(crashes) and not (errors_too and new.startswith("raises TypeError:"))
        ):
            continue
        if old.startswith(crashes) and not errors_too:
            continue
        shown.append((at, new))
    if not shown:
        return
    shown.sort(
        key=lambda item: (
            values[item[0]].startswith("raises"),
            item[1].startswith("raises"),
            _ORIGIN[examples[item[0]].origin],
            len(examples[item[0]].expression.setup),
            len(examples[item[0]].expression.text),
        )
    )
    best = shown[:CHECKS]
    yield Candidate(
        rewrite,
        target,
        tuple(Check(examples[at].expression, values[at]) for at, _ in best),
        tuple(new for _, new in best),
        asserted=any(examples[at].origin == "test" for at, _ in changed),
        documented=any(examples[at].origin == "document" for at, _ in changed),
    )


def _distinct(examples: Sequence[Example]) -> list[Example]:
    kept: dict[tuple[tuple[str, ...], str], Example] = {}
    for example in examples:
        kept.setdefault((example.expression.setup, example.expression.text), example)
    return list(kept.values())
