"""Saved queries: how many there may be, and what two nodes see of them."""

from pathlib import Path

import pytest

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Conflict, NotFound, TooLarge
from logboom.base.stores.local import LocalObjects
from logboom.control.access.principal import Principal
from logboom.control.access.scopes import Scope
from logboom.control.documents.cipher import PlainCipher
from logboom.control.documents.store import Documents
from logboom.control.saved import queries as queries_module
from logboom.control.saved.queries import SavedQueries, SavedQuery

ANN = Principal("user", "a", "ann", frozenset({Scope.SEARCH}))
BOB = Principal("user", "b", "bob", frozenset({Scope.SEARCH}))


def accept(_before: SavedQuery | None, after: SavedQuery) -> SavedQuery:
    """Any query will do."""
    return after


def open_queries(root: Path) -> SavedQueries:
    return SavedQueries(Documents(LocalObjects(root), PlainCipher()), lambda: 7 * NS_PER_S)


def test_another_node_sees_them_after_a_refresh(tmp_path: Path) -> None:
    here, there = open_queries(tmp_path), open_queries(tmp_path)
    made = here.create(ANN, {"name": "x", "query": "y", "is_shared": True}, accept)
    assert there.list_for(BOB) == ()
    there.refresh()
    assert there.list_for(BOB) == (made,)
    assert open_queries(tmp_path).get_for(BOB, made.id) == made


def test_an_owner_has_a_number_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries_module, "MOST_OF_AN_OWNER", 3)
    queries = open_queries(tmp_path)
    for number in range(3):
        queries.create(ANN, {"name": f"{number}"}, accept)
    with pytest.raises(Conflict, match="3 saved queries"):
        queries.create(ANN, {"name": "one more"}, accept)
    queries.create(BOB, {"name": "first"}, accept)


LIMITS = ["MOST_BYTES_OF_AN_OWNER", "MOST_BYTES"]


@pytest.mark.parametrize("limit", LIMITS)
def test_they_take_a_bounded_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(queries_module, limit, 1000)
    queries = open_queries(tmp_path)
    queries.create(ANN, {"name": "x", "query": "y" * 900}, accept)
    with pytest.raises(TooLarge, match="1000 bytes"):
        queries.create(ANN, {"name": "z", "query": "y" * 90}, accept)
    assert [query.name for query in queries.list()] == ["x"]


def test_what_became_private_meanwhile_is_not_changed_by_others(tmp_path: Path) -> None:
    editor = Principal("user", "e", "eve", frozenset({Scope.SEARCH, Scope.EDIT}))
    here, there = open_queries(tmp_path), open_queries(tmp_path)
    made = here.create(ANN, {"name": "x", "is_shared": True}, accept)
    there.refresh()
    here.update(ANN, made.id, {"is_shared": False}, accept)
    assert there.get_for(editor, made.id).is_shared
    with pytest.raises(NotFound):
        there.delete_by(editor, made.id)
    with pytest.raises(NotFound):
        there.update(editor, made.id, {"name": "y"}, accept)
    assert here.get_for(ANN, made.id).name == "x"


def test_parting_with_an_owner_who_saved_nothing_writes_nothing(tmp_path: Path) -> None:
    queries = open_queries(tmp_path)
    queries.create(ANN, {"name": "x"}, accept)
    generation = queries.generation
    queries.detach_owner(BOB.id, BOB.name)
    assert queries.generation == generation
