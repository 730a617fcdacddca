"""Following other nodes with one request: what changed is read, and nothing else."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.store.catalog.test_catalog import commit, list_live
from tests.store.stores import NOW_NS, HandClock, checkpoint

from logboom.base.errors import Unavailable
from logboom.base.stores.layout import CONTROL_NOTE, LOG_FOLDER
from logboom.base.stores.local import LocalObjects
from logboom.control.control import Control
from logboom.control.registry.nodes import Node
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.following import CONTROL_AT_LEAST_NS, Follower

SECRET = b"a" * 32


class Bucket(LocalObjects):
    """A directory that is used like a bucket, and counts what it is asked for."""

    is_remote = True

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.asked = 0
        self.is_cut = False

    def read(self, name: str) -> bytes:
        self.asked += 1
        if self.is_cut:
            raise Unavailable("cut off")
        return super().read(name)

    def list_stamps(self, prefix: str, after: str) -> Mapping[str, str]:
        self.asked += 1
        return super().list_stamps(prefix, after)

    def list_below(self, prefix: str) -> list[str]:
        self.asked += 1
        return list(super().list_below(prefix))


class Follows:
    """A catalog and control documents that follow those of other nodes."""

    def __init__(self, root: Path) -> None:
        self.clock = HandClock()
        self.bucket = Bucket(root)
        self.catalog = Catalog(self.bucket, self.clock)
        self.catalog.open()
        self.control = Control.open(self.bucket, None, SECRET, self.clock)
        self.follower = Follower(
            self.bucket,
            self.catalog,
            read_log=self.catalog.refresh,
            read_control=self.control.refresh,
            clock=self.clock,
        )

    @contextmanager
    def asking(self, times: int) -> Iterator[None]:
        before = self.bucket.asked
        yield
        assert self.bucket.asked - before == times

    def settle(self) -> None:
        """Follow until there is nothing new."""
        for _ in range(3):
            self.follower.follow()
        with self.asking(1):
            self.follower.follow()


@pytest.fixture
def one(tmp_path: Path) -> Follows:
    return Follows(tmp_path)


@pytest.fixture
def two(one: Follows, tmp_path: Path) -> Follows:
    node = Follows(tmp_path)
    node.settle()
    return node


def test_nothing_new_costs_one_request(two: Follows) -> None:
    for _ in range(5):
        with two.asking(1):
            two.follower.follow()


def test_commits_of_others_are_followed(one: Follows, two: Follows) -> None:
    for name in ("a", "b", "c"):
        commit(one.catalog, name)
    two.follower.follow()
    assert list_live(two.catalog) == ["a", "b", "c"]
    two.settle()
    commit(one.catalog, "d")
    two.follower.follow()
    assert list_live(two.catalog) == ["a", "b", "c", "d"]


def test_own_commits_and_those_of_others_between_them_are_followed(
    one: Follows, two: Follows
) -> None:
    commit(two.catalog, "own")
    commit(one.catalog, "other")
    two.follower.follow()
    assert list_live(two.catalog) == ["other", "own"]


def test_a_log_that_was_cleaned_up_meanwhile_is_read_again(one: Follows, two: Follows) -> None:
    for number in range(30):
        commit(one.catalog, f"{number:02d}")
    checkpoint(Path(one.bucket.locate("")))
    for path in sorted(Path(one.bucket.locate(LOG_FOLDER)).glob("*.json"))[:-1]:
        path.unlink()
    two.follower.follow()
    assert len(list_live(two.catalog)) == 30
    two.settle()


def test_what_could_not_be_read_is_tried_again(one: Follows, two: Follows) -> None:
    commit(one.catalog, "a")
    one.control.setup("admin", "correct horse")
    two.bucket.is_cut = True
    for _ in range(2):
        with pytest.raises(Unavailable):
            two.follower.follow()
    two.bucket.is_cut = False
    two.follower.follow()
    assert list_live(two.catalog) == ["a"]
    assert two.control.users.list()


def test_changed_documents_are_read_when_a_note_says_so(one: Follows, two: Follows) -> None:
    one.control.setup("admin", "correct horse")
    two.follower.follow()
    assert [user.username for user in two.control.users.list()] == ["admin"]
    two.settle()
    user = one.control.users.list()[0]
    one.control.users.update(user.id, {"password": "another horse"})
    two.follower.follow()
    two.control.login("admin", "another horse")


def test_without_a_note_documents_are_read_after_a_while(
    one: Follows, two: Follows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        one.bucket, "replace", lambda *_: pytest.fail("an older release has no note")
    )
    monkeypatch.setattr(one.bucket, "is_remote", False)
    one.control.setup("admin", "correct horse")
    two.follower.follow()
    assert not two.control.users.list()
    two.clock.time_ns += CONTROL_AT_LEAST_NS
    two.follower.follow()
    assert two.control.users.list()


def test_a_note_that_cannot_be_written_refuses_no_change(
    one: Follows, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise Unavailable("cut off")

    monkeypatch.setattr(one.bucket, "replace", fail)
    one.control.setup("admin", "correct horse")
    assert not one.control.users.is_setup_required()


def test_reports_of_nodes_leave_no_note(one: Follows, two: Follows) -> None:
    one.control.nodes.announce("one", Node("0.2.0", NOW_NS, NOW_NS))
    with two.asking(1):
        two.follower.follow()


def test_a_directory_gets_no_note(tmp_path: Path) -> None:
    objects = LocalObjects(tmp_path)
    Control.open(objects, None, SECRET, HandClock()).setup("admin", "correct horse")
    assert CONTROL_NOTE not in objects.list(LOG_FOLDER)
