"""Configuration: one evidence and one `state_write` behavior a key (specification part 2.5, ebg-method).

Keys are found line by line, not by a parser: a broken file still shows its keys, and every item is whole lines. An item
ends before the next key of the same or smaller indentation or the next section; closing brackets and blank lines at its
end are not part of it. A file without any key is one evidence of `<module>` and no behavior.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ebg.model import ArtifactKind
from ebg.repository._facts import BehaviorFacts, FileFacts, ScopeFacts
from ebg.repository._whole import whole_file_facts

__all__ = ["configuration_facts"]

Lines = tuple[str, ...]


class _Key(NamedTuple):
    """A line that begins an item (`symbol`) or a section (`symbol` is None)."""

    line: int
    indent: int
    symbol: str | None


# No pattern may cost more than the length of its line, whatever the line: names are cut out whole and stripped after.
_SECTION = re.compile(r"\s*\[\[?([^\[\]]+)\]")
_TOML_KEY = re.compile(r"\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=(?!=)")
_INI_KEY = re.compile(r"([^\s#;\[=:][^=:]*)[=:]")
_JSON_KEY = re.compile(r"(\s*)\"((?:[^\"\\]|\\.)*)\"\s*:")
_YAML_DASHES = re.compile(r" *(?:-[ \t]+)*")
_YAML_COLON = re.compile(r":(?:\s|$)")
_YAML_NO_KEY = tuple("#[]{}&*!|>%@`,?:")
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?)")
_TAIL = re.compile(r"[\s\]})>,;]*$")


def configuration_facts(path: str, kind: ArtifactKind, language: str, text: str, lines: Lines) -> FileFacts:
    """Return the items of a configuration file or dependency manifest."""
    reader = _READERS[language]
    items = [
        item
        for item in _items(reader(lines), lines, language)
        if any(line.strip() for line in lines[item[1] - 1 : item[2]])
    ]
    if not items:
        return whole_file_facts(path, kind, language, text, lines)
    evidence = sorted(set(items), key=lambda row: (row[1], row[2], row[0].casefold(), row[0]))
    spans: dict[str, list[tuple[int, int]]] = {}
    for symbol, first, last in evidence:
        spans.setdefault(symbol, []).append((first, last))
    behaviors = [
        BehaviorFacts(symbol, first, "state_write", (), (), (index,), (first, last))
        for index, (symbol, first, last) in enumerate(evidence)
    ]
    return FileFacts(
        path=path,
        kind=kind,
        language=language,
        scopes=tuple(ScopeFacts(symbol, "config", tuple(found), (found[0][0],) * 2) for symbol, found in spans.items()),
        evidence=tuple(evidence),
        behaviors=tuple(sorted(behaviors, key=lambda row: row[:6])),
    )


def _items(keys: Sequence[_Key], lines: Lines, language: str) -> list[tuple[str, int, int]]:
    """Return (symbol, first line, last line) of each item."""
    items = []
    following = _following(keys, len(lines) + 1)
    for key, end in zip(keys, following, strict=True):
        if key.symbol is not None:
            last = end - 1
            while last > key.line and _is_tail(lines[last - 1], language):
                last -= 1
            items.append((key.symbol, key.line, last))
    return items


def _following(keys: Sequence[_Key], end: int) -> list[int]:
    """Return for each key the line of the next key or section that is not inside it. One pass from the end."""
    result = [end] * len(keys)
    waiting: list[_Key] = []
    for index in range(len(keys) - 1, -1, -1):
        key = keys[index]
        while waiting and waiting[-1].symbol is not None and waiting[-1].indent > key.indent:
            waiting.pop()
        result[index] = waiting[-1].line if waiting else end
        waiting.append(key)
    return result


def _is_tail(line: str, language: str) -> bool:
    if language != "json" and line.lstrip().startswith(("#", ";")):
        return True
    return _TAIL.match(line) is not None


def _read_toml(lines: Lines) -> list[_Key]:
    keys = []
    section = ""
    inside = 0  # brackets that are open: lines of an array are no keys
    quote = ""
    for number, line in enumerate(lines, 1):
        found = None
        if not inside and not quote:
            header = _SECTION.match(line)
            found = _TOML_KEY.match(line)
            if header is not None:
                section = header[1].strip()
                keys.append(_Key(number, 0, None))
                continue
            if found is not None:
                name = found[1].strip()
                keys.append(_Key(number, 0, f"{section}.{name}" if section else name))
        begins = 0 if found is None else found.end()
        inside, quote = _open_at_end(line, begins, inside, quote)
    return keys


_TOML_TOKEN = re.compile(r"\"\"\"|'''|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|#.*|[\[\]{}]")


def _open_at_end(line: str, position: int, inside: int, quote: str) -> tuple[int, str]:
    """Return the brackets and the long quote that are open after a line, read from `position`."""
    while True:
        if quote:
            position = line.find(quote, position)
            if position < 0:
                return inside, quote
            position += 3
            quote = ""
        token = _TOML_TOKEN.search(line, position)
        if token is None:
            return inside, ""
        position = token.end()
        if token[0] in ('"""', "'''"):
            quote = token[0]
        elif token[0] in ("[", "{"):
            inside += 1
        elif token[0] in ("]", "}"):
            inside = max(inside - 1, 0)


