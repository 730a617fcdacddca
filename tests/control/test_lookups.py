"""Lookup tables: kept whole, checked before they are kept, shared between nodes."""

from pathlib import Path

import pytest

from logboom.base.errors import Invalid, NotFound, TooLarge
from logboom.base.stores.local import LocalObjects
from logboom.control.documents.cipher import PlainCipher
from logboom.control.documents.store import Documents
from logboom.control.saved.lookups import MAX_TABLE_BYTES, Lookups

HOSTS = 'host,team,"on call"\nweb-1,front,Ann\ndb-1,"back, end",\n'


@pytest.fixture
def documents(tmp_path: Path) -> Documents:
    return Documents(LocalObjects(tmp_path), PlainCipher())


def test_a_table_has_text_columns_and_empty_cells_are_none(documents: Documents) -> None:
    lookups = Lookups(documents)
    lookups.put("hosts", HOSTS)
    assert lookups.get("hosts").csv == HOSTS
    assert lookups.tables["hosts"].rows(named=True) == [
        {"host": "web-1", "team": "front", "on call": "Ann"},
        {"host": "db-1", "team": "back, end", "on call": None},
    ]


def test_a_table_is_replaced_and_deleted(documents: Documents) -> None:
    lookups = Lookups(documents)
    lookups.put("hosts", HOSTS)
    lookups.put("hosts", "a\n1\n")
    assert lookups.tables["hosts"].columns == ["a"]
    lookups.delete("hosts")
    assert lookups.tables == {}
    with pytest.raises(NotFound):
        lookups.delete("hosts")
    with pytest.raises(NotFound):
        lookups.get("hosts")


def test_another_node_sees_it_after_a_refresh(documents: Documents) -> None:
    here, there = Lookups(documents), Lookups(documents)
    here.put("hosts", HOSTS)
    there.refresh()
    assert list(there.tables) == ["hosts"]


def test_a_header_alone_is_an_empty_table(documents: Documents) -> None:
    lookups = Lookups(documents)
    lookups.put("nothing", "a,b\n")
    assert lookups.tables["nothing"].shape == (0, 2)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "header line"),
        ("a,A\n1,2\n", "different names"),
        ("a,\n1,2\n", "different names"),
        ("a,b\n1\n", "row 2"),
        ('a,b\n"1,2\n', "not valid CSV"),
    ],
)
def test_what_is_no_table_is_refused(documents: Documents, text: str, reason: str) -> None:
    lookups = Lookups(documents)
    with pytest.raises(Invalid, match=reason):
        lookups.put("bad", text)
    assert lookups.tables == {}


def test_a_huge_table_is_refused(documents: Documents) -> None:
    with pytest.raises(TooLarge):
        Lookups(documents).put("huge", "a\n" + "x" * MAX_TABLE_BYTES)


@pytest.mark.parametrize("name", ["", "1a", "a b", "../x", "a" * 65])
def test_names_are_plain(documents: Documents, name: str) -> None:
    with pytest.raises(Invalid):
        Lookups(documents).put(name, HOSTS)
