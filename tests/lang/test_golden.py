"""Queries as people write them, kept as data: what each one means, or what is wrong with it."""

from pathlib import Path

import pytest
from msgspec import Struct
from tests.together import together

from logboom.lang.ast import And, Or, Pattern, Quantity, Word
from logboom.lang.dump import spell_pattern
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query
from logboom.lang.format.values import format_quantity
from logboom.lang.notices import Reading
from logboom.lang.parse import parse, read, read_canonical

CASES = Path(__file__).parents[1] / "cases" / "lang"
INDENT = "    "
TREE = "ast: "
NOTICE = "notice: "
COMMUNITIES = {
    "splunk": 30,
    "logsql": 30,
    "kql": 30,
    "datadog": 20,
    "logql": 20,
    "pasted": 20,
    "esql": 60,
    "kusto": 60,
    "eql": 20,
}


def read_cases(path: Path) -> list[tuple[str, list[str]]]:
    """A query in column one, then the indented lines that are expected of it."""
    cases: list[tuple[str, list[str]]] = []
    for line in path.read_text().splitlines():
        if line.startswith(INDENT):
            cases[-1][1].append(line.removeprefix(INDENT))
        elif line and not line.startswith("# "):
            cases.append((line, []))
    return cases


def show_tree(node: object) -> str:
    """`And(Word('a'), Match('f', 'x*'))`: members in order, by name where they have a default."""
    if isinstance(node, Pattern):
        return repr(spell_pattern(node))
    if isinstance(node, Quantity):
        return format_quantity(node)
    if isinstance(node, tuple):
        return f"[{', '.join(map(show_tree, node))}]"
    if isinstance(node, And | Or):
        return f"{type(node).__name__}({', '.join(map(show_tree, node.terms))})"
    if not isinstance(node, Struct):
        return repr(node)
    names, defaults = node.__struct_fields__, node.__struct_defaults__
    required = len(names) - len(defaults)
    members = [show_tree(getattr(node, name)) for name in names[:required]]
    for name, default in zip(names[required:], defaults, strict=True):
        value = getattr(node, name)
        if value != default:
            members.append(f"{name}={show_tree(value)}")
    return f"{type(node).__name__}({', '.join(members)})"


ALL = [
    (path.stem, query, expected)
    for path in sorted(CASES.glob("*.txt"))
    for query, expected in read_cases(path)
]
VALID = [(query, expected) for stem, query, expected in ALL if not stem.endswith("errors")]
WITH_TREE = [(query, expected) for stem, query, expected in ALL if stem in COMMUNITIES]
SLIPS = [(query, expected) for stem, query, expected in ALL if stem == "slips"]
PROSE = [query for stem, query, _ in ALL if stem == "prose"]
INVALID = [(query, expected) for stem, query, expected in ALL if stem.endswith("errors")]


@together(("query", "expected"), VALID)
def test_query_has_its_canonical_form(query: str, expected: list[str]) -> None:
    assert format_query(parse(query)) == expected[0]


@together(("query", "expected"), VALID)
def test_canonical_form_means_the_same_query(query: str, expected: list[str]) -> None:
    assert parse(expected[0]) == parse(query)


@together(("query", "expected"), VALID)
def test_canonical_form_is_read_by_the_grammar_alone(query: str, expected: list[str]) -> None:
    assert read_canonical(expected[0]) == Reading(parse(query))


@together(("query", "expected"), WITH_TREE)
def test_query_has_its_tree(query: str, expected: list[str]) -> None:
    parsed = parse(query)
    pipes = "".join(f" | {show_tree(pipe)}" for pipe in parsed.pipes)
    assert TREE + show_tree(parsed.filter) + pipes == expected[1]


@together(("query", "expected"), INVALID)
def test_error_names_its_place_and_a_way_out(query: str, expected: list[str]) -> None:
    with pytest.raises(InvalidQuery) as caught:
        parse(query)
    data = caught.value.data
    place, _, message = expected[0].partition(" ")
    assert f"{data['start']}-{data['end']}" == place
    assert caught.value.message == f"col {int(place.split('-')[0]) + 1}: {message}"
    correction = expected[1].removeprefix("-> ") if len(expected) > 1 else None
    assert data["suggestion"] == correction


@together("community", COMMUNITIES)
def test_every_community_has_enough_cases(community: str) -> None:
    assert sum(stem == community for stem, _, _ in ALL) >= COMMUNITIES[community]


def test_there_are_enough_errors() -> None:
    assert len(INVALID) >= 40


@together(("query", "expected"), SLIPS)
def test_a_slip_is_told_of(query: str, expected: list[str]) -> None:
    notices = [f"{NOTICE}{notice.code} {notice.message}" for notice in read(query).notices]
    assert notices == expected[1:] != []


@together("query", PROSE)
def test_ordinary_log_text_is_words(query: str) -> None:
    reading = read(query)
    assert isinstance(reading.query.filter, And)
    assert all(isinstance(term, Word) for term in reading.query.filter.terms)
    assert not {"read_as_meant", "read_as_text"} & {notice.code for notice in reading.notices}


@together(("query", "expected"), INVALID)
def test_every_suggestion_is_a_query_without_further_complaints(
    query: str, expected: list[str]
) -> None:
    if len(expected) > 1:
        again = format_query(parse(expected[1].removeprefix("-> ")))
        assert parse(again) == parse(expected[1].removeprefix("-> "))
        assert query != again
