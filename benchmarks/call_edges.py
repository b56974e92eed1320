"""Truth of call edges (reliability figure 5): 500 sampled calls and 500 sampled edges judged by jedi and by hand.

    python -m benchmarks.call_edges [PACKAGE_FOLDER...] [--sample 500] [--seed 1] [--labels FILE] [--show]

Without folders it takes five packages that are installed for development: click, httpx, jinja2, requests and rich.

precision   Edges are sampled from the graphs. One is right if jedi, asked about every name on the lines of one of its
            supports, finds the target (for a class also its constructor). What jedi does not find (it follows no
            decorators into wrappers, no protocols, no property reads as calls) needs a verdict by hand in the file of
            labels: "edge" -> true or false. Edges without either are printed and counted apart.
recall      Calls are sampled from the source. Among those that jedi resolves to one function or class of the package,
            how many have an edge to it from the scope around, supported by a line of the call.
unresolved  How many calls the graphs list as ambiguous instead of guessing.
invented    Edges of a small repository full of equal names (`_same_names`) that its marks do not name. The bar is 0.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import ebg
from benchmarks._same_names import FILES
from benchmarks.call_graphs import sources
from ebg.model import Relation, RepositoryGraph, ScopeId

PACKAGES = ("click", "httpx", "jinja2", "requests", "rich")
_MAKERS = ("__init__", "__new__", "__post_init__")
LABELS = Path(__file__).with_name("call_edges_labels.json")


class Site(NamedTuple):
    """A call in the source."""

    path: str
    first_line: int
    last_line: int
    name_line: int
    name_column: int
    name: str


class Tree(NamedTuple):
    """A package, its graph, and who answers for it."""

    root: Path
    name: str
    graph: RepositoryGraph
    oracle: Oracle


class Oracle:
    """Answers of jedi about names, as scopes of the package."""

    def __init__(self, root: Path, graph: RepositoryGraph) -> None:
        import jedi

        self._jedi = jedi
        self._root = root
        self._graph = graph
        self._project = jedi.Project(root, sys_path=[str(root)], smart_sys_path=False)
        self._scripts: dict[str, jedi.Script] = {}
        self._by_line = {
            (scope.path, line): scope.id
            for scope in graph.scopes.values()
            for first, last in scope.spans
            for line in range(first, min(last, first + scope.signature[1] - scope.signature[0]) + 1)
            if scope.kind != "module"
        }

    def scopes(self, path: str, line: int, column: int) -> set[ScopeId]:
        """Return the scopes of the package that a name may mean; empty if jedi finds none there."""
        if path not in self._scripts:
            self._scripts[path] = self._jedi.Script(path=self._root / path, project=self._project)
        script = self._scripts[path]
        found: set[ScopeId] = set()
        for ask in (script.goto, script.infer):
            try:
                names = ask(line, column, follow_imports=True) if ask == script.goto else ask(line, column)
            except Exception:  # noqa: BLE001  # jedi raises many kinds of errors of its own on valid code
                continue
            for name in names:
                if name.module_path is None or name.line is None or name.type not in ("function", "class", "property"):
                    continue
                try:
                    place = name.module_path.relative_to(self._root).as_posix()
                except ValueError:
                    continue
                scope = self._by_line.get((place, name.line))
                if scope is not None:
                    found.add(scope)
        return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.call_edges", description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="PACKAGE_FOLDER")
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--labels", type=Path, default=LABELS)
    parser.add_argument("--show", action="store_true", help="print what is wrong, missed or not judged")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    labels = json.loads(arguments.labels.read_text()) if arguments.labels.exists() else {}
    trees = [_tree(folder) for folder in arguments.folders or _installed()]
    share = arguments.sample // len(trees)
    precise = [verdict for tree in trees for verdict in _judge_edges(tree, share, chance, labels)]
    found = [verdict for tree in trees for verdict in _judge_calls(tree, share, chance)]
    if arguments.show:
        for text, verdict in precise:
            if verdict not in ("jedi", "hand: right"):
                print(f"{verdict:12} {text}")
        for text, is_found in found:
            if not is_found:
                print(f"{'missed':12} {text}")
    counts = {kind: sum(verdict == kind for _, verdict in precise) for kind in _KINDS}
    right, wrong = counts["jedi"] + counts["hand: right"], counts["hand: wrong"]
    print(f"packages    {', '.join(tree.name for tree in trees)}")
    print(f"edges       {len(precise)} sampled: " + ", ".join(f"{kind} {count}" for kind, count in counts.items()))
    print(f"precision   {_ratio(right, right + wrong)}  (bar 0.970)")
    hits = sum(is_found for _, is_found in found)
    print(f"recall      {_ratio(hits, len(found))} of the calls that jedi resolves, of {arguments.sample} sampled")
    print(f"unresolved  {sum(len(tree.graph.unresolved) for tree in trees)} ambiguous calls listed")
    invented = _same_names()
    return 0 if invented == 0 and right >= 0.97 * (right + wrong) else 1


_KINDS = ("jedi", "hand: right", "hand: wrong", "not judged")


def _ratio(part: int, whole: int) -> str:
    return f"{part / whole:.3f} ({part} of {whole})" if whole else "- (0 of 0)"


def _installed() -> list[Path]:
    folders = []
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is None or not spec.submodule_search_locations:
            raise SystemExit(f"{name} is not installed; install the development dependencies or name folders")
        folders.append(Path(spec.submodule_search_locations[0]))
    return folders


def _tree(folder: Path) -> Tree:
    root = folder.resolve().parent
    graph = ebg.build(sources(folder.resolve(), root), include=["**"])
    return Tree(root, folder.name, graph, Oracle(root, graph))


# -- precision --------------------------------------------------------------------------------------------------------


def _judge_edges(tree: Tree, count: int, chance: random.Random, labels: dict[str, bool]) -> Iterator[tuple[str, str]]:
    """Yield (edge, verdict) of sampled edges."""
    calls = [row for row in tree.graph.relations if row.type == "calls"]
    for row in chance.sample(calls, min(count, len(calls))):
        lines = sorted({_place(tree.graph, item) for item in row.evidence})
        text = f"{row.source} -> {row.target} ({row.resolution}) at {lines[0][0]}:{lines[0][1]}"
        label = labels.get(f"{row.source} -> {row.target}")
        if any(_confirms(tree, row, *place) for place in lines):
            yield text, "jedi"
        else:
            yield text, "not judged" if label is None else "hand: right" if label else "hand: wrong"


def _place(graph: RepositoryGraph, identifier: str) -> tuple[str, int, int]:
    item = graph.evidence_by_id[identifier]
    return item.path, item.line_start, item.line_end


def _confirms(tree: Tree, row: Relation, path: str, first: int, last: int) -> bool:
    """Ask jedi about every name on some lines."""
    lines = tree.graph.files[path].lines
    wanted = _same_target(tree.graph, row.target)
    for number in range(first, last + 1):
        for match in re.finditer(r"[^\W\d]\w*", lines[number - 1]):
            if wanted & tree.oracle.scopes(path, number, match.start()):
                return True
    return False


def _same_target(graph: RepositoryGraph, target: ScopeId) -> set[ScopeId]:
    """Return the target and, if it is a constructor, the classes that have it: jedi answers with the class."""
    if target.symbol.rpartition(".")[2] not in _MAKERS:
        return {target}
    return {target} | {
        scope.id for scope in graph.scopes.values() if scope.kind == "class" and target in _accepted(graph, scope.id)
    }


def _header(graph: RepositoryGraph, identifier: ScopeId) -> str:
    first, last = graph.scopes[identifier].signature
    return "".join(graph.files[identifier.path].lines[first - 1 : last])


# -- recall -----------------------------------------------------------------------------------------------------------


def _judge_calls(tree: Tree, count: int, chance: random.Random) -> Iterator[tuple[str, bool]]:
    """Yield (call, whether the graph has its edge) of the sampled calls that jedi resolves to one thing."""
    sites = [site for path in tree.graph.files for site in _sites(tree.graph, path)]
    supported: dict[tuple[str, int], set[ScopeId]] = {}
    for row in tree.graph.relations:
        if row.type == "calls":
            for item in row.evidence:
                path, first, last = _place(tree.graph, item)
                for line in range(first, last + 1):
                    supported.setdefault((path, line), set()).add(row.target)
    for site in chance.sample(sites, min(count, len(sites))):
        wanted = tree.oracle.scopes(site.path, site.name_line, site.name_column)
        if len(wanted) != 1:
            continue
        (scope,) = wanted
        accepted = _accepted(tree.graph, scope)
        lines = range(site.first_line, site.last_line + 1)
        is_found = any(accepted & supported.get((site.path, line), set()) for line in lines)
        yield f"{site.path}:{site.name_line} {site.name}() means {scope}", is_found


def _sites(graph: RepositoryGraph, path: str) -> Iterator[Site]:
    try:
        tree = ast.parse(graph.files[path].text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            line, column = node.func.end_lineno, node.func.end_col_offset
            if line is None or column is None or node.end_lineno is None:
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            text = graph.files[path].lines[line - 1].encode()[:column].decode()
            yield Site(path, node.lineno, node.end_lineno, line, len(text) - len(name), name)


def _accepted(graph: RepositoryGraph, scope: ScopeId) -> set[ScopeId]:
    """Return what an edge may lead to when jedi says `scope`: for a class its constructor, its own or a base's."""
    found, todo = {scope}, [scope] if graph.scopes[scope].kind == "class" else []
    while todo:
        owner = todo.pop()
        makers = (ScopeId(owner.path, f"{owner.symbol}.{name}") for name in _MAKERS)
        found.update(item for item in makers if item in graph.scopes)
        bases = set(re.findall(r"\w+", _header(graph, owner).partition("(")[2]))
        for item in graph.scopes.values():
            if item.kind == "class" and item.symbol.rpartition(".")[2] in bases and item.id not in found:
                found.add(item.id)
                todo.append(item.id)
    return found


