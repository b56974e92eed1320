"""Token counts without a network."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ebg import tokens


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("é", 1), ("日本", 2), ("\ud800", 1)]
)
def test_estimate_is_bytes_over_three_rounded_up(text: str, count: int) -> None:
    assert tokens.estimate(text) == count


def test_counters_are_named() -> None:
    assert tokens.ESTIMATE.name == "utf8-bytes/3"
    counter = tokens.exact()
    if counter is not None:
        assert counter.name == "o200k_base"
        assert counter.count("hello world") == 2
        assert counter.count("<|endoftext|>") > 1  # text, not a control token


def test_an_exact_count_imports_no_litellm_and_a_wrong_vocabulary_is_not_used(tmp_path: object) -> None:
    code = (
        "import sys, os, pathlib; folder = pathlib.Path(sys.argv[1]);"
        "(folder / 'fb374d419588a4632f3f557e76b4b70aebbca790').write_bytes(b'not the vocabulary');"
        "os.environ['TIKTOKEN_CACHE_DIR'] = str(folder);"
        "from ebg import tokens; tokens.exact(); assert 'litellm' not in sys.modules;"
        "assert os.environ['TIKTOKEN_CACHE_DIR'] == str(folder);"
        "assert (folder / 'fb374d419588a4632f3f557e76b4b70aebbca790').read_bytes() == b'not the vocabulary'"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
