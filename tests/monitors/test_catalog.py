"""Models by name, their prices and keys: all of it offline and before any work."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from agentmonbench import monitors
from agentmonbench.errors import UsageError
from agentmonbench.monitors import Connections, ModelMonitor, Price
from agentmonbench.monitors._catalog import load_catalog
from agentmonbench.monitors._secrets import Secret, environment, scrub

PAPER = (
    "gpt-5.6-luna",
    "gpt-5.6-terra",
    "gpt-5.6-sol",
    "claude-sonnet-5",
    "deepseek-v4.1-flash",
    "deepseek-v4-pro",
    "kimi-k3",
    "glm-5.3",
)
JUDGES = ("glm-5.2", "qwen3.7-max")


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "MOONSHOT_API_KEY", "AGENTMONBENCH_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)  # no .env of the developer


def get(name: str, **options: object) -> ModelMonitor:
    monitor = monitors.get(name, connections=Connections(**options))  # type: ignore[arg-type]
    assert isinstance(monitor, ModelMonitor)
    return monitor


@pytest.mark.parametrize("name", PAPER + JUDGES)
def test_the_papers_models_are_all_there_with_price_and_window(name: str) -> None:
    monitor = get(name, check_keys=False)
    assert monitor.name == name
    assert monitor.price is not None
    assert monitor.price.output_usd > 0
    assert monitor.output_tokens == 32_768
    assert monitor.context_tokens is not None
    assert monitor.context_tokens >= 900_000


def test_prices_come_from_the_bundled_map() -> None:
    assert get("kimi-k3", check_keys=False).price == Price(3.0, 15.0, 0.3)
    assert get("openrouter/no-such/model", check_keys=False).price is None


def test_the_papers_switches_are_part_of_the_settings() -> None:
    assert get("gpt-5.6-luna", check_keys=False).settings["options"] == {"reasoning_effort": "none"}
    assert get("claude-sonnet-5", check_keys=False).settings["options"] == {"thinking": {"type": "disabled"}}
    assert get("kimi-k3", check_keys=False).settings["options"] == {"reasoning_effort": "low"}


def test_a_missing_key_is_named_before_any_work() -> None:
    with pytest.raises(UsageError, match="kimi-k3 needs a key: set MOONSHOT_API_KEY") as caught:
        get("kimi-k3")
    assert caught.value.code == "missing_key"


def test_a_key_comes_from_the_environment_or_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("MOONSHOT_API_KEY=from$file\n", encoding="utf-8")
    assert get("kimi-k3").name == "kimi-k3"
    assert environment()["MOONSHOT_API_KEY"] == "from$file"
    monkeypatch.setenv("MOONSHOT_API_KEY", "from-environment")
    assert environment()["MOONSHOT_API_KEY"] == "from-environment"
    with pytest.raises(UsageError, match="no such file"):
        environment(tmp_path / "absent.env")


def test_unknown_names_get_the_nearest_ones() -> None:
    with pytest.raises(UsageError, match="unknown monitor 'kimi3'; did you mean 'kimi-k3'"):
        get("kimi3")


def test_any_litellm_id_and_any_endpoint_work() -> None:
    assert get("openrouter/vendor/model", check_keys=False).settings["model"] == "openrouter/vendor/model"
    own = get("my-model", api_base="http://127.0.0.1:9/v1/")
    assert own.settings["model"] == "openai/my-model"
    assert own.settings["api_base"] == "http://127.0.0.1:9/v1"


def test_a_providers_key_is_not_sent_to_another_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai-itself")
    own = get("openai/x", api_base="http://127.0.0.1:9/v1")
    assert own._key is not None
    assert own._key.reveal() == "none"
    monkeypatch.setenv("AGENTMONBENCH_API_KEY", "of-my-endpoint")
    again = get("openai/x", api_base="http://127.0.0.1:9/v1")
    assert again._key is not None
    assert again._key.reveal() == "of-my-endpoint"


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ("ftp://host/v1", "http or https"),
        ("127.0.0.1:80", "http or https"),
        ("http://user:pass@host/v1", "password or a query"),
        ("http://host/v1?key=abc", "password or a query"),
    ],
)
def test_endpoints_hold_no_credentials(base: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        get("openai/x", api_base=base)
    assert "pass@" not in str(caught.value)
    assert "abc" not in str(caught.value)


def test_the_direct_client_needs_an_endpoint() -> None:
    assert get("kimi-k3", client="direct", check_keys=False).name == "kimi-k3"
    with pytest.raises(UsageError, match="no OpenAI-compatible endpoint is known for 'claude-sonnet-5'"):
        get("claude-sonnet-5", client="direct", check_keys=False)


def test_a_file_of_ones_own_extends_and_overrides(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        """
[providers]
house = { key = "HOUSE_KEY", api_base = "https://models.example/v1" }
[monitors.ours]
model = "house/large"
price = { input = 1, output = 2 }
context_tokens = 32000
[monitors."kimi-k3"]
model = "openrouter/moonshotai/kimi-k3"
""",
        encoding="utf-8",
    )
    ours = load_catalog(path).spec("ours")
    assert ours is not None
    assert (ours.key_name, ours.direct_base, ours.price) == ("HOUSE_KEY", "https://models.example/v1", Price(1, 2))
    assert ours.context_tokens == 32_000
    kimi = load_catalog(path).spec("kimi-k3")
    assert kimi is not None
    assert kimi.model == "openrouter/moonshotai/kimi-k3"
    assert "glm-5.3" in load_catalog(path).names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[monitors.x", "not TOML"),
        ("[monitors.x]\n", "monitors.x.model: Field required"),
        ('[monitors.x]\nmodel = "a/b"\nkey_value = "sk"\n', "monitors.x.key_value: Extra inputs"),
        ('[monitors.x]\nmodel = "a/b"\njson = "yes"\n', "monitors.x.json"),
    ],
)
def test_a_broken_file_says_where(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        load_catalog(path)


def test_secrets_do_not_show_themselves() -> None:
    secret = Secret("sk-very-secret-value")
    assert "very" not in repr(secret) + str(secret) + f"{secret!s}" + repr([secret])
    with pytest.raises(TypeError):
        pickle.dumps(secret)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Incorrect API key provided: sk-abcdefgh12345678.", "Incorrect API key provided: [key]."),
        ("header Authorization: Bearer abcdefghijkl", "header Authorization: [key]"),
        ("https://user:hunter2hunter@host/v1", "https://[key]@host/v1"),
        ("https://host/v1?api_key=abcdef123&x=1", "https://host/v1?[key]&x=1"),
        ("my value of-my-endpoint is here", "my value [key] is here"),
        ("nothing to hide", "nothing to hide"),
    ],
)
def test_messages_are_scrubbed(text: str, left: str) -> None:
    assert scrub(text, [Secret("of-my-endpoint")]) == left
