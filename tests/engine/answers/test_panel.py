"""The field panel: exact counts, from indexes or from rows, however these are split."""

from collections import Counter, defaultdict
from typing import Any

from hypothesis import given, settings
from tests.engine.pipes.tables import cut_lists, make_table, mixed_rows, run_split
from tests.engine.stored import Stored
from tests.properties import examples

from logboom.control.access.globs import IndexBounds
from logboom.engine.answers.fields.panel import FieldSummary, Panel, ValueCount, read_panel
from logboom.engine.blocks.block_group import BlockGroup
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.table import Table
from logboom.model.columns import Kind

EVENTS = [
    {"level": "error", "status": 500, "tags": ["a", "b"]},
    {"level": "error", "status": 500.5},
    {"Level": "info", "status": "500", "ok": True},
]
KINDS = {str: "str", int: "int", float: "float", bool: "bool"}


def find_panel(stored: Stored, env: str, query: str = "", **options: Any) -> list[FieldSummary]:
    finder = stored.make_finder(env, query, **options)
    return read_panel(finder.find(finder.prepare(finder.request), Panel()))


def test_fields_are_counted_by_type_with_their_values(stored: Stored) -> None:
    env = stored.make_env()
    stored.keep(env, EVENTS[:2])
    stored.keep(env, EVENTS[2:], index="web")
    assert find_panel(stored, env) == [
        FieldSummary("_index", 3, {"str": 3}, 2, [ValueCount("default", 2), ValueCount("web", 1)]),
        FieldSummary("level", 3, {"str": 3}, 2, [ValueCount("error", 2), ValueCount("info", 1)]),
        FieldSummary(
            "status",
            3,
            {"str": 1, "int": 1, "float": 1},
            3,
            [ValueCount(500.5, 1), ValueCount(500, 1), ValueCount("500", 1)],
        ),
        FieldSummary("ok", 1, {"bool": 1}, 1, [ValueCount(value=True, count=1)]),
        FieldSummary("tags", 1, {"str": 1}, None, []),
    ]


def test_a_filter_leaves_the_fields_of_what_it_finds(stored: Stored) -> None:
    env = stored.make_env()
    stored.keep(env, EVENTS)
    names = {each.name: each.count for each in find_panel(stored, env, "level:error")}
    assert names == {"_index": 2, "level": 2, "status": 2, "tags": 1}


def test_computed_and_hidden_fields_count_as_they_are_shown(wide: Stored) -> None:
    env = wide.make_env()
    wide.keep(env, EVENTS)
    panel = find_panel(wide, env, "* | eval double = status * 2 | fields level, double")
    assert [(each.name, each.count) for each in panel] == [("double", 3), ("level", 3)]


def test_many_values_are_not_counted_one_by_one(wide: Stored) -> None:
    env = wide.make_env()
    wide.keep(env, [{"n": number, "few": number % 3} for number in range(300)])
    panel = {each.name: each for each in find_panel(wide, env)}
    assert (panel["n"].count, panel["n"].distinct, panel["n"].top) == (300, None, [])
    assert panel["few"].distinct == 3
    found = {each.name: each for each in find_panel(wide, env, "few:0")}
    assert found["n"].distinct == 100, "among those found there are not so many"


def test_indexes_out_of_bounds_do_not_show(stored: Stored) -> None:
    env = stored.make_env()
    stored.add(env, [{"secret": 1}], index="hidden")
    stored.keep(env, [{"open": 1}], index="web")
    names = [each.name for each in find_panel(stored, env, allowed=IndexBounds(("web*",)))]
    assert names == ["_index", "open"]


def test_no_events_have_no_fields(stored: Stored) -> None:
    assert find_panel(stored, stored.make_env()) == []


def test_an_index_tells_the_same_as_its_rows(wide: Stored) -> None:
    env = wide.make_env()
    wide.keep(env, [*EVENTS, {"status": 500.0, "message": "x"}, {"long": "x" * 70_000}])
    by_index, left = Panel().compute_by_index(BlockGroup(tuple(wide.open_blocks(env))))
    assert by_index is not None
    assert left == []
    by_rows = find_panel(wide, env, "NOT nothing:there")
    assert read_panel(Panel().merge([by_index])) == by_rows


def count_naively(rows: list[dict[str, Any]]) -> list[tuple[str, int, dict[str, int]]]:
    types: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for name, cell in row.items():
            if cell is not None and name != "_time":
                first = (cell or [""])[0] if isinstance(cell, list) else cell
                types[name][KINDS[type(first)]] += 1
    found = [(name, counts.total(), dict(counts)) for name, counts in types.items()]
    return sorted(found, key=lambda each: (-each[1], each[0]))


@settings(max_examples=examples(200), deadline=None)
@given(mixed_rows, cut_lists)
def test_it_counts_like_one_by_one_however_rows_are_split(
    rows: list[dict[str, Any]], cuts: list[int]
) -> None:
    panel = read_panel(run_split(Panel(), make_table(rows, events=True), cuts))
    assert [(each.name, each.count, each.types) for each in panel] == count_naively(rows)
    values = [row["id"] for row in rows]
    of_id = [each for each in panel if each.name == "id"]
    assert [each.distinct for each in of_id] == ([len(values)] if values else [])


@settings(max_examples=examples(50), deadline=None)
@given(mixed_rows, cut_lists)
def test_values_do_not_depend_on_how_rows_are_split(
    rows: list[dict[str, Any]], cuts: list[int]
) -> None:
    table = make_table(rows, events=True)
    whole = read_panel(run_split(Panel(), table, []))
    assert read_panel(run_split(Panel(), table, cuts)) == whole


def test_a_panel_of_one_field_has_that_field(wide: Stored) -> None:
    env = wide.make_env()
    wide.keep(env, EVENTS)
    finder = wide.make_finder(env)
    pipe: MergePipe = Panel(frozenset({"level"}))
    table: Table = finder.find(finder.prepare(finder.request), pipe)
    assert [each.name for each in read_panel(table)] == ["level"]


def test_types_have_the_names_of_kinds() -> None:
    assert set(KINDS.values()) <= {kind.value for kind in Kind}
