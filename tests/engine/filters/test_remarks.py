"""Remarks: rows that a comparison could not judge, and rows that differ only because they lack the field."""

from collections import Counter
from typing import Any

from tests.engine.pipes.tables import make_table

from logboom.engine.filters.remarks import count_remarks
from logboom.lang import ast

ROWS: list[dict[str, Any]] = [
    {"n": 5, "level": "info"},
    {"n": "6", "level": "warn"},
    {"n": "six"},
    {"n": True},
    {"n": ["x", "7"]},
    {"n": "7ms"},
    {"n": 2.5},
    {"m": 1},
]
INFO = ast.Pattern.literal("info")


def test_values_that_are_no_numbers_are_counted() -> None:
    table = make_table(ROWS)
    plain = ast.Compare("n", ">", ast.Quantity(5))
    assert count_remarks(plain, table, table) == Counter({("not_numeric", "n"): 4})
    duration = ast.Range("N", ast.Quantity(5, "ms"), None)
    assert count_remarks(duration, table, table) == Counter({("not_numeric", "N"): 3})


def test_numbers_and_comparisons_of_texts_need_no_remark() -> None:
    table = make_table(ROWS)
    assert not count_remarks(ast.Compare("m", ">", ast.Quantity(5)), table, table)
    assert not count_remarks(ast.Compare("n", ">", "a"), table, table)
    assert not count_remarks(ast.Compare("nothing", ">", ast.Quantity(5)), table, table)
    assert not count_remarks(ast.Match("level", INFO), table, table)


def test_rows_that_lack_an_excluded_field_are_counted_wherever_it_is_excluded() -> None:
    table = make_table(ROWS)
    absent = Counter({("lacks_field", "level"): 6})
    for test in (
        ast.Match("level", INFO),
        ast.Exact("level", "info"),
        ast.OneOf("level", (INFO,)),
    ):
        assert count_remarks(ast.Not(test), table, table) == absent
    compare = ast.Compare("n", ">", ast.Quantity(5))
    both = ast.Or((ast.Not(ast.Match("level", INFO)), compare))
    assert count_remarks(both, table, table) == absent + Counter({("not_numeric", "n"): 4})
    assert count_remarks(ast.Not(ast.Match("gone", INFO)), table, table) == {
        ("lacks_field", "gone"): 8
    }


def test_an_empty_table_has_no_remarks() -> None:
    table = make_table(ROWS)
    empty = table.with_frame(table.frame.clear())
    node = ast.And((ast.Not(ast.Match("level", INFO)), ast.Compare("n", ">", ast.Quantity(5))))
    assert not count_remarks(node, empty, empty)


def test_only_rows_that_matched_lack_a_field() -> None:
    table, matched = make_table(ROWS), make_table(ROWS[:3])
    node = ast.Not(ast.Match("level", INFO))
    assert count_remarks(node, table, matched) == Counter({("lacks_field", "level"): 1})
