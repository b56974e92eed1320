"""Calls of a package that can be evaluated alone: from its documents, from its tests, and varied.

An expression is closed when all its names are imported, builtin, or assigned by statements that are closed themselves;
those statements become its setup. Nothing is run here.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from subsets.build._verdicts import Expression

__all__ = ["Example", "from_documents", "from_tests", "varied"]

MAX_CHARS = 300
"""Longer expressions make no readable test."""
MAX_SETUP = 8
MAX_CASES = 12
"""Taken of one parametrized test."""

_BUILTINS = frozenset(dir(builtins)) - {"open", "input", "print", "exec", "eval", "id", "hash", "help", "breakpoint"}
_UNSTABLE = frozenset(
    {"random", "time", "datetime", "os", "sys", "subprocess", "socket", "tempfile", "threading", "pytest"}
)


@dataclass(frozen=True, slots=True)
class Example:
    """An expression and where it comes from."""

    expression: Expression
    origin: str
    """document, test or varied."""


def from_documents(texts: Mapping[str, str], imports: Mapping[str, str]) -> Iterator[Example]:
    """Yield the expressions of interactive examples (`>>>`), each with the statements before it in its text.

    Args:
        texts: pages and docstrings, each by a name of its own.
        imports: for names that an example may use without importing them, the statement that does.
    """
    parser = doctest.DocTestParser()
    for _, text in sorted(texts.items()):
        try:
            found = parser.get_examples(text)
        except ValueError:
            continue
        yield from _in_order([example.source for example in found], imports)


def from_tests(texts: Mapping[str, str], package: Sequence[str]) -> Iterator[Example]:
    """Yield what tests assert about, in order of files.

    Args:
        texts: test files.
        package: names of the modules that are tested; an expression must use at least one name imported from them.
    """
    for _, text in sorted(texts.items()):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        imports, ours = _imports(tree, package)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                for case in _cases(node):
                    yield from _of_test(node, case, imports, ours)


def varied(examples: Sequence[Example], seed: int, *, each: int = 6) -> Iterator[Example]:
    """Yield the expressions again with one literal changed, at most `each` of one expression, chosen by `seed`."""
    seen = {(example.expression.setup, example.expression.text) for example in examples}
    for example in examples:
        dice = random.Random(f"{seed}:{example.expression.text}")  # noqa: S311  # a reproducible choice
        variants = sorted(set(_variants(example.expression.text)))
        for text in dice.sample(variants, min(each, len(variants))):
            key = (example.expression.setup, text)
            if key not in seen and len(text) <= MAX_CHARS:
                seen.add(key)
                yield Example(Expression(example.expression.setup, text), "varied")


def _in_order(sources: Sequence[str], imports: Mapping[str, str]) -> Iterator[Example]:
    """Yield the expressions of a sequence of statements, each with the closed statements before it."""
    setup: list[str] = []
    known = set(imports)
    for source in sources:
        try:
            node = ast.parse(source).body[0]
        except (SyntaxError, ValueError, IndexError):
            continue
        used = _names(node) | {name for line in setup for name in _names(ast.parse(line))}
        needed = dict.fromkeys(imports[name] for name in sorted(used & imports.keys()))
        if isinstance(node, ast.Import | ast.ImportFrom):
            known |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
            setup.append(source.strip())
        elif isinstance(node, ast.Expr) and _closed(node.value, known):
            if len(source) <= MAX_CHARS and len(setup) <= MAX_SETUP:
                yield Example(Expression((*needed, *setup), source.strip()), "document")
            if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
                setup.append(source.strip())  # it may change what comes after
        elif not isinstance(node, ast.Expr) and _closed(node, known):
            known |= _assigned(node)
            setup.append(source.strip())


def _imports(tree: ast.Module, package: Sequence[str]) -> tuple[dict[str, str], set[str]]:
    """Return the import statement of each name, and the names that come from the package."""
    imports: dict[str, str] = {}
    ours: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and not node.level and node.module:
            for alias in node.names:
                if alias.name != "*" and node.module.partition(".")[0] not in _UNSTABLE:
                    name = alias.asname or alias.name
                    imports[name] = f"from {node.module} import {alias.name}" + (f" as {name}" if alias.asname else "")
                    if node.module.partition(".")[0] in package:
                        ours.add(name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                if root not in _UNSTABLE:
                    name = alias.asname or root
                    imports[name] = f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")
                    if root in package:
                        ours.add(name)
    return imports, ours


def _cases(test: ast.FunctionDef) -> list[list[str]]:
    """Return the statements that set the parameters of a parametrized test, one list a case."""
    for mark in test.decorator_list:
        if not (isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith("parametrize") and len(mark.args) >= 2):
            continue
        try:
            names = ast.literal_eval(mark.args[0])
            values = mark.args[1].elts if isinstance(mark.args[1], ast.List | ast.Tuple) else []
        except (ValueError, TypeError):
            continue
        names = re.split(r"\s*,\s*", names.strip()) if isinstance(names, str) else list(names)
        cases = []
        for value in values[:MAX_CASES]:
            parts = value.elts if len(names) > 1 and isinstance(value, ast.Tuple | ast.List) else [value]
            if len(parts) == len(names):
                cases.append([f"{name} = {ast.unparse(part)}" for name, part in zip(names, parts, strict=True)])
        return cases
    return [[]]


def _of_test(test: ast.FunctionDef, case: list[str], imports: Mapping[str, str], ours: set[str]) -> Iterator[Example]:
    setup: list[str] = []
    known = set(imports)
    for line in case:
        node = ast.parse(line).body[0]
        if not _closed(node, known):
            return
        known |= _assigned(node)
        setup.append(line)
    for statement in test.body:
        for value in _asserted(statement):
            text = ast.unparse(value)
            used = _names(value) | {name for each in setup for name in _names(ast.parse(each))}
            if isinstance(value, ast.Constant | ast.Name) or not used & ours:
                continue
            if _closed(value, known) and len(text) <= MAX_CHARS and len(setup) <= MAX_SETUP:
                needed = [imports[name] for name in sorted(used & imports.keys())]
                yield Example(Expression((*dict.fromkeys(needed), *setup), text), "test")
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr) and _closed(statement, known):
            known |= _assigned(statement)
            setup.append(ast.unparse(statement))
        elif not isinstance(statement, ast.Assert | ast.Expr):
            return


def _asserted(statement: ast.stmt) -> list[ast.expr]:
    """Return the values that a statement of a test compares."""
    if isinstance(statement, ast.Assert):
        test = statement.test
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq | ast.Is):
            return [test.left, test.comparators[0]]
        return [test.operand if isinstance(test, ast.UnaryOp) else test]
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if isinstance(call.func, ast.Attribute) and call.func.attr.startswith("assert"):
            return call.args[:2]
    return []


def _closed(node: ast.AST, known: set[str]) -> bool:
    if any(isinstance(each, ast.Yield | ast.YieldFrom | ast.Await) for each in ast.walk(node)):
        return False
    bound = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
    bound |= {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    return _names(node) <= known | _BUILTINS | bound


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}


def _assigned(node: ast.AST) -> set[str]:
    found = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        found.add(node.name)
    return found


def _variants(text: str) -> Iterator[str]:
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    for node in constants:
        old = node.value
        for new in _others(old):
            node.value = new
            yield ast.unparse(tree)
        node.value = old
    for each in ast.walk(tree):
        if isinstance(each, ast.List | ast.Tuple) and len(each.elts) > 1:
            each.elts.reverse()
            yield ast.unparse(tree)
            each.elts.reverse()
            each.elts.append(each.elts[0])
            yield ast.unparse(tree)
            each.elts.pop()


def _others(value: object) -> list[str | int | float | bool | None]:
    """Return values near a literal, and the ends of its kind."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, 0, -value]
    if isinstance(value, float):
        return [value + 0.5, -value, 0.0]
    if isinstance(value, str):
        half = len(value) // 2
        others = [value.upper(), value.lower(), f" {value} ", value + value[-1:], value[:half], "", f"{value} {value}"]
        return [other for other in dict.fromkeys(others) if other != value]
    return []
