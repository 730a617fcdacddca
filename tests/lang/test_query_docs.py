"""The user's page on the language: complete, and its examples are valid."""

import re
from pathlib import Path
from typing import get_args

import pytest
from tests.together import together

from logboom.lang.errors import InvalidQuery
from logboom.lang.foreign import FOREIGN, Foreign, Kind
from logboom.lang.functions import AGGREGATE_ALIASES, AGGREGATES, FUNCTION_ALIASES, FUNCTIONS
from logboom.lang.notices import NoticeCode
from logboom.lang.parse import parse
from logboom.lang.parse.fields.field import TESTS
from logboom.lang.parse.pipes import ALIASES, CANONICAL, READ_AS

PAGE = (Path(__file__).parents[2] / "docs" / "query-language.md").read_text()
FOREIGN_SECTIONS: dict[Kind, str] = {
    "pipe": "Pipes and commands of other languages",
    "aggregate": "Aggregates of other languages",
    "function": "Functions of other languages",
}
EXAMPLES = re.compile(r"^```query\n(.*?)^```", re.MULTILINE | re.DOTALL)


def read_section(heading: str) -> str:
    """What stands between a heading and the next one."""
    found = re.search(
        rf"^##+ {re.escape(heading)}$(.*?)(?=^##+ |\Z)", PAGE, re.MULTILINE | re.DOTALL
    )
    assert found is not None, f"a section {heading}"
    return found[1]


def list_examples(text: str) -> list[str]:
    return [query for block in EXAMPLES.findall(text) for query in block.splitlines()]


@together("name", CANONICAL)
def test_every_pipe_has_its_section_with_an_example_of_it(name: str) -> None:
    examples = list_examples(read_section(name))
    assert any(re.search(rf"\| {name}\b", query) for query in examples)


@together("alias", ALIASES)
def test_every_alias_of_a_pipe_is_named_in_its_section(alias: str) -> None:
    assert f"`{alias}`" in read_section(READ_AS[alias]) + read_section("Commands of Splunk")


@together("name", [*AGGREGATES, *AGGREGATE_ALIASES])
def test_every_aggregate_is_in_their_table(name: str) -> None:
    assert re.search(rf"^\|.*`{name}[`(]", read_section("Aggregates"), re.MULTILINE)


@together("name", [*FUNCTIONS, *FUNCTION_ALIASES])
def test_every_function_is_in_their_table(name: str) -> None:
    assert re.search(rf"^\|.*`{name}[`(]", read_section("Expressions"), re.MULTILINE)


@together("operator", TESTS)
def test_every_operator_is_shown(operator: str) -> None:
    """A colon before a comparison is explained once for all operators."""
    sign = operator.removeprefix(":") or ":"
    filters = PAGE.split("\n## Pipes\n")[0]
    assert f"`{sign}`" in filters or any(sign in query for query in list_examples(filters))


@together("code", get_args(NoticeCode))
def test_every_notice_is_listed(code: str) -> None:
    assert f"`{code}`" in read_section("Warnings")


def write_row(row: Foreign) -> str:
    """The row of a table in which the page tells of a foreign name."""
    names = ", ".join(f"`{name}`" for name in row.names)
    here = f"`{row.ours}`" if row.ours else "not available"
    cells = (names, row.language, f"{here}; {row.note}" if row.note else here)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


@together("kind", FOREIGN)
def test_the_page_has_the_table_of_foreign_names(kind: Kind) -> None:
    section = read_section(FOREIGN_SECTIONS[kind])
    written = [line for line in section.splitlines() if line.startswith("| `")]
    assert written == [write_row(row) for row in FOREIGN[kind]]


@together("query", list_examples(PAGE))
def test_every_example_parses(query: str) -> None:
    parse(query)


def test_every_name_in_the_tables_exists() -> None:
    """What looks like a call in the first column of a table can be called."""
    for section, known in (
        ("Aggregates", {*AGGREGATES}),
        ("Expressions", {*FUNCTIONS}),
    ):
        firsts = re.findall(r"^\| (`[a-z].*?) \|", read_section(section), re.MULTILINE)
        called = set(re.findall(r"`([a-z_0-9]+)\(", "".join(firsts)))
        assert called <= known


def test_errors_are_as_the_page_shows_them() -> None:
    """Each row: a query, the message it gets, and the query suggested instead."""
    rows = re.findall(
        r"^\| `(.+?)` \| `(col .+?)` \| `(.+?)` \|$", read_section("Errors"), re.MULTILINE
    )
    assert len(rows) > 2
    for row in rows:
        query, message, suggestion = (cell.replace("\\|", "|") for cell in row)
        with pytest.raises(InvalidQuery) as caught:
            parse(query)
        assert (caught.value.message, caught.value.suggestion) == (message, suggestion)


def test_every_section_in_small_letters_is_a_pipe() -> None:
    assert set(re.findall(r"^### ([a-z]+)$", PAGE, re.MULTILINE)) == set(CANONICAL)
