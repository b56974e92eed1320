"""What Q says about the repository: which files and scopes it names, where, and how plainly.

There are no scores from a model and nothing is trained: a cue is a name of the graph that stands in Q (specification
parts 5.2 and 5.4, step 1). Ordinary words that happen to be names (`run`, `get`) are weak cues: they never make a file
"direct" (10.5, weakness 32), they only order files and scopes that are otherwise equal.

Q is read once and its names are looked up in tables, so the cost is that of one pass over the repository's text.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ebg.model import RepositoryGraph, Scope, ScopeId
from ebg.view._document import Mention, Requirements

__all__ = ["Cues", "ScopeCue", "module_parts"]

_WORD = re.compile(r"[^\W\d]\w*")
_CALL = re.compile(r"(?<!\w)([^\W\d]\w*+)\s*+\(")
_KEY = re.compile(r"\w[\w.-]*+")
_SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")
_MIN_WORD = 3
# A name that more files than this share says nothing about where to look (the reference wants exactly one file).
_MAX_FILES_OF_NAME = 3
# A bare name that more scopes share (`get()` of every class) names none of them plainly.
_MAX_SCOPES_OF_LEAF = 5


@dataclass(slots=True)
class ScopeCue:
    """How Q names a scope."""

    position: int
    """Offset of the first plain mention, else of the first weak one."""
    strong: bool
    """False when only ordinary words of prose match the name."""
    sections: set[int] = field(default_factory=set)
    """Orders of the sections with a plain mention."""
    exact_sections: set[int] = field(default_factory=set)
    """Those that name the exact symbol: qualified, or the bare name of a top-level symbol."""


def module_parts(path: str) -> tuple[str, ...]:
    """Return the dotted module name of a file as parts: no suffix, no leading `src` or `lib`, no `__init__`."""
    parts = path.rsplit(".", 1)[0].split("/") if "." in path.rsplit("/", 1)[-1] else path.split("/")
    if len(parts) > 1 and parts[0] in {"src", "lib"}:
        parts = parts[1:]
    return tuple(parts[:-1] if parts[-1] == "__init__" else parts)


class Cues:
    """The names that Q and a graph have in common."""

    def __init__(self, graph: RepositoryGraph, requirements: Requirements) -> None:
        self.requirements = requirements
        self.scopes: Mapping[ScopeId, ScopeCue] = self._match_scopes(graph)
        self._words_by_file, names_by_file = self._read_words(graph)
        self.names_by_file: Mapping[str, frozenset[str]] = _keep_rare(names_by_file)
        """Code-like names of Q (casefolded) that the file's text holds and at most two other files hold."""
        self.sections_by_file: Mapping[str, Mapping[int, int]] = self._match_files(graph)
        """For each file that Q names plainly: section order -> number of distinct names that point to the file."""

    def position(self, scope: ScopeId) -> int:
        """Return where Q first names the scope; the length of Q when it does not."""
        cue = self.scopes.get(scope)
        return len(self.requirements.text) if cue is None else cue.position

    def relevance(self, path: str) -> int:
        """Return how much rare vocabulary a file shares with Q; a tie-breaker between files of one tier."""
        return self._relevance.get(path, 0)

    def overlap(self, text: str) -> int:
        """Return how much rare vocabulary a piece of source shares with Q, in the measure of `relevance`."""
        weights = self._weights
        return sum(weights.get(word, 0) for word in _with_subwords(set(_WORD.findall(text))))

    # --- scopes ----------------------------------------------------------------------------------------------------

    def _match_scopes(self, graph: RepositoryGraph) -> dict[ScopeId, ScopeCue]:
        by_leaf: dict[str, list[Mention]] = defaultdict(list)
        for mention in self._distinct_mentions():
            by_leaf[mention.name.casefold().rsplit(".", 1)[-1]].append(mention)
        owners = _owners_of_leaf(graph, by_leaf)
        aliases = _owners_of_alias(graph, by_leaf)
        found: dict[ScopeId, ScopeCue] = {}
        for leaf, scopes in owners.items():
            for scope in scopes:
                for mention in by_leaf[leaf]:
                    self._note(found, scope, mention, sharing=len(scopes), aliases=aliases)
        for position, odd in _odd_symbols(graph, self.requirements):
            self._record(found, odd, position, strong=True, exact=True)
        return found

    def _distinct_mentions(self) -> Iterator[Mention]:
        """Yield the first mention of each name in each section, plain and weak ones apart."""
        seen = set()
        for mention in self.requirements.mentions:
            section = self.requirements.section_at(mention.start).order
            key = (mention.name.casefold(), mention.ordinary, mention.explicit, section)
            if key not in seen:
                seen.add(key)
                yield mention

    def _note(
        self,
        found: dict[ScopeId, ScopeCue],
        scope: Scope,
        mention: Mention,
        *,
        sharing: int,
        aliases: Mapping[str, int],
    ) -> None:
        name, symbol = mention.name.casefold(), scope.symbol.casefold()
        if name == symbol:
            self._record(found, scope.id, mention.start, strong=not mention.ordinary, exact=not mention.ordinary)
        elif mention.qualified and "." in name and _is_alias(name, scope):
            # An alias that several scopes share names none of them plainly.
            self._record(found, scope.id, mention.start, strong=aliases[name] == 1, exact=aliases[name] == 1)
        elif mention.explicit and (sharing == 1 or ("." not in name and sharing <= _MAX_SCOPES_OF_LEAF)):
            self._record(found, scope.id, mention.start, strong=True, exact=False)
        elif "." not in name:
            self._record(found, scope.id, mention.start, strong=False, exact=False)

    def _record(
        self, found: dict[ScopeId, ScopeCue], scope: ScopeId, position: int, *, strong: bool, exact: bool
    ) -> None:
        cue = found.get(scope)
        if cue is None:
            cue = found[scope] = ScopeCue(position, strong)
        elif strong and not cue.strong:
            cue.position, cue.strong = position, True
        elif strong == cue.strong:
            cue.position = min(cue.position, position)
        if strong:
            section = self.requirements.section_at(position).order
            cue.sections.add(section)
            if exact:
                cue.exact_sections.add(section)

    # --- files -----------------------------------------------------------------------------------------------------

    def _match_files(self, graph: RepositoryGraph) -> dict[str, dict[int, int]]:
        named: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))

        def point(path: str, position: int, name: str) -> None:
            named[path][self.requirements.section_at(position).order].add(name)

        for run, position in self.requirements.paths:
            for path in _files_of_path(graph, run):
                point(path, position, path)
        for name, owners in self._names_of_scopes().items():
            if len({scope.path for scope, _ in owners}) <= _MAX_FILES_OF_NAME:
                for scope, orders in owners:
                    for order in orders:
                        named[scope.path][order].add(name)
        for name, path in self._calls_of_one_file(graph).items():
            for position in self._code_names[name]:
                point(path, position, name)
        return {path: {order: len(names) for order, names in sorted(orders.items())} for path, orders in named.items()}

    def _names_of_scopes(self) -> dict[str, list[tuple[ScopeId, set[int]]]]:
        """Group the plainly named scopes by the name that Q uses: the whole symbol, or the leaf alone."""
        grouped: dict[str, list[tuple[ScopeId, set[int]]]] = defaultdict(list)
        for scope, cue in self.scopes.items():
            symbol = scope.symbol.casefold()
            if cue.exact_sections:
                grouped[symbol].append((scope, cue.exact_sections))
            if by_leaf := cue.sections - cue.exact_sections:
                grouped[symbol.rsplit(".", 1)[-1]].append((scope, by_leaf))
        return grouped

    def _calls_of_one_file(self, graph: RepositoryGraph) -> dict[str, str]:
        """Return the code-like names of Q that stand before a `(` in one file only, with that file."""
        files_of: dict[str, set[str]] = defaultdict(set)
        for path, names in self.names_by_file.items():
            if names and graph.files[path].kind != "configuration":
                for name in names & {call.casefold() for call in _CALL.findall(graph.files[path].text)}:
                    files_of[name].add(path)
        return {name: min(paths) for name, paths in files_of.items() if len(paths) == 1}

    @cached_property
    def _code_names(self) -> Mapping[str, tuple[int, ...]]:
        """Single names of Q that look like code (casefolded), with their offsets."""
        places: dict[str, list[int]] = defaultdict(list)
        for mention in self.requirements.mentions:
            leaf = mention.name.casefold().rsplit(".", 1)[-1]
            if not mention.ordinary and len(leaf) >= _MIN_WORD:
                places[leaf].append(mention.start)
        return {name: tuple(offsets) for name, offsets in places.items()}

    # --- vocabulary ------------------------------------------------------------------------------------------------

    def _read_words(self, graph: RepositoryGraph) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
        vocabulary = _with_subwords(set(_WORD.findall(self.requirements.text)))
        names = self._code_names.keys()
        words_by_file, names_by_file = {}, {}
        for path, file in graph.files.items():
            words = set(_WORD.findall(file.text))
            words_by_file[path] = frozenset(vocabulary & _with_subwords(words))
            names_by_file[path] = frozenset(names & {word.casefold() for word in words})
        return words_by_file, names_by_file

    @cached_property
    def _weights(self) -> Mapping[str, int]:
        """Weight of each word that Q and some file share: about log2 of how rare it is; whole, so the same anywhere."""
        files_of = Counter(word for words in self._words_by_file.values() for word in words)
        total = len(self._words_by_file)
        return {word: (total // count).bit_length() - 1 for word, count in files_of.items()}

    @cached_property
    def _relevance(self) -> Mapping[str, int]:
        weights = self._weights
        return {path: sum(weights[word] for word in words) for path, words in self._words_by_file.items()}


def _with_subwords(words: set[str]) -> set[str]:
    """Return words and the parts of compound ones, casefolded, without the shortest."""
    folded = {word.casefold() for word in words}
    for word in words:
        if "_" in word or not word.islower():
            folded.update(part.casefold() for part in _SUBWORD.findall(word))
    return {word for word in folded if len(word) >= _MIN_WORD}


def _keep_rare(names_by_file: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    files_of = Counter(name for names in names_by_file.values() for name in names)
    limit = min(_MAX_FILES_OF_NAME, max(1, len(names_by_file) // 4))
    return {path: frozenset(n for n in names if files_of[n] <= limit) for path, names in names_by_file.items()}


def _owners_of_leaf(graph: RepositoryGraph, wanted: Mapping[str, object]) -> dict[str, list[Scope]]:
    owners: dict[str, list[Scope]] = defaultdict(list)
    for scope in graph.scopes.values():
        leaf = scope.symbol.rsplit(".", 1)[-1].casefold()
        if leaf in wanted:
            owners[leaf].append(scope)
    return owners


def _owners_of_alias(graph: RepositoryGraph, by_leaf: Mapping[str, list[Mention]]) -> Counter[str]:
    count: Counter[str] = Counter()
    for scope in graph.scopes.values():
        mentions = by_leaf.get(scope.symbol.rsplit(".", 1)[-1].casefold(), ())
        count.update({name for mention in mentions if _is_alias(name := mention.name.casefold(), scope)})
    return count


def _is_alias(name: str, scope: Scope) -> bool:
    """Return whether a dotted name is an end of `module.symbol`, or one part of the module with the leaf."""
    parts = name.split(".")
    module = tuple(part.casefold() for part in module_parts(scope.path))
    symbol = scope.symbol.casefold().split(".")
    if len(parts) < 2 or not all(part.isidentifier() for part in module):
        return False
    full = [*module, *symbol]
    return full[-len(parts) :] == parts or (len(parts) == 2 and parts[0] in module and parts[1] == symbol[-1])


def _odd_symbols(graph: RepositoryGraph, requirements: Requirements) -> Iterator[tuple[int, ScopeId]]:
    """Find symbols that are no dotted identifiers, such as the configuration key `tool.ruff.line-length`."""
    runs: dict[str, int] = {}
    for match in _KEY.finditer(requirements.text):
        if "-" in (key := match[0].casefold().rstrip("-.")):
            runs.setdefault(key, match.start())
    for scope in graph.scopes.values():
        position = runs.get(scope.symbol.casefold())
        if position is not None:
            yield position, scope.id


def _files_of_path(graph: RepositoryGraph, run: str) -> Iterable[str]:
    """Return the file that a path in Q means: the exact one, else the only ones that end with it."""
    if run in graph.files:
        return (run,)
    ends = [path for path in graph.files if path.endswith("/" + run)]
    return ends if len(ends) <= _MAX_FILES_OF_NAME else ()
