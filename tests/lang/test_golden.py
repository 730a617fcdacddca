"""Queries as people write them, kept as data: what each one means, or what is wrong with it."""

from pathlib import Path

import pytest

from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query
from logboom.lang.parse import parse

CASES = Path(__file__).parents[1] / "cases" / "lang"
INDENT = "    "


def read_cases(path: Path) -> list[tuple[str, list[str]]]:
    """A query in column one, then the indented lines that are expected of it."""
    cases: list[tuple[str, list[str]]] = []
    for line in path.read_text().splitlines():
        if line.startswith(INDENT):
            cases[-1][1].append(line.removeprefix(INDENT))
        elif line and not line.startswith("# "):
            cases.append((line, []))
    return cases


VALID = [
    pytest.param(query, expected, id=f"{path.stem}: {query}")
    for path in sorted(CASES.glob("*.txt"))
    if path.stem != "errors"
    for query, expected in read_cases(path)
]
INVALID = [
    pytest.param(query, expected, id=query) for query, expected in read_cases(CASES / "errors.txt")
]


@pytest.mark.parametrize(("query", "expected"), VALID)
def test_query_has_its_canonical_form(query: str, expected: list[str]) -> None:
    assert [format_query(parse(query))] == expected


@pytest.mark.parametrize(("query", "expected"), VALID)
def test_canonical_form_means_the_same_query(query: str, expected: list[str]) -> None:
    assert [parse(form) for form in expected] == [parse(query)]


@pytest.mark.parametrize(("query", "expected"), INVALID)
def test_error_names_its_place_and_a_way_out(query: str, expected: list[str]) -> None:
    with pytest.raises(InvalidQuery) as caught:
        parse(query)
    data = caught.value.data
    place, _, message = expected[0].partition(" ")
    assert f"{data['start']}-{data['end']}" == place
    assert caught.value.message == f"col {int(place.split('-')[0]) + 1}: {message}"
    correction = expected[1].removeprefix("-> ") if len(expected) > 1 else None
    assert data["suggestion"] == correction


def test_there_are_enough_cases() -> None:
    assert len(VALID) >= 60
    assert len(INVALID) >= 25
