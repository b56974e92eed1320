"""The method `ebg`: views of the evidence-grounded behavior graph (specification ebg-method.md, parts 5 and 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from agentmonbench import prompts
from agentmonbench.examples import Example
from agentmonbench.methods._protocol import DEFAULT_BUDGETS, Shown, ToolReply, Workspace
from agentmonbench.methods._repository import Recent, repository_of
from agentmonbench.methods._session import SessionWorkspace
from agentmonbench.methods._tables import unlisted
from ebg.model import RepositoryGraph
from ebg.trajectory import TrajectoryView, build_trajectory
from ebg.view import Budgets, RepositoryView

__all__ = ["EbgMethod"]

MAX_READ_IDS = 6
Order = Literal["sections", "cover"]


class EbgMethod:
    """Shows a repository as a ranked directory and graph views, and a session as its tasks and behaviors.

    The options are the paper's ablations and sensitivity settings (specification part 9). A method with other options
    than the defaults is another arm of a comparison and wants another name.

    Args:
        name: name in records and tables.
        behaviors: False is "w/o Behavior".
        relations: False is "w/o Graph".
        guidance: False is "w/o Guidance"; for repositories only.
        hops: reach of a scope's neighbourhood.
        max_neighbors: cap on the neighbours of a scope; None for no cap.
    """

    def __init__(
        self,
        *,
        name: str = "ebg",
        behaviors: bool = True,
        relations: bool = True,
        guidance: bool = True,
        hops: Literal[1, 2, 3] = 1,
        max_neighbors: int | None = None,
    ) -> None:
        self.name = name
        self._behaviors = behaviors
        self._relations = relations
        self._guidance = guidance
        self._hops: Literal[1, 2, 3] = hops
        self._max_neighbors = max_neighbors
        self._views: Recent[RepositoryView] = Recent()
        self._sessions: Recent[tuple[str, Sequence[str]]] = Recent()

    def supports(self, example: Example) -> bool:  # the contract asks with the example
        """Return True: both forms of input have a graph."""
        return True

    def open(self, example: Example, *, budgets: Budgets = DEFAULT_BUDGETS) -> Workspace:
        """Open one example."""
        if example.subset == "feedbacktrace":
            text, citable = self._sessions.get((example.id, example.events), lambda: self._session(example))
            return SessionWorkspace(input_note=prompts.text("input-ebg-session"), text=text, citable=citable)
        graph = repository_of(example)
        requirements = example.document.text if example.document else ""
        order: Order = "cover" if example.subset == "silentswap" else "sections"
        # A view is pure and holds its graph, so the graph's identity is a key as long as the view is kept.
        view = self._views.get(
            (id(graph), requirements, order, budgets), lambda: self._view(graph, requirements, order, budgets)
        )
        return _ViewWorkspace(view)

    def _session(self, example: Example) -> tuple[str, Sequence[str]]:
        graph = build_trajectory(example.events, input_id=example.id)
        view = TrajectoryView(graph, behaviors=self._behaviors, relations=self._relations)
        return view.render(), view.evidence_ids

    def _view(self, graph: RepositoryGraph, requirements: str, order: Order, budgets: Budgets) -> RepositoryView:
        return RepositoryView(
            graph,
            requirements,
            order=order,
            behaviors=self._behaviors,
            relations=self._relations,
            guidance=self._guidance,
            hops=self._hops,
            max_neighbors=self._max_neighbors,
            budgets=budgets,
        )


class _ViewWorkspace:
    max_read_ids = MAX_READ_IDS

    def __init__(self, view: RepositoryView) -> None:
        self.input_note = prompts.text("input-ebg")
        self.index_text = view.directory.text
        self.shown = Shown()
        self.files: Mapping[str, Sequence[str]] = {path: file.lines for path, file in view.graph.files.items()}
        self.leading_files: Sequence[str] = [entry.path for entry in view.directory.entries]
        self._view = view
        self._listed = {entry.read_id for entry in view.directory.entries}

    def search(self, query: str) -> ToolReply:
        """Find files and scopes."""
        reply = self._view.search(query)
        ids = tuple(hit.id for hit in reply.hits)
        self._listed.update(ids)
        return ToolReply(reply.text, ids=ids)

    def read(self, ids: Sequence[str]) -> ToolReply:
        """Show the views of files and scopes; no line is shown twice in a run."""
        error = unlisted(ids, self._listed)
        if error is not None:
            return error
        unit = self._view.read(ids, self.shown.lines)
        for path, lines in unit.lines.items():
            self.shown.lines.setdefault(path, set()).update(lines)
        self._listed.update(unit.ids)
        return ToolReply(unit.text, ids=unit.ids, deferred=unit.deferred)
