"""Values without a column: what is read of them, at a cost that does not grow with the fields that are asked for."""

import json
from collections.abc import Iterator

import pytest
from tests.engine.stored import Stored

from logboom.engine.answers.fields.listing import WantedFields, list_fields
from logboom.engine.blocks.overflow import Rest, list_columns, write_listed
from logboom.engine.terms.needs import Needs


class ManyFields(frozenset[str]):
    """Fields that may be asked for one by one: going through all of them for each event would take too long."""

    def __iter__(self) -> Iterator[str]:
        pytest.fail("all fields were gone through")


FIELDS = ManyFields({"a", "c", "never"})
RESTS: list[Rest] = [{"a": 1, "b": 2}, {}, {"c": "x", "a": 3}, {"b": 4}]


def test_only_the_fields_that_are_wanted_are_listed() -> None:
    texts = write_listed(RESTS, FIELDS).to_list()
    found = [json.loads(text) if text else None for text in texts]
    assert found == [{"a": 1}, None, {"c": "x", "a": 3}, None]


def test_only_the_fields_that_are_needed_become_columns() -> None:
    columns = list_columns(RESTS, Needs(fields=FIELDS))
    assert [column.to_list() for column in columns] == [[1, None, 3, None], [None, None, "x", None]]


def test_pages_of_fields_are_the_same_with_and_without_columns(
    wide: Stored, narrow: Stored
) -> None:
    events = [{f"field_{at}": at, f"Field_{at + 1}": "x"} for at in range(30)]
    pages = []
    for stored in (wide, narrow):
        env = stored.make_env()
        stored.keep(env, events)
        wanted = [WantedFields(offset=offset, limit=10) for offset in range(0, 40, 10)]
        pages.append([list_fields(stored.make_finder(env), each).fields for each in wanted])
    assert pages[0] == pages[1]
    assert sum(map(len, pages[0])) == 32
