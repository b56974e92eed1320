"""The document of a package: what a reader of its documentation sees, and its sentences.

It is made of the README, the pages of its documentation that tell about behavior, and a reference of the public
definitions with their docstrings, as documentation tools print them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

__all__ = ["Sentence", "compose", "docstrings_of", "pages_of", "reference_of", "sentences"]

MAX_PAGES_CHARS = 60_000
"""README and pages; what goes past it is left out page by page."""
MAX_REFERENCE_CHARS = 80_000

_PAGE = re.compile(r"(docs?/.*|[^/]*readme[^/]*)\.(md|rst|txt)", re.IGNORECASE)
_NO_BEHAVIOR = re.compile(
    r"(?i)(^|/|[-_.])(change(s|log)?|history|news|releas\w*|contribut\w*|licen[cs]e|authors?|install\w*|conf|"
    r"requirements\w*|code_of_conduct|security|credits|migrat\w*|upgrad\w*|dev\w*)([-_.]|$)"
)
_SENTENCE = re.compile(r"\S.*?(?:[.!?:](?=\s|$)|$)", re.DOTALL)
_MARKUP = re.compile(r"^\s*(>>>|\.\.\.|\.\. |#|:|[-=~^*+]{3,}|[|+]|```|!\[|\[!|<|@|import |from )")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of prose; characters are a half-open range of the document."""

    start: int
    end: int
    text: str


def pages_of(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return README and documentation pages about behavior, by path, the README first."""
    pages = {}
    for path, data in sorted(files.items(), key=lambda item: (item[0].count("/"), item[0])):
        if _PAGE.fullmatch(path) and not _NO_BEHAVIOR.search(path.rpartition(".")[0]):
            try:
                pages[path] = data.decode("utf-8").replace("\r\n", "\n")
            except UnicodeDecodeError:
                continue
    kept: dict[str, str] = {}
    size = 0
    for path, text in pages.items():
        if text.strip() and text not in kept.values() and size + len(text) <= MAX_PAGES_CHARS:
            kept[path] = text
            size += len(text)
    return kept


def reference_of(files: Mapping[str, bytes], modules: Collection[str]) -> str:
    """Return the signatures and docstrings of the public definitions of some files, file by file."""
    parts: list[str] = []
    size = 0
    for path in sorted(modules):
        for name, text, arguments in _documented(files[path].decode("utf-8")):
            part = f"### `{name}{arguments}`\n\n{text}\n"
            if size + len(part) <= MAX_REFERENCE_CHARS:
                parts.append(part)
                size += len(part)
    return "\n".join(parts)


def docstrings_of(source: str) -> Iterator[tuple[str, str]]:
    """Yield the dotted names of the public definitions of a file, with their docstrings."""
    return ((name, text) for name, text, _ in _documented(source))


def compose(files: Mapping[str, bytes], modules: Collection[str]) -> str:
    """Return the whole document of a package."""
    reference = reference_of(files, modules)
    parts = [*pages_of(files).values(), *([f"## Reference\n\n{reference}"] if reference else [])]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def sentences(document: str) -> Iterator[Sentence]:
    """Yield the sentences of prose that stand in a document once, in their order; code and headings are left out."""
    fenced = False
    for match in re.finditer(r"(?:[^\n]*\S[^\n]*(?:\n|\Z))+", document):
        paragraph = match[0]
        fences = sum(line.lstrip().startswith(("```", "~~~")) for line in paragraph.splitlines())
        inside, fenced = fenced, fenced ^ bool(fences % 2)
        if inside or fences:
            continue
        for start, end in _runs(paragraph):
            for found in _SENTENCE.finditer(paragraph, start, end):
                text = found[0].rstrip()
                words = re.findall(r"[A-Za-z]{2,}", text)
                if len(words) >= 5 and len(text) <= 400 and document.count(text) == 1 and ">>>" not in text:
                    at = match.start() + found.start()
                    yield Sentence(at, at + len(text), text)


def _runs(paragraph: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of a paragraph's lines of prose; a list item begins a new one."""
    at, start = 0, 0
    for line in paragraph.splitlines(keepends=True):
        item = re.match(r"\s*([-*+]|\d+[.)])\s+", line)
        if _MARKUP.match(line) or item:
            if start < at:
                yield start, at
            start = at + (item.end() if item else len(line))
        at += len(line)
    if start < at:
        yield start, at


def _documented(source: str) -> Iterator[tuple[str, str, str]]:
    """Yield the dotted name, docstring and arguments of public definitions."""
    waiting: list[tuple[ast.AST, str]] = [(ast.parse(source), "")]
    while waiting:
        node, owner = waiting.pop()
        inner: list[tuple[ast.AST, str]] = []
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If | ast.Try):
                inner.append((child, owner))
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if child.name.startswith("_") and child.name not in ("__init__", "__call__", "__getitem__"):
                continue
            name = f"{owner}.{child.name}" if owner else child.name
            if text := ast.get_docstring(child):
                arguments = "" if isinstance(child, ast.ClassDef) else f"({ast.unparse(child.args)})"
                yield name, text, arguments
            if isinstance(child, ast.ClassDef):
                inner.append((child, name))
        waiting += reversed(inner)
