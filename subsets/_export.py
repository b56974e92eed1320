"""Hugging Face: a `datasets.Dataset` of a subset, and a folder of Parquet files with a dataset card.

Every config of a folder must have one file format, and each config of ours has one file, so a folder can be filled
subset by subset: the card is made from the files that are there. Where each came from stands in the file itself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from agentmonbench.errors import UsageError
from agentmonbench.examples import SUBSETS
from subsets._card import Config, render_card
from subsets._hub import HUB_PREFIX
from subsets._problems import BundleError
from subsets._rows import example_schema, gold_schema, to_row
from subsets._subset import Subset

if TYPE_CHECKING:
    import datasets
    import pyarrow

__all__ = ["export", "to_datasets"]

_FILE = "test.parquet"
_METADATA = b"agentmonbench"


def to_datasets(subset: Subset) -> datasets.Dataset:
    """Return the full visible rows: id, subset, document, files, events, cutoff_turn. Gold is not in them.

    Raises:
        BundleError: examples are broken; the error holds the problems of all of them.
        UsageError: the extra `hf` is not installed.
    """
    _need_extra()
    import datasets
    import pyarrow as pa

    _check_all(subset)
    schema = example_schema()
    table = pa.concat_tables([pa.Table.from_pylist([to_row(example)], schema) for example in subset])
    return datasets.Dataset(table, split=datasets.Split.TEST)


def export(subset: Subset, folder: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a subset to `folder` as Parquet, with a card that `datasets` understands; return the folder.

    The configs are the subset's name, with the visible rows of `to_datasets`, and `<name>_gold`, with the gold file of
    each example as JSON text. Several subsets may share a folder.

    Raises:
        BundleError: examples are broken; the error holds the problems of all of them, and nothing is written.
        UsageError: the subset is there already and `overwrite` is not set, or the extra `hf` is not installed.
    """
    _need_extra()
    root = Path(folder)
    target = root / subset.name / _FILE
    if target.exists() and not overwrite:
        raise UsageError(f"{os.fspath(target)!r} exists already")
    _check_all(subset)
    visible = (to_row(example) for example in subset)
    gold = ({"id": known, "subset": subset.name, "gold": subset.gold_json(known)} for known in subset.ids)
    about = {"source": _origin(subset), "fingerprint": subset.fingerprint, "examples": len(subset)}
    _write_parquet(target, visible, example_schema(), about)
    _write_parquet(root / f"{subset.name}_gold" / _FILE, gold, gold_schema(), about)
    (root / "README.md").write_text(render_card(_configs(root)), encoding="utf-8")
    return root


def _need_extra() -> None:
    try:
        import datasets  # noqa: F401  # asked for only to see that it is there
    except ImportError as error:
        raise UsageError("this needs an extra: pip install 'agentmonbench[hf]'") from error


def _check_all(subset: Subset) -> None:
    broken = [problem for problem in subset.problems if problem.level == "error"]
    if broken:
        raise BundleError(f"{subset.name} from {subset.source!r}", broken)


def _origin(subset: Subset) -> str:
    # A path would tell about this machine and help nobody.
    if subset.source == "sample" or subset.source.startswith(HUB_PREFIX):
        return subset.source
    return "local"


def _write_parquet(
    target: Path, rows: Iterable[Mapping[str, object]], schema: pyarrow.Schema, about: Mapping[str, object]
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.tmp")
    described = schema.with_metadata({_METADATA: json.dumps(about).encode()})
    with pq.ParquetWriter(partial, described, compression="zstd") as writer:
        for row in rows:  # a row group an example: no more than one is in memory here, or at a reader that streams
            writer.write_table(pa.Table.from_pylist([row], described))
    partial.replace(target)


def _configs(root: Path) -> list[Config]:
    import pyarrow.parquet as pq

    found = []
    for name in SUBSETS:
        if (root / name / _FILE).exists():
            about = json.loads(pq.read_schema(root / name / _FILE).metadata[_METADATA])
            found.append(Config(name, str(about["source"]), str(about["fingerprint"]), int(about["examples"]), _FILE))
    return found
