"""`rare`: the least frequent combinations of values; `test_top` holds it to plain Python."""

from tests.engine.pipes.tables import make_table, read, run, run_split

from logboom.engine.pipes.groups.rare import Rare, make_rare
from logboom.engine.pipes.groups.top import make_top
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


def rare(*fields: str, limit: int = 10, by: tuple[str, ...] = ()) -> Rare:
    return make_rare(ast.Rare(fields, limit, by), Conditions())


def test_the_least_frequent_values_come_first() -> None:
    rows = [{"host": host} for host in "bababcd"]
    assert read(run_split(rare("host", limit=3), make_table(rows, events=True), [2, 5])) == [
        {"host": "c", "count": 1, "percent": 14.285714},
        {"host": "d", "count": 1, "percent": 14.285714},
        {"host": "a", "count": 2, "percent": 28.571429},
    ]


def test_each_group_has_its_own() -> None:
    rows = [{"env": env, "host": host} for env, host in ("pa", "pb", "pb", "qa")]
    found = read(run(rare("host", limit=1, by=("env",)), make_table(rows)))
    assert [(row["env"], row["host"]) for row in found] == [("p", "a"), ("q", "a")]


def test_no_rows_and_no_field_give_no_rows() -> None:
    assert read(run(rare("a"), make_table([], events=True))) == []
    assert read(run(rare("none"), make_table([{"a": 1}], events=True))) == []


def test_it_works_on_the_table_of_an_earlier_pipe() -> None:
    table = make_table([{"a": value} for value in "xxyyz"], events=True)
    frequent = (
        run(make_top(ast.Top(("a",)), Conditions()), table).without("count").without("percent")
    )
    assert [row["a"] for row in read(run(rare("a", limit=2), frequent))] == ["x", "y"]
