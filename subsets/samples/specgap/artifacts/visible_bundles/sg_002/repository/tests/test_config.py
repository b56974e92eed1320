from pathlib import Path

import pytest
from strata import ConfigError, Layer, LayerError, SettingError, from_env, from_file, from_pairs, load

DEFAULTS = Path(__file__).parent.parent / "config" / "defaults.toml"


def make(*trees, **options):
    return load([Layer(f"layer{number}", tree) for number, tree in enumerate(trees, start=1)], **options)


def test_the_shipped_defaults_load():
    config = load([from_file(DEFAULTS), from_pairs(["server.host=example.org"])])
    assert config.get("server.public-url") == "http://example.org:8080"
    assert config.get("database.url") == "postgresql://orders@db/orders"
    assert config.origin("server.host") == "command line"


def test_tables_merge_and_later_values_win():
    config = make({"a": {"x": 1, "y": 2}}, {"a": {"y": 3}, "b": 4})
    assert (config.get("a.x"), config.get("a.y"), config.get("B")) == (1, 3, 4)


def test_null_removes_a_table():
    config = make({"a": {"x": 1}, "b": 2}, {"a": None}, {"a": {"y": 3}})
    assert config.get("a") == {"y": 3}
    assert config.origin("a.x") is None


def test_lists_replace_or_grow():
    trees = {"on": ["a", "b"], "off": ["a"]}, {"on": ["b", "c"], "off": ["z"]}
    config = make(*trees, append=["On"])
    assert config.get("on") == ["a", "b", "c"]
    assert config.get("off") == ["z"]
    assert config.origin("on") == "layer1 + layer2"


def test_contradictions_about_the_shape_are_all_named():
    with pytest.raises(LayerError) as caught:
        make({"a": {"x": 1}, "b": 1}, {"a": 2, "b": {"y": 1}})
    assert caught.value.problems == (
        "a: a table in layer1, a value in layer2",
        "b: a value in layer1, a table in layer2",
    )


def test_references_follow_the_final_values():
    config = make({"host": "h", "url": "http://${host}/$${x}", "copy": "${ports}", "ports": [1]}, {"host": "later"})
    assert config.get("url") == "http://later/${x}"
    assert config.get("copy") == [1]


def test_references_may_have_a_fallback():
    config = make({"a": "${nowhere:-7} and ${b:-9}", "b": 8})
    assert config.get("a") == "7 and 8"


def test_bad_references_are_all_named():
    with pytest.raises(SettingError) as caught:
        make({"a": "${b}", "b": "${a}", "c": "${d.e}"})
    assert "circle of references: a -> b -> a" in caught.value.problems
    assert "c: refers to d.e, which is not set" in caught.value.problems


def test_require_checks_presence_and_type():
    config = make({"port": 80, "name": "x", "ratio": 1})
    assert config.require("port", int) == 80
    assert config.require("ratio", float) == 1.0
    with pytest.raises(SettingError, match="nowhere: not set"):
        config.require("nowhere", int)
    with pytest.raises(SettingError, match="name: str instead of int, from layer1"):
        config.require("name", int)


def test_what_is_read_is_a_copy():
    config = make({"a": {"list": [1]}})
    config.get("a")["list"].append(2)
    config.require("a.list", list).append(3)
    assert config.get("a.list") == [1]
    assert config.get("b", "default") == "default"


def test_secrets_are_hidden():
    config = make({"db": {"password": "x", "user": "u"}, "api_tokens": {"list": ["a", ""]}, "old_secret": ""})
    assert config.redacted() == {
        "db": {"password": "***", "user": "u"},
        "api_tokens": {"list": ["***", ""]},
        "old_secret": "",
    }


def test_the_environment_comes_over_files():
    config = load([from_file(DEFAULTS), from_env("ORDERS", {"ORDERS__SERVER__PORT": "9000"})])
    assert config.get("server.public_url") == "http://0.0.0.0:9000"
    assert config.origin("server") == "environment ORDERS"


def test_all_errors_have_one_base():
    assert issubclass(LayerError, ConfigError)
    assert issubclass(SettingError, ConfigError)