# -- equal names ------------------------------------------------------------------------------------------------------

_MARK = re.compile(r"#\s*->\s*(.+?)\s*$")


def _same_names() -> int:
    """Compare the graph of the repository of equal names with its marks, print, and return the invented edges."""
    graph = ebg.build({path: text.encode() for path, text in FILES.items()})
    expected: set[tuple[str, int, str]] = set()
    ambiguous: set[tuple[str, int]] = set()
    for path, text in FILES.items():
        for number, line in enumerate(text.splitlines(), 1):
            match = _MARK.search(line)
            if match is None or match[1] == "nothing":
                continue
            if match[1] == "several":
                ambiguous.add((path, number))
            else:
                expected.update((path, number, target.strip()) for target in match[1].split(","))
    predicted = {
        (path, line, f"{row.target.path.removesuffix('.py')}:{row.target.symbol}")
        for row in graph.relations
        if row.type == "calls"
        for path, line, _ in (_place(graph, item) for item in row.evidence)
    }
    listed = {(row.scope.path, row.line) for row in graph.unresolved}
    invented = sorted(predicted - expected)
    print(
        f"equal names {len(expected)} edges expected, {len(predicted & expected)} found, "
        f"{len(invented)} invented (bar 0), {len(ambiguous & listed)} of {len(ambiguous)} ambiguous calls listed"
    )
    for edge in invented:
        print(f"invented    {edge}")
    for edge in sorted(expected - predicted):
        print(f"missed      {edge}")
    return len(invented)


if __name__ == "__main__":
    raise SystemExit(main())
