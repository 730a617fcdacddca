"""One process at a time commits as a node, also when its directory was copied."""

import errno
import shutil
from pathlib import Path

import pytest
from tests.store.disk import fail
from tests.store.stores import HandClock, list_messages, make_store, opened, say

from logboom.base.errors import Corrupt, Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.store import node as node_module
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.node import claim_node, read_claims, read_node


@pytest.fixture
def objects(tmp_path: Path) -> LocalObjects:
    """A store that several data directories share."""
    return LocalObjects(tmp_path / "shared")


def copy(data: Path) -> Path:
    return Path(shutil.copytree(data, data.with_name(f"{data.name}-copy")))


def test_a_directory_claims_its_name_again_at_every_start(
    tmp_path: Path, objects: LocalObjects
) -> None:
    for message in "abc":
        with opened(make_store(tmp_path / "data", objects=objects)) as store:
            store.submit(say(message)).result()
    with opened(make_store(tmp_path / "data", objects=objects)) as store:
        assert list_messages(store) == ["a", "b", "c"]
        assert [store.catalog.find_claim(store.node)] == read_claims(tmp_path / "data/claim")


def test_a_copy_is_refused_while_the_other_goes_on(tmp_path: Path, objects: LocalObjects) -> None:
    with opened(make_store(tmp_path / "data", objects=objects)):
        pass
    twin = copy(tmp_path / "data")
    with opened(make_store(tmp_path / "data", objects=objects)) as store:
        with pytest.raises(Unavailable, match="another data directory works as node"):
            make_store(twin, objects=objects).open()
        store.submit(say("goes on")).result()
        store.flush().result()
        assert list_messages(store) == ["goes on"]


def test_events_of_a_directory_whose_name_was_taken_stay_in_its_log(
    tmp_path: Path, objects: LocalObjects
) -> None:
    first = make_store(tmp_path / "data", objects=objects)
    first.open()
    twin = copy(tmp_path / "data")
    with opened(make_store(twin, objects=objects)) as second:
        first.submit(say("of the first")).result()
        second.submit(say("of the second")).result()
        second.flush().result()
        with pytest.raises(Unavailable, match="another process has taken over as node"):
            first.flush().result()
        assert list_messages(second) == ["of the second"], "nothing counts as committed by both"
        with pytest.raises(Unavailable):
            first.submit(say("refused"))
    first.close()
    assert b"of the first" in b"".join(
        path.read_bytes() for path in (tmp_path / "data/wal").iterdir()
    )


def test_two_copies_that_start_at_once_have_one_winner(
    tmp_path: Path, objects: LocalObjects
) -> None:
    with opened(make_store(tmp_path / "data", objects=objects)) as store:
        node = store.node
    claims = read_claims(tmp_path / "data/claim")
    rival = Catalog(objects, HandClock())
    rival.open()
    late = Catalog(objects, HandClock())
    late.open()
    rival.claim(node, 17, expected=claims[0])
    with pytest.raises(Exception, match="another process has taken over"):
        late.claim(node, 18, expected=claims[0])
    rival.commit(Change(transaction=(node, 99)))
    assert rival.find_claim(node) == 17


def test_a_copy_that_claims_while_another_starts_wins_alone(
    tmp_path: Path, objects: LocalObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(make_store(tmp_path / "data", objects=objects)) as store:
        node = store.node
    first, second = Catalog(objects, HandClock()), Catalog(objects, HandClock())
    for catalog in (first, second):
        catalog.open()
    write = node_module.write_claims

    def lose_time(path: Path, claims: list[int]) -> None:
        monkeypatch.undo()
        first.claim(node, 17, expected=first.find_claim(node))
        write(path, claims)

    monkeypatch.setattr(node_module, "write_claims", lose_time)
    with pytest.raises(Unavailable, match="another data directory works as node"):
        claim_node(second, node, tmp_path / "data/claim")
    assert second.find_claim(node) == 17


class Failing(LocalObjects):
    """Makes no commit, or makes it and does not say so."""

    makes = False

    def put_new(self, name: str, data: bytes) -> None:
        if self.makes:
            super().put_new(name, data)
        raise fail(errno.EIO)


@pytest.mark.parametrize("makes", [False, True], ids=["not made", "made"])
def test_a_crash_while_the_name_is_claimed_locks_nobody_out(
    tmp_path: Path, objects: LocalObjects, makes: bool
) -> None:
    with opened(make_store(tmp_path / "data", objects=objects)) as store:
        held = store.catalog.find_claim(store.node)
    failing = Failing(tmp_path / "shared")
    failing.makes = makes
    with (
        opened(make_store(tmp_path / "data", objects=failing)) as store,
        pytest.raises(Unavailable, match="cannot be replayed"),
    ):
        store.check_ready()
    with opened(make_store(tmp_path / "data", objects=objects)) as store:
        store.submit(say("a")).result()
        claim = store.catalog.find_claim(store.node)
        assert read_claims(tmp_path / "data/claim") == [claim] != [held]


def test_a_directory_of_the_first_release_is_taken_as_it_is(
    tmp_path: Path, objects: LocalObjects
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/node").write_text("0123abcd")
    with opened(make_store(tmp_path / "data", objects=objects)) as store:
        assert store.node == "0123abcd"


def test_a_name_that_does_not_fit_its_claim_is_refused(
    tmp_path: Path, objects: LocalObjects
) -> None:
    with opened(make_store(tmp_path / "data", objects=objects)) as store:
        store.submit(say("a")).result()
        name = store.node
    other = "0" * 8 if name[0] != "0" else "1" * 8
    (tmp_path / "data" / "node").write_text(other)
    with (
        pytest.raises(Corrupt, match=f"says {other}, but this data directory works as node {name}"),
        opened(make_store(tmp_path / "data", objects=objects)),
    ):
        pass
    (tmp_path / "data" / "node").unlink()
    with opened(make_store(tmp_path / "data", objects=objects)) as store:
        assert store.node != name


def test_a_missing_name_is_not_replaced_beside_a_log_with_events(tmp_path: Path) -> None:
    data = tmp_path / "data"
    store = make_store(data)
    store.open()
    store.submit(say("a")).result()
    store.flush().result()
    store.submit(say("b")).result()
    name = (data / "node").read_bytes()
    kept = copy(data)
    store.close()
    (kept / "node").unlink()
    with pytest.raises(Unavailable, match=f"{kept}/node is missing, but {kept}/wal has events"):
        read_node(kept / "node")
    (kept / "node").write_bytes(name)
    with opened(make_store(kept)) as store:
        assert list_messages(store) == ["a", "b"]


def test_a_missing_name_is_replaced_beside_an_empty_log(tmp_path: Path) -> None:
    with opened(make_store(tmp_path / "data")) as store:
        store.submit(say("a")).result()
        store.flush().result()
    shutil.rmtree(tmp_path / "data/wal")
    (tmp_path / "data/node").unlink()
    with opened(make_store(tmp_path / "data")) as store:
        assert list_messages(store) == ["a"]
