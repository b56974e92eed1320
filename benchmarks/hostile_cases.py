"""Forty hostile archives and bundles, made on the fly (reliability figure 8).

Each case has one sound SpecGAP example, `sg_001`, and something that a stranger could put beside it. `expect` says what
must come of it: the whole source is `refused`; the example `sg_666` is `broken` and `sg_001` is read; or everything is
`data` and read as it is, for whoever shows it to escape. `secret.txt` beside the source must never be read.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

__all__ = ["CASES", "HOSTILE_TEXTS", "SECRET", "Case", "hostile_release"]

SECRET = "CANARY-4f1d2c"
"""Content of the file that no case may reach."""
ROOT = "specgap/artifacts"
DOCUMENT = "documents/3_document_after.md"
BIDI, ESCAPE = "\u202egnp.exe", "\x1b]0;owned\x07\x1b[2J"
HOSTILE_TEXTS = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "{{ 7 * 7 }} {% raw %}",
    f"evil {BIDI}",
    f"evil {ESCAPE}",
    "]]><!-- --!> <![CDATA[",
    "\0\x08\x7f\u2028\u2029\ufeff",
)
"""Texts that break out of markup, terminals or templates when they are shown raw."""

Files = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Case:
    """One hostile input."""

    name: str
    expect: Literal["refused", "broken", "data"]
    says: str
    """Part of what must be said about it."""
    make: Callable[[Path], None]
    """Makes the source, a folder that does not exist yet."""
    slow: bool = False
    """Takes more than a second or so to make or to read."""


def example_files(known: str, extra: Mapping[str, bytes] | None = None, **manifest: object) -> Files:
    """Return the files of one example below the root: sound, but for `extra` files and changed manifest keys."""
    files = {DOCUMENT: b"# Load\n", "repository/a.py": b"x = 1\n", **(extra or {})}
    listed = {"input_id": known, "benchmark": "specgap", "visible_files": sorted(files), **manifest}
    bundle = f"{ROOT}/visible_bundles/{known}"
    return {
        f"{bundle}/input_manifest.json": json.dumps(listed).encode(),
        **{f"{bundle}/{path}": data for path, data in files.items()},
        f"{ROOT}/hidden_gold/{known}.json": json.dumps(gold(known)).encode(),
    }


def gold(known: str, text: str = "Empty text gives nothing.") -> dict[str, object]:
    """Return sound gold with one condition, `text` in every field that is text."""
    condition = {"condition_id": "kc_001", "normalized_condition": text, "source_text": text}
    place = {"file_path": text, "symbol": {"kind": "function", "qualified_name": text}, "excerpt": text}
    evidence = {"evidence_type": "implementation", "relation": "implements", "strength": "direct", "locations": [place]}
    route = {"condition_id": "kc_001", "mapping_explanation": text, "evidence": [evidence]}
    mappings = {
        "comparison_items": [{"condition_id": "kc_001", "condition_by_condition": route, "holistic_alignment": route}],
        "gold_labels": [{"condition_id": "kc_001", "gold_source": text, "mapping_explanation": text}],
    }
    return {
        "input_id": known,
        "benchmark": "specgap",
        "conditions": [condition],
        "formal_reference": {"deleted_parts": [condition | {"why_important": text}], "code_mappings": mappings},
    }


def hostile_release(source: Path) -> None:
    """Write a release of all three subsets that breaks no rule and has the hostile texts in every text field.

    For whoever tests a page or a terminal: load it with `subsets.load` and show it.
    """
    text = "\n".join(HOSTILE_TEXTS)
    files = example_files("sg_001", {DOCUMENT: text.encode(), "repository/a.py": f"x = '''{text}'''\n".encode()})
    files[f"{ROOT}/hidden_gold/sg_001.json"] = json.dumps(gold("sg_001", text)).encode()
    swap = {"swap_type": "parsing_matching", "original_semantics": text, "swapped_semantics": text, "evidence": [text]}
    lines = [{"start": number, "end": number} for number in range(1, 6)]
    place = {"file": "a.py", "symbol": {"kind": "class", "qualified_name": [text]}}
    swaps = [swap | {"localization": place | {"line_ranges": [line]}} for line in lines]
    other, document = "silentswap/artifacts", "documents/original_document.md"
    files |= {
        f"{other}/visible_bundles/ss_001/{document}": text.encode(),
        f"{other}/visible_bundles/ss_001/repository/a.py": text.encode() * 2,
        f"{other}/visible_bundles/ss_001/input_manifest.json": json.dumps(
            {"input_id": "ss_001", "benchmark": "silentswap", "visible_files": [document, "repository/a.py"]}
        ).encode(),
        f"{other}/hidden_gold/ss_001.json": json.dumps(
            {"input_id": "ss_001", "benchmark": "silentswap", "swaps": swaps}
        ).encode(),
    }
    other = "feedbacktrace/artifacts"
    events = [
        {"event_type": "user_prompt", "turn_number": 1, "content": text},
        {"event_type": "assistant_response", "turn_number": 1, "content": text, "evidence_id": text},
        {"event_type": "tool_exchange", "turn_number": 1, "content": text, "evidence_id": "e_1", "tool_name": text},
    ]
    files |= {
        f"{other}/visible_bundles/ft_001_long/trace/model_input.json": json.dumps(
            {"input_id": "ft_001_long", "events": events}
        ).encode(),
        f"{other}/visible_bundles/ft_001_long/input_manifest.json": json.dumps(
            {
                "input_id": "ft_001_long",
                "benchmark": "feedbacktrace",
                "visible_files": ["trace/model_input.json"],
                "cutoff_turn": 2,
            }
        ).encode(),
        f"{other}/hidden_gold/ft_001_long.json": json.dumps(
            {
                "input_id": "ft_001_long",
                "benchmark": "feedbacktrace",
                "verdict": "KEY",
                "verification_point": text,
                "evidence_ids": [text],
            }
        ).encode(),
    }
    put(source, files)


def put(source: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder."""
    for path, data in files.items():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_bytes(data)


