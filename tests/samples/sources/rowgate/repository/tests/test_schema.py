from pathlib import Path

import pytest
from rowgate import Column, Schema, SchemaError, load_schema

INVOICES = Path(__file__).parent.parent / "schemas" / "invoices.toml"


def test_the_shipped_schema_loads():
    schema = load_schema(INVOICES)
    assert [column.name for column in schema.columns][:3] == ["number", "issued", "amount"]
    assert schema.by_header()["invoiceno"].name == "number"


@pytest.mark.parametrize(
    "options",
    [{"type": "money"}, {"required": True, "default": 1}, {"type": "choice"}],
)
def test_columns_that_make_no_sense(options):
    with pytest.raises(SchemaError):
        Column("a", **options)


def test_a_title_means_one_column():
    with pytest.raises(SchemaError, match="orderno"):
        Schema((Column("order_no"), Column("number", aliases=["Order No."])))


@pytest.mark.parametrize("text", ["columns = 1 2", "[[columns]]\ntype = 'text'", "[[columns]]\nname = 'a'\nsize = 3"])
def test_files_that_make_no_sense(tmp_path, text):
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(SchemaError, match=r"s\.toml"):
        load_schema(tmp_path / "s.toml")
