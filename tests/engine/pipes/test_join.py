"""`join`: what another query's first row with the same values has beside them."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.pipes.tables import (
    Beside,
    Row,
    find_first,
    make_key,
    make_table,
    mixed_rows,
    read,
    run,
)

from logboom.engine.pipes.combine.join import Join, make_join
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

QUERY = ast.Query(ast.Everything())
Kind = Literal["inner", "left"]
kinds: st.SearchStrategy[Kind] = st.sampled_from(["inner", "left"])


def join(*fields: str, kind: Kind = "inner") -> Join:
    return make_join(ast.Join(fields, QUERY, kind), Conditions())


def join_rows(rows: list[Row], others: list[Row], field: str, kind: Kind) -> list[Row]:
    partners: dict[object, Row] = {}
    for other in others:
        if find_first(other.get(field)) is not None:
            partners.setdefault(make_key(other[field]), other)
    joined = []
    for row in rows:
        partner = partners.get(make_key(row.get(field)))
        if partner is not None or kind == "left":
            added = {k: v for k, v in (partner or {}).items() if v is not None and k != field}
            joined.append(added | {k: v for k, v in row.items() if v is not None})
    return joined


USERS = make_table([{"user": "ann", "team": "web"}, {"user": "ann", "team": "ops"}])


@pytest.mark.parametrize("events", [False, True])
def test_the_first_row_with_the_same_value_is_added(events: bool) -> None:
    table = make_table([{"id": 0, "user": "ann"}, {"id": 1, "user": "bob"}], events=events)
    inner = read(run(join("User"), table, Beside(USERS)))
    assert [(row["id"], row["team"]) for row in inner] == [(0, "web")]
    left = read(run(join("user", kind="left"), table, Beside(USERS)))
    assert [(row["id"], row.get("team")) for row in left] == [(0, "web"), (1, None)]


def test_what_a_row_has_itself_stays() -> None:
    table = make_table([{"user": "ann", "Team": 7}, {"user": "ann"}])
    rows = read(run(join("user"), table, Beside(USERS)))
    assert rows == [{"user": "ann", "Team": 7}, {"user": "ann", "Team": "web"}]


def test_events_stay_events_and_show_what_was_added() -> None:
    table = make_table([{"user": "ann"}], events=True)
    joined = run(join("user"), table, Beside(USERS))
    assert joined.has_events
    assert joined.columns == ("team",)


def test_what_every_event_has_itself_stays_its_own() -> None:
    others = make_table([{"user": "ann", "team": "web", "host": "b"}])
    joined = run(
        join("user"), make_table([{"user": "ann", "host": "a"}], events=True), Beside(others)
    )
    assert joined.columns == ("team",)
    assert [row["host"] for row in read(joined)] == ["a"]


def test_of_other_events_their_fields_are_added_but_not_what_is_the_services_own() -> None:
    others = make_table([{"user": "ann", "team": "web", "_time": 5}], events=True)
    table = make_table([{"user": "ann", "n": 1}])
    assert read(run(join("user"), table, Beside(others))) == [
        {"user": "ann", "n": 1, "team": "web"}
    ]


@given(mixed_rows, mixed_rows, kinds)
def test_it_agrees_with_a_loop(rows: list[Row], others: list[Row], kind: Kind) -> None:
    table, other = make_table(rows), make_table(others)
    found = read(run(join("a", kind=kind), table, Beside(other)))
    assert found == join_rows(rows, others, "a", kind)


def test_nothing_joins_with_nothing() -> None:
    empty = make_table([])
    assert run(join("a"), empty, Beside(empty)).height == 0
    assert run(join("a"), make_table([{"b": 1}]), Beside(USERS)).height == 0
    assert read(run(join("a", kind="left"), make_table([{"b": 1}]), Beside(USERS))) == [{"b": 1}]


def test_it_reads_every_field() -> None:
    assert join("a").needs().everything