# --- Archives -------------------------------------------------------------------------------------------------------


Member = tuple[tarfile.TarInfo, bytes]


def file(name: str, data: bytes = b"evil\n") -> Member:
    """Return a regular member."""
    info = tarfile.TarInfo(name)
    info.size = len(data)
    return info, data


def special(name: str, kind: bytes, link: str = "") -> Member:
    """Return a member that is no regular file."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.devmajor, info.devminor = kind, link, 1, 3
    return info, b""


def tar(members: Iterable[Member], *, tar_format: int = tarfile.PAX_FORMAT) -> bytes:
    """Return a tar archive of the sound example and `members`."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tar_format, errors="surrogateescape") as archive:
        for info, data in [*(file(path, data) for path, data in example_files("sg_001").items()), *members]:
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def pack(source: Path, data: bytes) -> None:
    """Write `data` as the archive of the source."""
    source.mkdir()
    (source / "specgap.tar.gz").write_bytes(data)


def archive(*members: Member, tar_format: int = tarfile.PAX_FORMAT) -> Callable[[Path], None]:
    """Return a maker of an archive with these members."""
    return lambda source: pack(source, gzip.compress(tar(members, tar_format=tar_format), 1, mtime=0))


def header(name: str, kind: bytes, size: bytes) -> bytes:
    """Return a tar header with the size field as given and a right checksum."""
    info, _ = special(name, kind)
    block = bytearray(info.tobuf(tarfile.USTAR_FORMAT))
    block[124:136] = size.ljust(12, b"\0")
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def with_block(block: bytes) -> Callable[[Path], None]:
    """Return a maker of an archive that has `block` before its end mark."""

    def make(source: Path) -> None:
        sound = tar([])
        end = len(sound.rstrip(b"\0")) + 512 & ~511
        pack(source, gzip.compress(sound[:end] + block + bytes(1024), 1, mtime=0))

    return make


def damaged_header(source: Path) -> None:
    data = bytearray(tar([file(f"{ROOT}/more.txt")]))
    data[512 * 4 + 2] ^= 0xFF
    pack(source, gzip.compress(bytes(data), 1, mtime=0))


