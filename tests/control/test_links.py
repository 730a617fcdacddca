"""Short links: what may be one, who sees them, how many there may be, how they are sealed."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logboom.base.clock import NS_PER_S, system_clock
from logboom.base.errors import Conflict, Corrupt, Invalid, NotFound, TooLarge
from logboom.base.stores.local import LocalObjects
from logboom.control.access.principal import Principal
from logboom.control.access.scopes import Scope
from logboom.control.control import Control
from logboom.control.documents.cipher import AesCipher, PlainCipher
from logboom.control.documents.rotate import rotate
from logboom.control.documents.store import Documents
from logboom.control.saved import links as links_module
from logboom.control.saved.links import ID, LONGEST_ADDRESS_BYTES, Links, check_address

ANN = Principal("user", "a", "ann", frozenset({Scope.SEARCH}))
ADDRESS = "/explore?q=level%3Aerror&from=2026-01-02T03%3A04%3A05Z"
OLD, NEW = bytes(range(32)), bytes(range(32, 64))


def open_links(root: Path) -> Links:
    return Links(Documents(LocalObjects(root), PlainCipher()), lambda: 7 * NS_PER_S)


def test_a_link_leads_to_its_address_here_and_on_other_nodes(tmp_path: Path) -> None:
    here, there = open_links(tmp_path), open_links(tmp_path)
    first = here.create(ANN, ADDRESS)
    assert there.get(first).address == ADDRESS
    later = [here.create(ANN, f"/explore?q={number}") for number in range(40)]
    assert [there.get(each).address for each in later] == [f"/explore?q={n}" for n in range(40)]
    assert len({first, *later}) == 41
    assert all(ID.fullmatch(each) for each in later)
    assert open_links(tmp_path).get(first) == here.get(first)


@pytest.mark.parametrize("unknown", ["0000000000", "", "short", "../../etc", "A" * 10, "0" * 11])
def test_an_unknown_link_is_not_found_and_makes_nothing(tmp_path: Path, unknown: str) -> None:
    with pytest.raises(NotFound):
        open_links(tmp_path).get(unknown)
    assert not list(tmp_path.rglob("*"))


BAD = [
    *("", "explore", "//elsewhere.example", "/explore//x", "https://elsewhere.example/explore"),
    *("/\\elsewhere.example", "/explore?q=a b", "/explore?q=\n", "/explore?q=é", "/explore#x"),
    *("/../x", "/%2felsewhere", "javascript:alert(1)", "/explore?q=\x00", "/explore/"),
]


@pytest.mark.parametrize("address", BAD)
def test_only_addresses_of_pages_are_taken(tmp_path: Path, address: str) -> None:
    with pytest.raises(Invalid, match="is not a page") as caught:
        open_links(tmp_path).create(ANN, address)
    assert caught.value.data["field"] == "address"


@pytest.mark.parametrize("address", ["/explore", "/explore?", ADDRESS, "/admin/ingestion?tab=x"])
def test_addresses_of_pages_are_taken(address: str) -> None:
    check_address(address)


@given(st.text())
def test_whatever_is_taken_stays_on_this_host(text: str) -> None:
    try:
        check_address(text)
    except Invalid:
        return
    assert text.startswith("/")
    assert not text.startswith("//")
    assert text.isascii()


def test_an_address_has_a_length(tmp_path: Path) -> None:
    links = open_links(tmp_path)
    links.create(ANN, "/explore?".ljust(LONGEST_ADDRESS_BYTES, "x"))
    with pytest.raises(Invalid, match=f"at most {LONGEST_ADDRESS_BYTES}"):
        links.create(ANN, "/explore?".ljust(LONGEST_ADDRESS_BYTES + 1, "x"))


def test_they_take_a_bounded_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links_module, "MOST_BYTES_OF_A_SHELF", 300)
    links = open_links(tmp_path)
    made: list[str] = []

    def fill() -> None:
        for _ in range(33):
            made.append(links.create(ANN, "/explore?".ljust(100, "x")))  # noqa: PERF401 - it ends midway

    with pytest.raises(TooLarge, match="9600 bytes"):
        fill()
    assert made
    assert all(links.get(each) for each in made)


def test_no_link_takes_the_place_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links_module, "ALPHABET", "7")
    links = open_links(tmp_path)
    made = links.create(ANN, ADDRESS)
    with pytest.raises(Conflict):
        links.create(ANN, "/explore")
    assert links.get(made).address == ADDRESS


def test_they_are_sealed_and_sealed_again_with_a_new_key(tmp_path: Path) -> None:
    control = Control.open(LocalObjects(tmp_path), OLD, bytes(32), system_clock)
    made = control.links.create(ANN, ADDRESS)
    (kept,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert ADDRESS.encode() not in kept.read_bytes()
    rotate(LocalObjects(tmp_path), OLD, NEW)
    documents = Documents(LocalObjects(tmp_path), AesCipher(NEW))
    assert Links(documents, system_clock).get(made).address == ADDRESS
    with pytest.raises(Corrupt):
        Links(Documents(LocalObjects(tmp_path), AesCipher(OLD)), system_clock).get(made)
