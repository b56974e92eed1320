"""The release layout (specification part 1): paths, manifests and the form of JSON files."""

from __future__ import annotations

import json
from collections.abc import Mapping


def to_json(value: object) -> bytes:
    """Serialise as the release does: UTF-8, two blanks, a newline at the end."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def bundle(
    subset: str, example_id: str, visible: Mapping[str, bytes], gold: object, **manifest: object
) -> dict[str, bytes]:
    """Return the files of one example by their path below the samples' folder."""
    head = {"input_id": example_id, "benchmark": subset, "visible_files": sorted(visible), **manifest}
    root = f"{subset}/artifacts/visible_bundles/{example_id}"
    files = {f"{root}/{path}": content for path, content in visible.items()}
    files[f"{root}/input_manifest.json"] = to_json(head)
    files[f"{subset}/artifacts/hidden_gold/{example_id}.json"] = to_json(gold)
    return files


def repository(files: Mapping[str, str]) -> dict[str, bytes]:
    """Place a package below the bundle's `repository/`."""
    return {f"repository/{path}": text.encode() for path, text in files.items()}