def cut_short(source: Path) -> None:
    whole = gzip.compress(tar([file(f"{ROOT}/noise", os.urandom(200_000))]), 1, mtime=0)
    pack(source, whole[: len(whole) // 2])


def cut_tar(source: Path) -> None:
    whole = tar([file(f"{ROOT}/noise", os.urandom(200_000))])
    pack(source, gzip.compress(whole[: len(whole) // 2], 1, mtime=0))


def bomb(source: Path) -> None:
    # A gigabyte of zeros, in joined streams because that is quicker to make.
    head = gzip.compress(header(f"{ROOT}/zeros", tarfile.REGTYPE, b"%011o" % 10**9), 6, mtime=0)
    pack(source, head + gzip.compress(bytes(10_000_000), 6, mtime=0) * 100)


def large_bomb(source: Path) -> None:
    # 2.2 GB at a ratio below the limit: one stream of a repeated random piece, joined with itself.
    piece = gzip.compress(os.urandom(25_000) * 88, 1, mtime=0)
    head = gzip.compress(header(f"{ROOT}/noise", tarfile.REGTYPE, b"%011o" % (2_100 * 1024**2)), 1, mtime=0)
    pack(source, head + piece * 999)


def empty_streams(source: Path) -> None:
    pack(source, gzip.compress(b"", 1, mtime=0) * 1_000_000)


def many_members(source: Path) -> None:
    pack(source, gzip.compress(tar(file(f"{ROOT}/{number}", b"") for number in range(120_000)), 1, mtime=0))


# --- Folders --------------------------------------------------------------------------------------------------------


def folder(files: Files) -> Callable[[Path], None]:
    """Return a maker of a folder with the sound example and these files."""
    return lambda source: put(source, {**example_files("sg_001"), **files})


def broken(path: str, data: bytes) -> Callable[[Path], None]:
    """Return a maker of a folder whose second example has `data` at `path`, below the artifacts."""
    return folder({**example_files("sg_666"), f"{ROOT}/{path}": data})


def manifest(data: bytes) -> Callable[[Path], None]:
    """Return a maker of a folder whose second example has this manifest."""
    return broken("visible_bundles/sg_666/input_manifest.json", data)


def linked(source: Path) -> None:
    folder(example_files("sg_666"))(source)
    repository = source / ROOT / "visible_bundles/sg_666/repository"
    (repository / "a.py").unlink()
    (repository / "a.py").symlink_to("../../../../../../secret.txt")
    (source / ROOT / "hidden_gold/sg_666.json").unlink()
    (source / ROOT / "hidden_gold/sg_666.json").symlink_to(source.parent / "secret.txt")


def loop(source: Path) -> None:
    folder(example_files("sg_666"))(source)
    repository = source / ROOT / "visible_bundles/sg_666/repository"
    (repository / "again").symlink_to(repository, target_is_directory=True)
    (repository / "up").symlink_to("../../..", target_is_directory=True)


def pipe(source: Path) -> None:
    folder(example_files("sg_666"))(source)
    (source / ROOT / "visible_bundles/sg_666/input_manifest.json").unlink()
    os.mkfifo(source / ROOT / "visible_bundles/sg_666/input_manifest.json")
    (source / ROOT / "hidden_gold/sg_666.json").unlink()
    os.mkfifo(source / ROOT / "hidden_gold/sg_666.json")


def many_files(source: Path) -> None:
    folder(example_files("sg_666"))(source)
    for number in range(21_000):
        (source / ROOT / f"visible_bundles/sg_666/repository/{number}").touch()


def sparse_file(source: Path) -> None:
    folder(example_files("sg_666", {"repository/huge.bin": b""}))(source)
    os.truncate(source / ROOT / "visible_bundles/sg_666/repository/huge.bin", 64 * 1024**3)
    os.truncate(source / ROOT / "hidden_gold/sg_666.json", 64 * 1024**3)


def broken_gold(data: bytes) -> Callable[[Path], None]:
    """Return a maker of a folder whose second example has this gold file."""
    return broken("hidden_gold/sg_666.json", data)


_OUTSIDE = ["../../../../../secret.txt", "/etc/passwd", "repository/../../x", DOCUMENT, "repository/a.py"]
_LONG_PATH = "/".join([ROOT, *["a"] * 1_000])
_PAX_LIE = b"99999 path=" + b"/" * 40 + b"\n"

CASES: tuple[Case, ...] = (
    Case(
        "names with parent folders",
        "refused",
        "'../evil' is not canonical",
        archive(file("../evil"), file(f"{ROOT}/../../../evil")),
    ),
    Case("absolute names", "refused", "'/tmp/evil' is absolute", archive(file("/tmp/evil"), file("//evil"))),
    Case(
        "drive letters and backslashes",
        "refused",
        "'C:/evil' is absolute",
        archive(file("C:/evil"), file("..\\..\\evil")),
    ),
    Case(
        "symbolic link to a file",
        "refused",
        "is a symbolic link",
        archive(special(f"{ROOT}/l", tarfile.SYMTYPE, "../../secret.txt")),
    ),
    Case(
        "symbolic link to a folder, and a file through it",
        "refused",
        "is a symbolic link",
        archive(special(f"{ROOT}/up", tarfile.SYMTYPE, "../../.."), file(f"{ROOT}/up/evil")),
    ),
    Case("hard link", "refused", "is a hard link", archive(special(f"{ROOT}/l", tarfile.LNKTYPE, "../secret.txt"))),
    Case(
        "devices",
        "refused",
        "is a character device",
        archive(special("specgap/c", tarfile.CHRTYPE), special("specgap/b", tarfile.BLKTYPE)),
    ),
    Case("named pipe as a member", "refused", "is a named pipe", archive(special("specgap/p", tarfile.FIFOTYPE))),
    Case("sparse member", "refused", "is a sparse file", with_block(header("specgap/s", b"S", b"%011o" % 8**10))),
    Case("one name twice", "refused", "occurs twice", archive(file(f"{ROOT}/x", b"1"), file(f"{ROOT}/x", b"2"))),
    Case(
        "a name as file and as folder",
        "refused",
        "both as a file and as a folder",
        archive(file(f"{ROOT}/x"), file(f"{ROOT}/x/y")),
    ),
    Case(
        "escape codes and bidi marks in names",
        "refused",
        "holds control, bidirectional",
        archive(file(f"{ROOT}/{ESCAPE}"), file(f"{ROOT}/{BIDI}")),
    ),
    Case(
        "name that is no UTF-8",
        "refused",
        "undecodable characters",
        archive(file(f"{ROOT}/caf\udce9"), tar_format=tarfile.GNU_FORMAT),
    ),
    Case("name of a thousand parts", "refused", "has more than 64 parts", archive(file(_LONG_PATH))),
    Case("bomb of zeros", "refused", "more than 100 times its size", bomb),
    Case(
        "bomb of 2.2 GB below the ratio", "refused", "unpacks to more than 2,147,483,648 bytes", large_bomb, slow=True
    ),
    Case("a million empty gzip streams", "refused", "joins more than 1,000 gzip streams", empty_streams),
    Case("gzip stream cut short", "refused", "the gzip stream has no end", cut_short),
    Case("tar cut short in a sound gzip stream", "refused", "is cut short", cut_tar),
    Case("damaged header in the middle", "refused", "a wrong checksum", damaged_header),
    Case("member of negative size", "refused", "not octal", with_block(header("specgap/n", b"0", b"\xff" * 12))),
    Case(
        "member larger than the archive",
        "refused",
        "is longer than the rest",
        with_block(header("specgap/h", b"0", b"%011o" % (8**11 - 1))),
    ),
    Case(
        "extended header of 10 MB of digits",
        "refused",
        "extended header of more than",
        with_block(header("specgap/x", b"x", b"%011o" % 10_000_384) + b"1" * 10_000_384),
    ),
    Case(
        "extended header that lies about its length",
        "refused",
        "is no list of pax records",
        with_block(header("specgap/x", b"x", b"%011o" % len(_PAX_LIE)) + _PAX_LIE.ljust(512, b"\0")),
    ),
    Case("120,000 members", "refused", "more than 100,000 members", many_members, slow=True),
    Case("links in a folder", "broken", "is a symbolic link", linked),
    Case("loops of links in a folder", "broken", "is a symbolic link", loop),
    Case("pipes in a folder", "broken", "is no regular file", pipe),
    Case("21,000 files in a bundle", "broken", "more than 20,000 files", many_files, slow=True),
    Case("files of 64 GiB", "broken", "is larger than", sparse_file),
    Case("JSON nested 100,000 deep", "broken", "is nested deeper", manifest(b"[" * 100_000 + b"]" * 100_000)),
    Case("doubled keys and NaN", "broken", "holds NaN", broken_gold(b'{"input_id": NaN, "a": 1, "a": 2}')),
    Case(
        "numbers of a million digits",
        "broken",
        "too long or too large",
        manifest(b'{"a": ' + b"9" * 1_000_000 + b"." + b"9" * 1_000_000 + b"}"),
    ),
    Case(
        "array of seven million numbers",
        "broken",
        "more than 250,000 parts",
        broken_gold(b"[" + b"0," * 7_000_000 + b"0]"),
    ),
    Case("string that never ends", "broken", "a string is not closed", manifest(b'"' + b'\\"' * 7_000_000)),
    Case(
        "150,000 wrong values",
        "broken",
        "conditions[199] is no object",
        broken_gold(json.dumps(gold("sg_666") | {"conditions": [0] * 150_000}).encode()),
        slow=True,
    ),
    Case(
        "text that is no text",
        "broken",
        "unpaired surrogate",
        broken_gold(json.dumps(gold("sg_666", "\ud800\udfff\udc00")).encode()),
    ),
    Case(
        "manifest that lists paths outside",
        "broken",
        "'../../../../../secret.txt', which is not canonical",
        folder(example_files("sg_666", visible_files=_OUTSIDE)),
    ),
    Case(
        "list of examples outside",
        "refused",
        "'../../secret.txt' is no id",
        folder({"samples.json": json.dumps({"specgap": ["../../secret.txt"]}).encode()}),
    ),
    Case("markup, templates, bidi and escape codes in every text", "data", "", hostile_release),
)
