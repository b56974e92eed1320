"""Reliability figure 10: keys stay out of everything that is stored or shown.

    python benchmarks/planted_keys.py [--client direct|litellm]

Forty keys are planted: in the environment under the names of providers and others, in a `.env` file, and in what a
scripted service on loopback says back: error messages that repeat the key they got, header lines, addresses with
passwords. Then examples are run against that service, and everything that a run leaves is searched for every key:
records, cache, log at its most talkative level, reprs, messages and tracebacks of errors, stdout and stderr. Printed is
the number of hits; the exit code is 0 only for none. That the service itself got its key is checked too.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import logging
import os
import secrets
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import subsets
from agentmonbench import methods, monitors
from agentmonbench.errors import AgentMonBenchError
from agentmonbench.loop import run_example
from agentmonbench.monitors import Connections, Message, ModelMonitor
from agentmonbench.monitors._catalog import CUSTOM_KEY
from agentmonbench.testing import Answer, ScriptedProvider

IN_ENVIRONMENT = (
    CUSTOM_KEY,
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "MOONSHOT_API_KEY",
    "DEEPSEEK_API_KEY",
    "GEMINI_API_KEY",
    "HF_TOKEN",
    "GITHUB_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "DATABASE_PASSWORD",
)
IN_FILE = tuple(f"SERVICE_{number}_KEY" for number in range(10))
# What a service may say back about a key that is nowhere in our environment, in the forms that they use.
SAID = (
    "Incorrect API key provided: sk-{0}.",
    "Authorization: Bearer {0}",
    "request to https://user:{0}@models.example/v1 failed",
    "GET https://models.example/v1?api_key={0} 400",
    "x-api-key: {0}",
    '{{"api_key": "{0}"}}',
    "token sk-ant-{0} is expired",
    "curl -H 'Authorization: Bearer {0}' https://models.example",
    "https://models.example/v1?access_token={0}&model=x",
    "key hf_{0} has no access",
)
FORMS = (*SAID, *SAID)


def main() -> int:
    """Run the figure and print its count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--client", choices=("direct", "litellm"), default="direct")
    arguments = parser.parse_args()
    keys = {name: secrets.token_hex(16) for name in (*IN_ENVIRONMENT, *IN_FILE)}
    said = [secrets.token_hex(16) for _ in FORMS]
    with tempfile.TemporaryDirectory() as folder, in_folder(Path(folder)), planted(keys):
        left = asyncio.run(everything_left(Path(folder), arguments.client, keys, said))
    hits = [(place, name) for place, text in left.items() for name, key in named(keys, said) if key in text]
    for place, name in hits:
        print(f"hit: {name} in {place}")
    size = sum(map(len, left.values()))
    print(f"{arguments.client}: {len(keys) + len(said)} keys, {size:,} characters searched, {len(hits)} hits")
    return 0 if not hits else 1


def named(keys: Mapping[str, str], said: list[str]) -> Iterator[tuple[str, str]]:
    """Yield a name and the value of each planted key."""
    yield from keys.items()
    yield from ((f"said {number}", key) for number, key in enumerate(said))


@contextlib.contextmanager
def in_folder(folder: Path) -> Iterator[None]:
    """Work inside a folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextlib.contextmanager
def planted(keys: Mapping[str, str]) -> Iterator[None]:
    """Have the keys in the environment and in `.env`."""
    Path(".env").write_text("".join(f"{name}={keys[name]}\n" for name in IN_FILE), encoding="utf-8")
    before = dict(os.environ)
    os.environ.update({name: keys[name] for name in IN_ENVIRONMENT})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


async def everything_left(folder: Path, client: str, keys: Mapping[str, str], said: list[str]) -> dict[str, str]:
    """Run against the service and return every text that is left, by where."""
    log, out = io.StringIO(), io.StringIO()
    handler = logging.StreamHandler(log)
    logging.basicConfig(level=logging.DEBUG, handlers=[handler], force=True)
    cache = folder / "answers.sqlite"
    texts = [form.format(key) for form, key in zip(FORMS, said, strict=True)]
    script = [Answer('{"action":"finish","prediction":{"findings":[]}}')]
    script += [Answer(text, status=(400, 403, 500, 401)[number % 4]) for number, text in enumerate(texts)]
    script += [Answer(f"you sent {key}", status=400) for key in keys.values()]
    left: dict[str, str] = {}
    example = subsets.load("specgap", source="sample").example("sg_001")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        async with ScriptedProvider(script) as provider:
            connections = Connections(client=client, api_base=provider.api_base, cache=cache, attempts=1)  # type: ignore[arg-type]
            monitor = monitors.get("openai/scripted", connections=connections)
            assert isinstance(monitor, ModelMonitor)
            left["reprs"] = f"{monitor!r} {connections!r} {dict(monitor.settings)!r}"
            for number in range(len(script)):
                if number % 5 == 0:
                    with contextlib.suppress(AgentMonBenchError):
                        record = await run_example(example, methods.get("base"), monitor, repeat=number)
                        left[f"record {number}"] = record.model_dump_json()
                    continue
                try:
                    await monitor.reply([Message("system", "s"), Message("user", str(number))])
                except AgentMonBenchError as error:
                    left[f"error {number}"] = f"{error} {error!r} {error.__dict__} {traceback.format_exc()}"
            asked = [headers.get("Authorization") for headers in provider.headers]
            assert asked == [f"Bearer {keys[CUSTOM_KEY]}"] * len(asked)
            await connections.aclose()
    left["output"] = out.getvalue()
    left["log"] = log.getvalue()
    for path in folder.glob("answers.sqlite*"):
        left[path.name] = path.read_bytes().decode("latin-1")
    return left


if __name__ == "__main__":
    raise SystemExit(main())
