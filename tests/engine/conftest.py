"""Stores for the engine's tests: one with room for every field, one where most fields overflow."""

from collections.abc import Iterator

import pytest
from tests.engine.stored import Stored

NARROW_FIELDS = 4


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stored]:
    stored = Stored(tmp_path_factory.mktemp("wide"))
    yield stored
    stored.close()


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stored]:
    """Return a store in which `message`, `source` and two other fields have columns; all others share one text."""
    stored = Stored(tmp_path_factory.mktemp("narrow"), max_fields=NARROW_FIELDS)
    yield stored
    stored.close()


@pytest.fixture(params=["wide", "narrow"])
def stored(request: pytest.FixtureRequest) -> Stored:
    """Return each of the two stores in turn."""
    chosen: Stored = request.getfixturevalue(request.param)
    return chosen
