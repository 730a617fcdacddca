"""Compiled modules that are there, absent, or built from other sources."""

from pathlib import Path

import pytest

from logboom.base.compiled import find_compiled


def test_one_that_was_built_is_loaded() -> None:
    assert find_compiled("math").sqrt(4) == 2


def test_one_that_was_not_built_is_none() -> None:
    assert find_compiled("logboom.model._absent") is None


def test_one_of_other_sources_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stale_twin.py").write_text("from logboom.model.moved_away import anything\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match="stale_twin cannot be loaded, build it again: No module"):
        find_compiled("stale_twin")
