"""Reliability figures 4 and 6: crashes of the builder, and evidence that is not its lines on disk.

    python -m benchmarks.robust_build [PATH...] [--nasty-only]

Builds, one folder at a time, every installed package of the running Python, its standard library, and sixty nasty files
made here; PATH names further trees. Each build is repeated with two processes and must give the same graph; every
evidence is read again from disk. Prints one line a tree and the two figures: both must be 0.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import sysconfig
import tempfile
import time
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import ebg
from benchmarks.build_graph import graph_sha256
from ebg.errors import SourceError
from ebg.model import RepositoryGraph

_SECONDS_A_FILE = 10


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.robust_build", description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--nasty-only", action="store_true")
    arguments = parser.parse_args()
    failures: list[str] = []
    wrong = evidence = files = 0
    with tempfile.TemporaryDirectory() as folder:
        nasty = Path(folder) / "nasty"
        nasty.mkdir()
        for name, data in nasty_files():
            (nasty / name).write_bytes(data)
        failures += _each_alone(nasty)
        trees = [nasty, *arguments.paths]
        if not arguments.nasty_only:
            trees += [*_installed(), Path(sysconfig.get_path("stdlib"))]
        for tree in trees:
            started = time.process_time()
            try:
                graph = ebg.build(tree, include=["**/*.py", "*.py"], exclude=["site-packages/"])
                again = ebg.build(tree, include=["**/*.py", "*.py"], exclude=["site-packages/"], jobs=2)
            except SourceError as exc:
                print(f"{tree.name:<32} {exc}")
                continue
            except Exception as exc:  # noqa: BLE001  # a crash is what is counted here
                failures.append(f"{tree}: {type(exc).__name__}: {exc}")
                continue
            if graph_sha256(graph) != graph_sha256(again):
                failures.append(f"{tree}: two processes gave another graph")
            bad = list(unfaithful(graph, tree))
            wrong += len(bad)
            evidence += len(graph.evidence)
            files += len(graph.files)
            reasons = Counter(item.reason.split(":")[0] for item in graph.excluded)
            left_out = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common(3))
            print(
                f"{tree.name[-32:]:<32} {len(graph.files):>6} files {len(graph.evidence):>8} evidence"
                f" {len(graph.behaviors):>7} behaviors {len(graph.relations):>7} relations"
                f" {sum(file.note is not None for file in graph.files.values()):>4} partial"
                f" {time.process_time() - started:>6.1f} s; left out: {left_out or 'nothing'}",
                flush=True,
            )
            for item in bad[:3]:
                print(f"  {item}")
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"figure 4: {len(failures)} crashes over {files} files")
    print(f"figure 6: {wrong} of {evidence} evidence differ from their lines on disk")
    return 1 if failures or wrong else 0


def _each_alone(folder: Path) -> list[str]:
    failures = []
    for path in sorted(folder.iterdir()):
        started = time.process_time()
        try:
            graph = ebg.build({path.name: path.read_bytes(), "keep.py": b"x = 1\n"})
        except Exception as exc:  # noqa: BLE001  # a crash is what is counted here
            failures.append(f"{path.name}: {type(exc).__name__}: {exc}")
            continue
        if path.name not in graph.files and path.name not in {item.path for item in graph.excluded}:
            failures.append(f"{path.name}: neither admitted nor left out")
        if time.process_time() - started > _SECONDS_A_FILE:
            failures.append(f"{path.name}: took {time.process_time() - started:.1f} s")
    return failures


def unfaithful(graph: RepositoryGraph, root: Path) -> Iterator[str]:
    """Yield each evidence whose content is not what the file on disk holds in its lines."""
    lines: dict[str, list[bytes]] = {}
    encodings: dict[str, str] = {}
    for item in graph.evidence:
        if item.path not in lines:
            file = graph.files[item.path]
            encoding = "utf-8"
            data = (root / item.path).read_bytes() if root.is_dir() else root.read_bytes()
            if file.language == "notebook":
                data = file.text.encode()  # its evidence quotes the documented text, not the JSON
            elif file.language in ("python", "python-stub"):
                # CPython refuses a byte order mark with the cookie `utf8`, which is the same encoding by another name.
                with contextlib.suppress(SyntaxError):
                    encoding, _ = tokenize.detect_encoding(iter(data.splitlines(keepends=True)).__next__)
            encodings[item.path] = encoding.removesuffix("-sig")
            lines[item.path] = data.splitlines(keepends=True)  # of bytes: ends at LF, CR and CR LF only
        expected = b"".join(lines[item.path][item.line_start - 1 : item.line_end])
        if item.content.encode(encodings[item.path]) != expected or not item.content:
            yield f"{item.id} {item.path}:{item.line_start}-{item.line_end}"


def _installed() -> Iterator[Path]:
    site = Path(sysconfig.get_path("purelib"))
    for path in sorted(site.iterdir()):
        if path.is_dir() and path.suffix not in (".dist-info", ".egg-info") and any(path.glob("*.py")):
            yield path


def nasty_files() -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of files that break parsers."""
    deep = 5_000
    good = b"def f(x):\n    return x\n"
    yield "py2_print.py", b"print 'x'\nprint >>f, 1\nexec 'a' in b\n"
    yield "py2_except.py", b"try:\n    a()\nexcept E, e:\n    raise E, 'm', tb\n"
    yield "py2_backticks.py", b"x = `1`\ny = 0777\nz = ur'a'\nif a <> b: pass\n"
    yield "nul_first.py", b"\0" + good
    yield "nul_late.py", b"#" * 9000 + b"\n" + good + b"\0" + good
    yield "cp1252.py", b"x = '\x93quoted\x94'\n"
    yield "cp1252_cookie.py", b"# coding: cp1252\nx = '\x93quoted\x94'\n"
    yield "latin1_cookie.py", b"#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\nx = '\xe9'\n"
    yield "cookie_lies.py", b"# coding: ascii\nx = '\xe9'\n"
    yield "cookie_unknown.py", b"# coding: klingon\nx = 1\n"
    yield "cookie_rot13.py", b"# coding: rot13\nk = 1\n"
    yield "cookie_utf16.py", b"# coding: utf-16\nx = 1\n"
    yield "cookie_utf7.py", b"# coding: utf-7\nx = '+AOk-'\n"
    yield "cookie_third_line.py", b"\n\n# coding: latin-1\nx = 1\n"
    yield "bom.py", b"\xef\xbb\xbf" + good
    yield "bom_cookie.py", b"\xef\xbb\xbf# coding: utf-8\n" + good
    yield "bom_wrong_cookie.py", b"\xef\xbb\xbf# coding: latin-1\n" + good
    yield "bom_inside.py", good + b"\xef\xbb\xbf" + good
    yield "utf16.py", "x = 1\n".encode("utf-16")
    yield "utf32.py", "x = 1\n".encode("utf-32")
    yield "surrogate.py", b"x = '\xed\xa0\x80'\n"
    yield "overlong.py", b"x = '\xc0\xaf'\n"
    yield "line_1mb.py", b"x = '" + b"a" * 1_000_000 + b"'\n"
    yield "line_1mb_list.py", b"x = [" + b"1, " * 330_000 + b"]\n"
    yield "line_50mb.py", b"x = '" + b"a" * 50_000_000 + b"'\n"
    yield "dict_1mb.py", b"x = {" + b"'a': b, " * 120_000 + b"}\n"
    yield "parens.py", b"(" * deep + b")" * deep + b"\n"
    yield "parens_open.py", b"(" * deep
    yield "parens_close.py", b")" * deep
    yield "brackets_mixed.py", b"([{" * deep
    yield "unary.py", b"x = " + b"-" * deep + b"1\n"
    yield "nots.py", b"x = " + b"not " * deep + b"1\n"
    yield "attributes.py", b"x = " + b"a." * deep + b"b\n"
    yield "calls.py", b"f" + b"()" * deep + b"\n"
    yield "subscripts.py", b"f" + b"[0]" * deep + b"\n"
    yield "sum.py", b"x = " + b"a + " * deep + b"b\n"
    yield "power.py", b"x = " + b"a ** " * deep + b"b\n"
    yield "ternary.py", b"x = " + b"a if b else " * deep + b"c\n"
    yield "lambdas.py", b"x = " + b"lambda: " * deep + b"1\n"
    yield "comparisons.py", b"x = " + b"a < " * deep + b"b\n"
    yield "assignments.py", b"a = " * deep + b"1\n"
    yield "strings.py", b"x = " + b"'a' " * deep + b"\n"
    yield "fstrings.py", b"x = " + b"f'{" * 300 + b"1" + b"}'" * 300 + b"\n"
    yield "comprehensions.py", b"x = " + b"[a for a in " * 1000 + b"b" + b"]" * 1000 + b"\n"
    yield "decorators.py", b"@a\n" * deep + good
    yield "decorators_only.py", b"@a\n" * deep
    yield "elifs.py", b"if a:\n    b = 1\n" + b"elif a:\n    b = 1\n" * deep + b"print(b)\n"
    yield "excepts.py", b"try:\n    a = 1\n" + b"except E:\n    a = 2\n" * deep + b"print(a)\n"
    yield "cases.py", b"match a:\n" + b"    case 1:\n        b = 1\n" * deep + b"print(b)\n"
    yield (
        "nested_if.py",
        b"".join(b" " * depth + b"if x:\n" for depth in range(deep // 5)) + b" " * (deep // 5) + b"f()\n",
    )
    yield "nested_def.py", b"".join(b" " * depth + b"def f():\n" for depth in range(200)) + b" " * 200 + b"return 1\n"
    yield "nested_class.py", b"".join(b" " * depth + b"class K:\n" for depth in range(200)) + b" " * 200 + b"x = 1\n"
    yield "nested_for.py", b"".join(b" " * depth + b"for x in y:\n" for depth in range(90)) + b" " * 90 + b"z = z + x\n"
    yield "ifs_in_a_row.py", b"def f(a):\n    x = 0\n" + b"    if a: x = x + 1\n" * deep + b"    return x\n"
    yield "loops_in_a_row.py", b"def f(a):\n    x = 0\n" + b"    for b in a: x = x + b\n" * deep + b"    return x\n"
    yield "state_in_a_row.py", b"".join(b"x[%d] = y[%d]\n" % (n, n) for n in range(deep))
    yield "names_in_a_row.py", b"".join(b"a%d = a%d\n" % (n + 1, n) for n in range(deep))
    yield "statements_on_a_line.py", b"; ".join(b"x = x + 1" for _ in range(deep)) + b"\n"
    yield "cr_only.py", good.replace(b"\n", b"\r")
    yield "crlf.py", good.replace(b"\n", b"\r\n")
    yield "mixed_ends.py", b"a = 1\r\nb = 2\rc = 3\nd = 4"
    yield "form_feeds.py", b"\f\nx = 1\f\n\f" + good
    yield "vertical_tabs.py", b"x = 1\x0by = 2\x1c\x1d\x1e\xc2\x85\xe2\x80\xa8\n" + good
    yield "continuations.py", b"x = \\\n" * deep + b"1\n"
    yield "continuation_at_end.py", b"x = 1 + \\"
    yield "open_string.py", good + b'"""never closed\n' + good
    yield "open_fstring.py", b"x = f'{a" + good
    yield "tabs.py", b"if a:\n\tb\n        c\n\td\n"
    yield "bad_dedent.py", b"if a:\n        b\n    c\n  d\ne\n"
    yield "broken_header.py", b"def f(:\n    return 1\n\nclass K(\n\ndef g():\n    return 2\n"
    yield "broken_middle.py", good + b"\n= = =\n" + good + b"else:\nfinally:\n" + good
    yield "only_clauses.py", b"else:\n    a\nelif b:\n    c\nexcept D:\n    e\nfinally:\n    f\ncase 1:\n    g\n"
    yield "conflict.py", b"<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> other\n" + good
    yield "scripts.py", "def größe(π, 名前):\n    return π + 名前\nclass Ελλάδα: pass\n".encode()
    yield "bidi.py", "x = '\u202e\u2066'  # \u202c\n".encode()
    yield "confusable.py", "\N{FULLWIDTH LATIN SMALL LETTER X} = 1\nﬁ = 2\n".encode()
    yield "random.py", bytes((7 * n * n + 3 * n) % 251 + 1 for n in range(20_000))
    yield "zeros.py", b"0" * 100_000
    yield "empty.py", b""
    yield "blank.py", b" \n\t\n\f\n"
    yield "comment.py", b"# nothing else"
    yield "no_end.py", b"def f(): return 1"
    yield "deep.json", b"[" * 100_000
    yield "deep.ipynb", b'{"cells": ' + b"[" * 100_000
    yield "open.toml", b"x = " + b"[" * 100_000
    yield "blocks.j2", b"{% block a %}" * 20_000
    yield "colons.yaml", b"a: " * 50_000


if __name__ == "__main__":
    sys.exit(main())
