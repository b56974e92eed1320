"""One id as text within a budget: what is admitted, what is cut, and what is left for later (specification part 5.8).

Seeds come first, best first; then their neighbours as far as they fit; the text is in reading order all the same. A
seed too large for the page is sliced by its behaviors, then cut: something is always shown. A seed that finds no room
any more still shows its signature.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ebg.model import RepositoryGraph, Scope, ScopeId
from ebg.view._page import Page, size
from ebg.view._plan import Block, Planner
from ebg.view._rendering import Printed, Renderer, describe_ranges

__all__ = ["UnitWriter"]

_MAX_OUTLINE = 30
# What is left of a file after its seeds and neighbours is shown at once up to this size, about 85 lines.
_REMAINDER_TOKENS = 1_024
_MAX_LEFT_OUT = 10


class UnitWriter:
    """Writes the units of one graph."""

    def __init__(
        self,
        graph: RepositoryGraph,
        planner: Planner,
        renderer: Renderer,
        scope_ids: Mapping[str, Mapping[str, str]],
    ) -> None:
        self._graph = graph
        self._planner = planner
        self._renderer = renderer
        self._scope_ids = scope_ids

    def write(self, page: Page, read_id: str, path: str, scope: ScopeId | None) -> bool:
        """Write one unit and return whether it is complete.

        Args:
            page: where to write; its room is the budget.
            read_id: the id as it was asked for.
            path: file of the id.
            scope: scope of the id; None for a file.
        """
        file = self._graph.files[path]
        about = f"{len(file.lines)} lines" + (f"; {file.note}" if file.note else "")
        page.add(f"# {read_id} {path} ({about})\n")
        plan = self._planner.file(path) if scope is None else self._planner.scope(scope)
        if scope is None and not self._has_news(page, plan):
            plan = self._planner.rest(path)
        if not self._has_news(page, plan):
            page.add("All of it was shown above.\n" if file.text.strip() else "(empty)\n")
            return True
        reserve = 0 if scope is not None else min(page.room // 8, _MAX_OUTLINE * 40)
        left_out = self._write_plan(page, plan, path, reserve=reserve)
        if left_out:
            self._write_left_out(page, left_out)
        if scope is None and not self._planner.is_plain(path):
            remainder = None if left_out else self._planner.remainder(path, plan)
            if remainder is None or not self._write_remainder(page, remainder):
                self._write_outline(page, path)
        return not left_out

    def _write_remainder(self, page: Page, block: Block) -> bool:
        """Write what is left of a file when that is little; another read would cost more than it."""
        if not self._has_news(page, [block]):
            return False
        printed = self._render(page, block, block.path)
        fits = size(printed.text) <= min(page.room, _REMAINDER_TOKENS * 3)
        if fits:
            page.add(printed.text, block.path, printed.lines)
        return fits

    def _has_news(self, page: Page, plan: Sequence[Block]) -> bool:
        return any(
            not page.seen(block.path, line) and self._text(block.path, line) for block in plan for line in block.lines
        )

    def _text(self, path: str, line: int) -> str:
        return self._graph.files[path].lines[line - 1].strip()

    # --- admission -------------------------------------------------------------------------------------------------

    def _write_plan(self, page: Page, plan: Sequence[Block], path: str, *, reserve: int) -> list[Block]:
        """Write what fits in reading order; return the blocks that were left out or cut."""
        admitted, left_out = self._admit(page, plan, path, page.room - reserve)
        roots = [block for block in plan if block.relation is None or block.seed is not None]
        # Nothing new among the roots: the reader came back for the rest, and was told the relations before.
        continued = not self._has_news(page, roots)
        labels: list[str | None] = []
        for block in admitted:
            printed = self._render(page, block, path)
            if not printed.lines and (continued or self._is_inside(page, block)):
                continue
            # The first line is shown whatever the budget, so that reading on always comes to an end.
            if page.lines and not page.fits(printed.text):
                left_out.append(block)
                continue
            labels.append(self._label(page, block))
            page.add(printed.text, block.path, printed.lines)
        # Ids of scopes that were shown in part come after those of which nothing was.
        page.later_ids += [label for label in labels if label is not None]
        return left_out

    def _admit(self, page: Page, plan: Sequence[Block], path: str, room: int) -> tuple[list[Block], list[Block]]:
        order = {seed.scope: place for place, seed in enumerate(self._planner.seeds(path))}

        def rank(place: int) -> tuple[bool, int, int]:
            seed = plan[place].seed
            is_neighbor = seed is None and plan[place].relation is not None
            return is_neighbor, order.get(seed.scope, 0) if seed is not None else 0, place

        chosen: dict[int, Block] = {}
        left_out = []
        for place in sorted(range(len(plan)), key=rank):
            block = plan[place]
            cost = size(self._render(page, block, path).text)
            if cost > room:
                left_out.append(block)
                reduced = self._reduce(page, block, path, room, first=not chosen)
                if reduced is None:
                    continue
                block, cost = reduced
            chosen[place] = block
            room -= cost
        return [chosen[place] for place in sorted(chosen)], left_out

    def _reduce(self, page: Page, block: Block, path: str, room: int, *, first: bool) -> tuple[Block, int] | None:
        """Return the part of a block that still fits: by behaviors, then by lines; a later seed by its signature."""
        if block.scope is None or block.seed is None:
            return self._cut(page, block, path, room) if first else None
        extents = self._planner.extents
        if not first:
            lines = tuple(line for line in extents.signature(block.scope) if line in set(block.lines))
            smaller = replace(block, lines=lines)
            cost = size(self._render(page, smaller, path).text)
            return (smaller, cost) if cost <= room else None
        sliced = replace(block, lines=extents.sliced(block.scope))
        if not self._has_news(page, [sliced]):  # the slice was shown before: go on with the whole
            sliced = block
        cost = size(self._render(page, sliced, path).text)
        return (sliced, cost) if cost <= room else self._cut(page, sliced, path, room)

    def _cut(self, page: Page, block: Block, path: str, room: int) -> tuple[Block, int]:
        """Return the first lines of a block that fit, at least one."""
        news = [line for line in block.lines if not page.seen(block.path, line) and self._text(block.path, line)]
        spent = size(self._render(page, replace(block, lines=tuple(news[:1])), path).text)
        count = 1
        for line in news[1:]:
            spent += size(self._renderer.lines(block.path, [line])) + len("... 1000000-1000000 shown above\n")
            if spent > room:
                break
            count += 1
        shorter = replace(block, lines=tuple(news[:count]))
        return shorter, size(self._render(page, shorter, path).text)

    # --- text ------------------------------------------------------------------------------------------------------

    def _render(self, page: Page, block: Block, path: str) -> Printed:
        return self._renderer.block(block, lambda line: page.seen(block.path, line), path, self._label(page, block))

    def _label(self, page: Page, block: Block) -> str | None:
        """Return the id of a seed of which a read of its own would show more; of a class its members have their own."""
        if block.scope is None or block.seed is None or block.scope.kind in {"class", "module"}:
            return None
        whole = replace(block, lines=self._planner.extents.whole(block.scope))
        wanted = set(block.lines)
        more = replace(whole, lines=tuple(line for line in whole.lines if line not in wanted))
        return self._scope_ids[block.path][block.scope.symbol] if self._has_news(page, [more]) else None

    def _is_inside(self, page: Page, block: Block) -> bool:
        """Return whether a block without a relation was printed on this page as a part of another one."""
        here = page.lines.get(block.path, set())
        return block.relation is None and any(line in here for line in block.lines)

    def _write_left_out(self, page: Page, blocks: Sequence[Block]) -> None:
        ids = {
            self._scope_ids[block.path][block.scope.symbol]: str(block.scope.id)
            for block in blocks
            if block.scope is not None
        }
        if ids:
            self._write_list(page, "Left out or cut for room", list(ids.items()), _MAX_LEFT_OUT)

    def _write_outline(self, page: Page, path: str) -> None:
        """Name the scopes of the file of which more can be read, those that share most words with Q first."""
        named = set(page.later_ids)
        ids = self._scope_ids[path]
        scopes = [
            scope
            for scope in self._graph.scopes_of_file[path]
            if ids[scope.symbol] not in named and self._is_read_by_itself(scope) and self._has_more(page, scope)
        ]
        scopes.sort(key=lambda scope: (-self._planner.overlap(scope), scope.spans[0][0], scope.symbol))
        rows = [(ids[scope.symbol], f"{scope.symbol}@{describe_ranges(_span(scope))}") for scope in scopes]
        if rows:
            self._write_list(page, f"More of {path}", rows, _MAX_OUTLINE)

    def _has_more(self, page: Page, scope: Scope) -> bool:
        extents = self._planner.extents
        lines = extents.statements(scope) if scope.kind == "module" else extents.own(scope)
        return self._has_news(page, [Block(scope.path, scope, lines)])

    def _is_read_by_itself(self, scope: Scope) -> bool:
        """A function comes with what is nested in it; a small class with its members, a larger one by its members."""
        is_small = self._planner.extents.is_small_class
        owner = self._graph.scopes.get(ScopeId(scope.path, scope.symbol.rpartition(".")[0]))
        if owner is not None:
            return owner.kind == "class" and not is_small(owner) and (scope.kind != "class" or is_small(scope))
        return scope.kind not in {"class", "file"} or is_small(scope)

    def _write_list(self, page: Page, title: str, rows: Sequence[tuple[str, str]], limit: int) -> None:
        shown = rows[:limit]
        more = f", and {len(rows) - limit} more" if len(rows) > limit else ""
        text = f"{title}: {', '.join(f'{read_id} {name}' for read_id, name in shown)}{more}\n"
        if page.fits(text):
            page.add(text, ids=[read_id for read_id, _ in shown])


def _span(scope: Scope) -> Iterable[int]:
    start, end = scope.spans[0]
    return range(start, end + 1)