def _read_ini(lines: Lines) -> list[_Key]:
    keys = []
    section = ""
    for number, line in enumerate(lines, 1):
        header = _SECTION.match(line)
        if header is not None and not line[:1].isspace():
            section = header[1].strip()
            keys.append(_Key(number, 0, None))
            continue
        found = _INI_KEY.match(line)  # an indented line continues the value above
        if found is not None:
            name = found[1].strip()
            keys.append(_Key(number, 0, f"{section}.{name}" if section else name))
    return keys


def _read_json(lines: Lines) -> list[_Key]:
    found = [
        (number, len(match[1].expandtabs()), match[2])
        for number, line in enumerate(lines, 1)
        if (match := _JSON_KEY.match(line)) is not None
    ]
    least = min((indent for _, indent, _ in found), default=0)
    return [_Key(number, indent, name) for number, indent, name in found if indent == least and name]


def _read_yaml(lines: Lines) -> list[_Key]:
    """Return the keys that carry a value on their line, by dotted path; the others are sections of their own."""
    keys: list[_Key] = []
    path: list[tuple[int, str]] = []
    block: int | None = None  # indentation of the key whose text block (`|` or `>`) the lines belong to
    for number, line in enumerate(lines, 1):
        indent = len(line) - len(line.lstrip(" "))
        if block is not None and (not line.strip() or indent > block):
            continue
        block = None
        if line.startswith(("---", "...")):
            path.clear()
            keys.append(_Key(number, -1, None))
            continue
        key = _yaml_key(line)
        if key is None:
            continue
        indent, name, value = key
        while path and path[-1][0] >= indent:
            path.pop()
        path.append((indent, name))
        if value.startswith(("|", ">")):
            block = len(line) - len(line.lstrip(" "))
        has_value = bool(value) and not value.startswith("#")
        symbol = ".".join(name for _, name in path)
        keys.append(_Key(number, indent, symbol) if has_value and symbol else _Key(number, indent, None))
    return keys


def _yaml_key(line: str) -> tuple[int, str, str] | None:
    """Return (column, key, rest of the line) of a line that begins with a key."""
    found = _YAML_DASHES.match(line)
    column = 0 if found is None else found.end()
    body = line[column:].rstrip()
    if not body or body.startswith(_YAML_NO_KEY):
        return None
    start = body.find(body[0], 1) + 1 if body[0] in "\"'" else 0
    colon = _YAML_COLON.search(body, start)
    if colon is None or "#" in body[: colon.start()]:
        return None
    return column, body[: colon.start()].strip().strip("\"'"), body[colon.end() :].strip()


def _read_requirements(lines: Lines) -> list[_Key]:
    keys = []
    continues = False
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if not continues and stripped and not stripped.startswith(("#", "-")):
            found = _REQUIREMENT.match(line)
            if found is not None:
                keys.append(_Key(number, 0, found[1]))
        elif not continues and stripped.startswith(("-r", "-c", "-e", "--")) and not stripped.startswith("--hash"):
            keys.append(_Key(number, 0, None))
        continues = stripped.endswith("\\")
    return keys


_READERS: dict[str, Callable[[Lines], list[_Key]]] = {
    "ini": _read_ini,
    "json": _read_json,
    "requirements": _read_requirements,
    "toml": _read_toml,
    "yaml": _read_yaml,
}
