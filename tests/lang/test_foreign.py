"""The tables of foreign names: what they say of each is true, and what they suggest is a query."""

import re

import pytest
from tests.together import together

from logboom.lang.errors import InvalidQuery
from logboom.lang.foreign import FOREIGN, Foreign, Kind, find_foreign
from logboom.lang.functions import AGGREGATE_ALIASES, AGGREGATES, FUNCTION_ALIASES, FUNCTIONS
from logboom.lang.parse import parse
from logboom.lang.parse.nearest import find_misspelled, is_one_slip
from logboom.lang.parse.pipes import PIPES

KNOWN: dict[Kind, set[str]] = {
    "pipe": {*PIPES},
    "aggregate": {*AGGREGATES, *AGGREGATE_ALIASES},
    "function": {*FUNCTIONS, *FUNCTION_ALIASES},
}
PLACES: dict[Kind, tuple[str, str]] = {
    "pipe": ("error | ", " x"),
    "aggregate": ("error | stats ", "(x)"),
    "function": ("error | eval y = ", "(x)"),
}
EVERY = [(kind, row, name) for kind, rows in FOREIGN.items() for row in rows for name in row.names]
ROWS = [(kind, row) for kind, rows in FOREIGN.items() for row in rows]
MEANT = [
    ("project-away a, b", "drop a, b"),
    ("project-rename new = old", "rename old as new"),
    ("label_format b=a", "rename a as b"),
    ("grep -v healthcheck", "where NOT healthcheck"),
    ("grep -E 'a|b'", "where message=~'a|b'"),
    ("group_by(.host)", "stats count by host"),
    ("sort_by(.took)", "sort took"),
    ("sed 's/a/b/g'", 'replace "a" with "b"'),
    ("reduce by message", "patterns"),
    ("having count > 5", "where count > 5"),
    (
        "stats countif(status >= 500) as bad by host",
        "stats count if (status >= 500) as bad by host",
    ),
    ("stats sumif(took, status >= 500)", "stats sum(took) if (status >= 500)"),
    ("stats dcount(user)", "stats count_uniq(user)"),
    ("stats arg_max(took, *)", "stats row_max(took)"),
    ("stats sumsq(took)", "stats sum(took * took)"),
    ('eval x = iff(a > 1, "m", "o")', 'eval x = if(a > 1, "m", "o")'),
    ("eval x = ago(5m)", "eval x = (now() - 5m)"),
    ('eval x = date_trunc("hour", _time)', "eval x = bucket(_time, 1h)"),
    ("eval x = date_trunc(5 minutes, _time)", "eval x = bucket(_time, 5m)"),
    ("eval x = left(host, 3)", "eval x = substr(host, 1, 3)"),
    ('eval x = extract("id=([0-9]+)", 1, message)', 'eval x = capture(message, "id=([0-9]+)", 1)'),
    ("where isempty(user)", 'where (coalesce(user, "") == "")'),
    ('where ipv4_is_in_range(ip, "10.0.0.0/8")', 'where cidrmatch("10.0.0.0/8", ip)'),
]


def refuse(query: str) -> InvalidQuery:
    with pytest.raises(InvalidQuery) as caught:
        parse(query)
    return caught.value


@together(("kind", "row", "name"), EVERY)
def test_a_foreign_name_gets_a_message_of_its_own(kind: Kind, row: Foreign, name: str) -> None:
    before, after = PLACES[kind]
    error = refuse(f"{before}{name}{after}")
    assert (row.ours or row.note) in error.message
    assert "did you mean" not in error.message
    if error.suggestion is not None:
        parse(error.suggestion)


@together(("kind", "row"), ROWS)
def test_what_is_written_instead_is_valid(kind: Kind, row: Foreign) -> None:
    before, _ = PLACES[kind]
    assert row.ours or row.note
    if row.ours:
        parse(before + row.ours)


@together("kind", FOREIGN)
def test_no_foreign_name_is_one_of_ours_or_there_twice(kind: Kind) -> None:
    names = [name for row in FOREIGN[kind] for name in row.names]
    assert not set(names) & KNOWN[kind]
    assert len(names) == len(set(names))
    assert find_foreign(kind, names[0].upper()) is FOREIGN[kind][0]


@together(("written", "meant"), MEANT)
def test_a_foreign_pipe_is_repaired(written: str, meant: str) -> None:
    suggestion = refuse(f"error | {written}").suggestion
    assert suggestion is not None
    assert parse(suggestion) == parse(f"error | {meant}")


def test_what_only_some_page_does_is_left_out() -> None:
    assert refuse("error | stats count | render timechart").suggestion == "error | stats count"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("stast", "stats"),
        ("stat", "stats"),
        ("statss", "stats"),
        ("stots", "stats"),
        ("tsats", "stats"),
    ],
)
def test_one_slip_of_the_fingers(left: str, right: str) -> None:
    assert is_one_slip(left, right)
    assert is_one_slip(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [("stats", "stats"), ("sttas", "stast"), ("st", "stats"), ("count_empty", "count")],
)
def test_two_slips_or_none(left: str, right: str) -> None:
    assert not is_one_slip(left, right)


def test_only_one_name_may_come_near() -> None:
    assert find_misspelled("rexx", {"rexa", "rexb"}) is None
    assert find_misspelled("rexx", {"rex", "stats"}) == "rex"
    assert find_misspelled("rx", {"rex"}) is None


def test_an_unknown_pipe_is_told_of_in_few_words() -> None:
    message = refuse("error | frobnicate").message
    assert re.search(
        r"expected one such as stats, .*all \d+ are in the query language reference", message
    )
    assert len(message) < 150


def test_a_repair_of_a_long_text_takes_no_time() -> None:
    """The patterns of a repair look at a bounded piece of the query."""
    for name in ("tstats", "chart", "bin", "collapse_nums"):
        refuse(f"error | {name} " + "a where by over span= " * 2500)
