"""`context`: the events around others, in their environment and index, where fields are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.pipes.tables import (
    NothingElse,
    Row,
    cut_lists,
    find_ids,
    make_key,
    make_table,
    run,
    sort_newest,
    split,
)

from logboom.base.errors import Invalid
from logboom.engine.execution.neighbours import find_around
from logboom.engine.pipes.combine.around import Around, make_around
from logboom.engine.pipes.combine.context import make_context
from logboom.engine.rows.table import TIME, Table
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast
from logboom.store.block.info import BlockInfo

PLACE = {"_env": "default", "_index": "web"}
placed_rows: st.SearchStrategy[list[Row]] = st.lists(
    st.fixed_dictionaries(
        {
            "_time": st.integers(0, 8),
            "_env": st.just("default"),
            "_index": st.sampled_from(["web", "db"]),
        },
        optional={"host": st.sampled_from(["a", "b", 1, 1.0, None])},
    ),
    max_size=14,
).map(lambda rows: [{**row, "id": place} for place, row in enumerate(rows)])


class Blocks(NothingElse):
    """A finder over the pieces of a table, which it asks as it would ask blocks."""

    def __init__(self, table: Table, cuts: list[int]) -> None:
        self._pieces = {}
        self.asked: list[str] = []
        for number, piece in enumerate(split(table, cuts)):
            times = piece.frame[TIME.name]
            if len(times):
                first, last = min(times), max(times)
                info = BlockInfo(str(number), "default", 0, 0, 0, first, last, 0, "node")
                self._pieces[info] = piece

    def around(self, anchors: Table, wanted: ast.Context) -> Table:
        return find_around(make_around(anchors, wanted), self._pieces, self._ask)

    def _ask(self, around: Around, blocks: list[BlockInfo]) -> Table:
        empty = make_table([], events=True)
        merged = around.compute(empty)
        for info in blocks:
            if around.is_settled(merged, info):
                break
            self.asked.append(info.path)
            merged = around.merge([merged, around.compute(self._pieces[info])])
        return merged


def find_context(rows: list[Row], chosen: set[int], wanted: ast.Context) -> list[int]:
    found = set(chosen)
    fields = ("_index", *wanted.same)
    groups: dict[object, list[int]] = {}
    for row in sort_newest(rows):
        key = tuple(make_key(row.get(field)) for field in fields)
        groups.setdefault(key, []).append(row["id"])
    for members in groups.values():
        for place, each in enumerate(members):
            if each in chosen:
                found.update(members[max(0, place - wanted.after) : place + wanted.before + 1])
    return [row["id"] for row in sort_newest(rows) if row["id"] in found]


def run_context(rows: list[Row], chosen: set[int], wanted: ast.Context, cuts: list[int]) -> Table:
    table = make_table(rows, events=True)
    anchors = table.with_frame(table.frame.filter([row["id"] in chosen for row in rows]))
    return run(make_context(wanted, Conditions()), anchors, Blocks(table, cuts))


def test_the_events_before_and_after_are_added() -> None:
    rows = [{**PLACE, "id": place, "_time": 10 - place} for place in range(8)]
    found = run_context(rows, {4}, ast.Context(before=2, after=1), [3, 5])
    assert found.has_events
    assert find_ids(found) == [3, 4, 5, 6]


def test_only_events_of_the_same_index_and_values_count() -> None:
    rows: list[Row] = [
        {**PLACE, "id": 0, "host": "a"},
        {**PLACE, "id": 1, "host": "b"},
        {**PLACE, "id": 2, "host": "a", "_index": "db"},
        {**PLACE, "id": 3, "host": "a"},
    ]
    assert find_ids(run_context(rows, {3}, ast.Context(after=1), [])) == [1, 3]
    assert find_ids(run_context(rows, {3}, ast.Context(after=1, same=("Host",)), [])) == [0, 3]


@given(
    placed_rows,
    st.sets(st.integers(0, 13), max_size=4),
    st.builds(ast.Context, st.integers(0, 3), st.integers(0, 3), st.sampled_from([(), ("host",)])),
    cut_lists,
)
def test_it_agrees_with_a_loop_however_events_are_split(
    rows: list[Row], chosen: set[int], wanted: ast.Context, cuts: list[int]
) -> None:
    chosen = {each for each in chosen if each < len(rows)}
    ordered = [{**row, "id": place} for place, row in enumerate(sort_newest(rows))]
    for each in (rows, ordered):
        found = run_context(each, chosen, wanted, cuts)
        assert find_ids(found) == find_context(each, chosen, wanted)


def test_far_away_blocks_are_not_asked() -> None:
    rows = [{**PLACE, "id": place, "_time": 100 - place} for place in range(60)]
    table = make_table(rows, events=True)
    blocks = Blocks(table, [10, 20, 30, 40, 50])
    anchors = table.with_frame(table.frame[25:26])
    around = blocks.around(anchors, ast.Context(before=2, after=2))
    assert find_ids(around) == [23, 24, 26, 27]
    assert blocks.asked == ["2", "3", "1"]


def test_without_events_there_are_none_around() -> None:
    wanted = ast.Context(before=2, after=2)
    assert run_context([], set(), wanted, []).height == 0


def test_a_table_has_no_context() -> None:
    with pytest.raises(Invalid, match="context needs events"):
        run(make_context(ast.Context(before=1), Conditions()), make_table([{"a": 1}]))


def test_it_reads_what_must_be_the_same() -> None:
    pipe = make_context(ast.Context(before=1, same=("Host",)), Conditions())
    assert pipe.needs().fields == {"host"}
