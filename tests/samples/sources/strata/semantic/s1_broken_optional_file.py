"""A file that exists but can not be parsed is an error, also if it is optional."""

import pytest
from strata import LayerError, from_file


def test_a_typo_in_an_optional_file_is_an_error(tmp_path):
    (tmp_path / "local.toml").write_text("[server\nport = 1\n")
    with pytest.raises(LayerError):
        from_file(tmp_path / "local.toml", optional=True)
