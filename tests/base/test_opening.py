"""Stores by their place."""

import sys
from pathlib import Path

import pytest

from logboom.base.errors import Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import parse_place


def test_without_the_extra_a_bucket_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(Unavailable, match=r"pip install 'logboom\[s3\]'"):
        open_objects(parse_place("s3://bucket/prefix"), tmp_path, 1)
    assert isinstance(open_objects(tmp_path, tmp_path, 1), LocalObjects)
