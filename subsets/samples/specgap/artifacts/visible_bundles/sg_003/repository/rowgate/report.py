"""Reports for the people who have to correct the file."""

from collections.abc import Iterable
from dataclasses import dataclass

from rowgate.problems import Problem


@dataclass(frozen=True, slots=True)
class Group:
    """Problems of one kind in one column."""

    column: str
    kind: str
    count: int
    first_line: int


def summarize(problems: Iterable[Problem]) -> list[Group]:
    """Group problems, the largest group first."""
    lines: dict[tuple[str, str], list[int]] = {}
    for problem in problems:
        lines.setdefault((problem.column, problem.kind), []).append(problem.line)
    groups = [Group(*key, len(found), found[0]) for key, found in lines.items()]
    return sorted(groups, key=lambda group: (-group.count, group.column, group.kind))


def render(problems: Iterable[Problem], *, limit: int = 20) -> str:
    """Write problems as text: the groups, then the first `limit` problems one by one."""
    listed = list(problems)
    lines = [
        f"{group.count} x {group.column or '(row)'}: {group.kind}, first in line {group.first_line}"
        for group in summarize(listed)
    ]
    lines += [f"line {item.line}, {item.column or '(row)'}: {item.kind}: {item.detail}" for item in listed[:limit]]
    if len(listed) > limit:
        lines.append(f"... and {len(listed) - limit} more")
    return "\n".join(lines)
