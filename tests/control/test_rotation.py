"""Rotation of the control key, stopped at every step: no document is lost, no old seal stays."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from logboom.base.clock import system_clock
from logboom.base.errors import Corrupt, Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.control.access.scopes import Scope
from logboom.control.control import Control
from logboom.control.documents.cipher import AesCipher, RotatingCipher
from logboom.control.documents.rotate import rotate
from logboom.control.documents.store import Documents

OLD, NEW = bytes(range(32)), bytes(range(32, 64))
NAMES = ["environments", "keys", "lookups", "settings", "token-usage", "tokens", "users"]


class StoppedError(Exception):
    """As if the process ended here."""


class StoppingObjects(LocalObjects):
    """The local store of a process that ends before one of its writes or deletes, or right after."""

    def __init__(self, root: Path, steps: int, *, after: bool) -> None:
        super().__init__(root)
        self.steps = steps
        self.after = after

    def put_new(self, name: str, data: bytes) -> None:
        self._count(lambda: super(StoppingObjects, self).put_new(name, data))

    def delete(self, name: str) -> None:
        self._count(lambda: super(StoppingObjects, self).delete(name))

    def _count(self, act: Callable[[], None]) -> None:
        self.steps -= 1
        if self.steps > 0 or self.after:
            act()
        if self.steps <= 0:
            raise StoppedError


class BrokenObjects(LocalObjects):
    """A store that takes nothing more."""

    def put_new(self, name: str, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def fill(root: Path) -> dict[str, bytes]:
    """One of each document, some with a history; returns their bodies."""
    control = Control.open(LocalObjects(root), OLD, bytes(32), system_clock)
    control.setup("admin", "correct horse")
    control.keys.create("robot", (Scope.SEARCH,))
    token, _ = control.tokens.create("shipper", "default")
    control.tokens.touch(token.id)
    control.save_counts()
    control.lookups.put("table", "a,b\n1,2\n")
    control.settings.patch({"storage": {"block_flush_rows": 7}})
    for number in range(3):
        control.environments.create(f"env{number}")
    return read_bodies(root, OLD)


def read_bodies(root: Path, *keys: bytes) -> dict[str, bytes]:
    """Every document's newest body, opened with either of the keys."""
    first, *others = map(AesCipher, keys)
    cipher = RotatingCipher(first, others[0]) if others else first
    documents = Documents(LocalObjects(root), cipher)
    bodies = {name: documents.read(name) for name in documents.list_names()}
    return {name: document.body for name, document in bodies.items() if document}


def list_objects(root: Path) -> list[Path]:
    return sorted(path for path in (root / "control").rglob("*") if path.is_file())


def test_afterwards_the_new_key_opens_everything_and_the_old_one_nothing(tmp_path: Path) -> None:
    bodies = fill(tmp_path)
    assert sorted(bodies) == NAMES
    assert rotate(LocalObjects(tmp_path), OLD, NEW) == NAMES
    assert read_bodies(tmp_path, NEW) == bodies
    old = AesCipher(OLD)
    objects = list_objects(tmp_path)
    assert len(objects) == len(NAMES)
    for path in objects:
        with pytest.raises(Corrupt):
            old.unseal(path.relative_to(tmp_path).as_posix(), path.read_bytes())


def test_doing_it_again_changes_nothing(tmp_path: Path) -> None:
    fill(tmp_path)
    rotate(LocalObjects(tmp_path), OLD, NEW)
    objects = {path: path.read_bytes() for path in list_objects(tmp_path)}
    assert rotate(LocalObjects(tmp_path), OLD, NEW) == []
    assert {path: path.read_bytes() for path in list_objects(tmp_path)} == objects


def test_an_empty_store_has_nothing_to_rotate(tmp_path: Path) -> None:
    assert rotate(LocalObjects(tmp_path), OLD, NEW) == []


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_stopped_at_every_step_either_key_opens_everything_and_it_goes_on(
    tmp_path_factory: pytest.TempPathFactory, after: bool
) -> None:
    for steps in range(1, 100):
        root = tmp_path_factory.mktemp("store")
        bodies = fill_quickly(root)
        try:
            rotate(StoppingObjects(root, steps, after=after), OLD, NEW)
        except StoppedError:
            assert read_bodies(root, NEW, OLD) == bodies
            rotate(LocalObjects(root), OLD, NEW)
            assert read_bodies(root, NEW) == bodies
            assert len(list_objects(root)) == len(bodies)
        else:
            assert steps > 10
            return
    raise AssertionError("it never came to an end")


def fill_quickly(root: Path) -> dict[str, bytes]:
    documents = Documents(LocalObjects(root), AesCipher(OLD))
    for name in ("environments", "keys", "users"):
        for generation in range(3):
            documents.write(name, b"%s %d" % (name.encode(), generation), generation)
    return read_bodies(root, OLD)


def test_one_unreadable_document_stops_it_before_anything_is_changed(tmp_path: Path) -> None:
    fill(tmp_path)
    damaged = list_objects(tmp_path)[-1]
    damaged.write_bytes(damaged.read_bytes()[:-1])
    objects = {path: path.read_bytes() for path in list_objects(tmp_path)}
    with pytest.raises(Corrupt):
        rotate(LocalObjects(tmp_path), OLD, NEW)
    with pytest.raises(Corrupt):
        rotate(LocalObjects(tmp_path), bytes(32), NEW)
    assert {path: path.read_bytes() for path in list_objects(tmp_path)} == objects


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    bodies = fill(tmp_path)
    with pytest.raises(Unavailable, match="No space left"):
        rotate(BrokenObjects(tmp_path), OLD, NEW)
    assert read_bodies(tmp_path, OLD) == bodies


def test_accounts_keys_and_sessions_count_as_before(tmp_path: Path) -> None:
    before = Control.open(LocalObjects(tmp_path), OLD, bytes(32), system_clock)
    before.setup("admin", "correct horse")
    session, _ = before.login("admin", "correct horse")
    _, secret = before.keys.create("robot", (Scope.SEARCH,))
    rotate(LocalObjects(tmp_path), OLD, NEW)
    after = Control.open(LocalObjects(tmp_path), NEW, bytes(32), system_clock)
    for credential in (session, secret):
        assert after.authenticate(credential) == before.authenticate(credential)
    after.environments.create("later")
    with pytest.raises(Corrupt, match="another control key"):
        Control.open(LocalObjects(tmp_path), OLD, bytes(32), system_clock)
