"""`dedup`: the first rows of each combination of values."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from tests.engine.pipes.tables import (
    Row,
    cut_lists,
    find_first,
    find_ids,
    make_key,
    make_table,
    mixed_rows,
    run,
    run_split,
    sort_newest,
)

from logboom.engine.pipes.choose.dedup import Dedup, make_dedup
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

field_lists = st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=2, unique=True).map(tuple)


def dedup(*fields: str, keep: int = 1, keys: tuple[ast.SortKey, ...] = ()) -> Dedup:
    return make_dedup(ast.Dedup(fields, keep, keys), Conditions())


def drop_repeated(rows: list[Row], fields: tuple[str, ...], keep: int) -> list[int]:
    seen: Counter[object] = Counter()
    kept = []
    for row in rows:
        if any(find_first(row.get(field)) is None for field in fields):
            continue
        key = tuple(make_key(row.get(field)) for field in fields)
        seen[key] += 1
        if seen[key] <= keep:
            kept.append(row["id"])
    return kept


def test_the_newest_event_of_each_value_is_kept() -> None:
    hosts = ["a", "b", "a", None]
    rows = [{"id": place, "host": host} for place, host in enumerate(hosts)]
    assert find_ids(run_split(dedup("Host"), make_table(rows, events=True), [1, 3])) == [0, 1]


def test_it_keeps_as_many_as_asked_for_after_sorting() -> None:
    rows = [{"id": place, "host": "a", "size": place % 3} for place in range(4)]
    pipe = dedup("host", keep=2, keys=(ast.SortKey("size", descending=True),))
    assert find_ids(run_split(pipe, make_table(rows, events=True), [2])) == [2, 1]


def test_types_count_but_whole_floats_are_integers() -> None:
    values = [1, 1.0, "1", True, [1, 2]]
    rows = [{"id": place, "x": value} for place, value in enumerate(values)]
    assert find_ids(run(dedup("x"), make_table(rows))) == [0, 2, 3]


@given(mixed_rows, field_lists, st.integers(1, 3), cut_lists)
def test_it_is_the_same_however_rows_are_split(
    rows: list[Row], fields: tuple[str, ...], keep: int, cuts: list[int]
) -> None:
    pipe = dedup(*fields, keep=keep)
    of_table = run_split(pipe, make_table(rows), cuts)
    assert find_ids(of_table) == drop_repeated(rows, fields, keep)
    of_events = run_split(pipe, make_table(rows, events=True), cuts)
    assert of_events.has_events
    assert find_ids(of_events) == drop_repeated(sort_newest(rows), fields, keep)


def test_without_the_field_nothing_is_left() -> None:
    assert run(dedup("x"), make_table([{"id": 0}])).height == 0
    assert run(dedup("x"), make_table([], events=True)).height == 0


def test_it_reads_its_fields_and_keys() -> None:
    assert dedup("A", keys=(ast.SortKey("b"),)).needs().fields == {"a", "b"}
