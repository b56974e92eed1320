"""Archives: whatever a common tool packs is read, and nothing else."""

from __future__ import annotations

import gzip
import io
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import subsets
from subsets._problems import RuleBroken
from subsets._tar import members

part = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/"), min_size=1, max_size=60)
name = st.lists(part, min_size=1, max_size=6).map("/".join)


@given(files=st.dictionaries(name, st.binary(max_size=1200), max_size=5), tar_format=st.sampled_from([1, 2]))
def test_members_are_those_of_the_standard_library(files: dict[str, bytes], tar_format: int) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tar_format) as archive:
        for path, data in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    read = {member.name: buffer.getvalue()[member.offset : member.offset + member.size] for member in members(buffer)}
    with tarfile.open(fileobj=io.BytesIO(buffer.getvalue())) as archive:
        assert [member.name for member in members(buffer)] == archive.getnames()
    assert read == files


@given(at=st.integers(min_value=0), byte=st.integers(0, 255), cut=st.integers(min_value=0))
def test_a_changed_archive_is_read_or_refused_and_never_walks_in_circles(at: int, byte: int, cut: int) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path in ("a", "b" * 150, "ü"):
            info = tarfile.TarInfo(path)
            info.size = 700
            archive.addfile(info, io.BytesIO(bytes(700)))
    data = bytearray(buffer.getvalue())
    data[at % len(data)] = byte
    data = data[: len(data) - cut % len(data)]
    offset = -1
    try:
        for member in members(io.BytesIO(bytes(data))):
            assert member.offset > offset
            offset = member.offset
    except RuleBroken:
        pass


@pytest.mark.parametrize("tool", [["tar", "-czf"], ["tar", "--format=pax", "-czf"], ["tar", "--format=ustar", "-czf"]])
@pytest.mark.parametrize("what", ["specgap", "./specgap", "."])
def test_the_systems_tar_is_read(layout: Any, tmp_path: Path, tool: list[str], what: str) -> None:
    deep = "repository/" + "/".join(["folder_of_a_long_name"] * 6) + "/größe.py"
    layout.put(f"specgap/artifacts/visible_bundles/sg_001/{deep}", "x = 1\n")
    layout.change(
        "specgap/artifacts/visible_bundles/sg_001/input_manifest.json",
        lambda manifest: manifest["visible_files"].append(deep),
    )
    try:
        subprocess.run([*tool, tmp_path / "specgap.tar.gz", what], cwd=layout.root, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no such tar here: {error}")
    assert list(subsets.load("specgap", tmp_path / "specgap.tar.gz")) == list(subsets.load("specgap", layout.root))


def test_joined_gzip_streams_and_padding_are_read(layout: Any, tmp_path: Path) -> None:
    archive = layout.pack("specgap", tmp_path / "packed")
    plain = gzip.decompress(archive.read_bytes())
    archive.write_bytes(gzip.compress(plain[:3000]) + gzip.compress(plain[3000:]) + bytes(4096))
    assert subsets.load("specgap", archive).ids == ("sg_001",)


def test_all_unsafe_members_are_named_at_once(layout: Any, tmp_path: Path) -> None:
    target = tmp_path / "specgap.tar.gz"
    with tarfile.open(target, "w:gz") as archive:
        archive.add(layout.root / "specgap", "specgap")
        for path, kind in (("../up", tarfile.REGTYPE), ("/root", tarfile.REGTYPE), ("l", tarfile.SYMTYPE)):
            info = tarfile.TarInfo(path)
            info.type, info.linkname = kind, "../secret"
            archive.addfile(info)
    with pytest.raises(subsets.BundleError) as caught:
        subsets.load("specgap", target)
    assert [(problem.file, problem.rule) for problem in caught.value.problems] == [
        ("specgap.tar.gz", "member '../up' is not canonical: it has a part that is empty, '.' or '..'"),
        ("specgap.tar.gz", "member '/root' is absolute"),
        ("specgap.tar.gz", "member 'l' is a symbolic link, which is not allowed"),
    ]


def test_a_broken_example_in_an_archive_fails_alone(pairs: Any, tmp_path: Path) -> None:
    subsets.write(tmp_path / "release", pairs["specgap"])
    (tmp_path / "release/specgap/artifacts/visible_bundles/sg_001/repository/README").unlink()
    with tarfile.open(tmp_path / "specgap.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "release/specgap", "specgap")
    subset = subsets.load("specgap", tmp_path / "specgap.tar.gz")
    assert [str(problem) for problem in subset.problems] == [
        "specgap: visible_bundles/sg_001/repository/README: is named in visible_files and is missing"
    ]
    assert subset.example("sg_002") == pairs["specgap"][1][0]
