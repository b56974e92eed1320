"""The dataset card of an exported folder: what its configs are, where they come from, and on what terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from subsets._hub import HUB_PREFIX, RELEASE_REPOSITORY

__all__ = ["Config", "render_card"]


@dataclass(frozen=True, slots=True)
class Config:
    """One subset in an exported folder."""

    name: str
    source: str
    """`sample`, an address on the Hub, or `local`."""
    fingerprint: str
    examples: int
    file: str
    """Name of the Parquet file in the folder of the config."""


_HEAD = """\
---
pretty_name: AgentMonBench
license: {license}
configs:
{configs}---

# AgentMonBench, exported

Tasks for monitors of coding agents: each row is one example in full, everything that a monitor may see. The one split
is `test`.

```python
import datasets

rows = datasets.load_dataset("PATH/OF/THIS/FOLDER", "{first}", split="test")
```

## Configs

| config | examples | from | sha256 of the data |
|---|---|---|---|
{table}
Columns of the visible configs ({visible}): `id`; `subset`; `document` (`path`, `text`), the requirements, absent from
sessions; `files` (`path`, and `text`, or `bytes` where the file is not UTF-8), the repository; `events` (`event_type`,
`turn_number`, `content`, `evidence_id`, `tool_name`), the session before `cutoff_turn`, absent from repositories.

**Gold is kept apart.** The configs {gold} hold, for each `id`, the gold file as JSON text in the column `gold`. They
are for scoring; a monitor that has seen them measures nothing.

## Terms

{terms}
"""

_SAMPLE_TERMS = "The bundled samples were written for the AgentMonBench package and have its licence, MIT."
_RELEASE_TERMS = (
    "The release states its own terms as pending; until they are known, ask its authors before you pass it on. Its "
    "sources have terms of their own: DeNovoSWE (CC BY 4.0) for `specgap` and `silentswap`, and the repositories' own "
    "licences; SWE-chat (ODC-By) for `feedbacktrace`."
)
_LOCAL_TERMS = "The terms of this data are not known here; they are those of its sources."


def render_card(configs: Sequence[Config]) -> str:
    """Return the README.md of a folder with these configs."""
    samples = [config for config in configs if config.source == "sample"]
    terms = {_terms(config.source): None for config in configs}
    return _HEAD.format(
        license="mit" if len(samples) == len(configs) else "unknown",
        configs="".join(
            f"- config_name: {name}\n  data_files:\n  - split: test\n    path: {name}/{config.file}\n"
            for config in configs
            for name in (config.name, f"{config.name}_gold")
        ),
        first=configs[0].name,
        table="".join(
            f"| `{config.name}`, `{config.name}_gold` | {config.examples} | {_origin(config.source)} "
            f"| `{config.fingerprint}` |\n"
            for config in configs
        ),
        visible=", ".join(f"`{config.name}`" for config in configs),
        gold=", ".join(f"`{config.name}_gold`" for config in configs),
        terms="\n\n".join(terms),
    )


def _origin(source: str) -> str:
    if source == "sample":
        return "the samples bundled with the package"
    return f"the Hub, `{source.removeprefix(HUB_PREFIX)}`" if source.startswith(HUB_PREFIX) else "a local copy"


def _terms(source: str) -> str:
    if source == "sample":
        return _SAMPLE_TERMS
    address = source.removeprefix(HUB_PREFIX)
    return _RELEASE_TERMS if address.partition("@")[0] == RELEASE_REPOSITORY else _LOCAL_TERMS
