import pytest
from strata import LayerError, from_env, from_file, from_pairs


def test_files_may_be_toml_or_json(tmp_path):
    (tmp_path / "a.toml").write_text("[server]\nPublic-Url = 'x'\n")
    (tmp_path / "b.json").write_text('{"server": {"ports": [{"In-Use": 1}]}}')
    assert from_file(tmp_path / "a.toml").data == {"server": {"public_url": "x"}}
    assert from_file(tmp_path / "b.json").data == {"server": {"ports": [{"in_use": 1}]}}


def test_a_missing_file_is_an_error_unless_it_is_optional(tmp_path):
    with pytest.raises(LayerError, match=r"a\.toml: no such file"):
        from_file(tmp_path / "a.toml")
    assert from_file(tmp_path / "a.toml", optional=True).data == {}


@pytest.mark.parametrize(("name", "text"), [("a.toml", "x ="), ("a.json", "{"), ("a.json", "[1]"), ("a.yaml", "x: 1")])
def test_files_that_make_no_sense_are_errors(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(LayerError, match=name):
        from_file(tmp_path / name)


def test_variables_become_paths():
    environ = {"APP__DB__POOL_SIZE": "5", "app__debug": "on", "APPLE__X": "1", "APP_Y": "1", "APP__EMPTY": ""}
    assert from_env("app", environ).data == {"db": {"pool_size": 5}, "debug": True}


def test_arguments_become_paths():
    layer = from_pairs(["server.port=1", "Server.Port=2", "name= a=b "])
    assert layer.data == {"server": {"port": 2}, "name": " a=b "}


def test_all_bad_arguments_are_named():
    with pytest.raises(LayerError) as caught:
        from_pairs(["a", "b=1", "=c"])
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("YES", True),
        ("off", False),
        ("null", None),
        ("-12", -12),
        ("0", 0),
        ("2.50", 2.5),
        ('"12"', "12"),
        ("[1, 2]", [1, 2]),
        ("[1, 2", "[1, 2"),
        ("1.2.3", "1.2.3"),
        (" text ", " text "),
    ],
)
def test_texts_become_values(text, value):
    assert from_pairs([f"x={text}"]).data["x"] == value
