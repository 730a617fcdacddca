"""Accounts: one setup for ever, one answer to every failed login."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from logboom.base.clock import system_clock
from logboom.base.errors import Conflict, Invalid, Unauthenticated, Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import Bucket
from logboom.control.access.users import Role, User, Users
from logboom.control.documents.cipher import PlainCipher
from logboom.control.documents.store import Documents

PASSWORD = "correct horse"


class FailingObjects(LocalObjects):
    """A store that stops giving anything back once told to."""

    fails = False

    def list(self, prefix: str) -> list[str]:
        if self.fails:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().list(prefix)


def open_users(place: Path | Bucket) -> Users:
    objects = open_objects(place, Path("unused"), 1)
    return Users(Documents(objects, PlainCipher()), system_clock)


@pytest.fixture
def users(tmp_path: Path) -> Users:
    users = open_users(tmp_path)
    users.setup("Admin", PASSWORD)
    return users


def disable_everybody(root: Path) -> None:
    """Something the accounts themselves refuse to do."""
    documents = Documents(LocalObjects(root), PlainCipher())
    document = documents.read("users")
    assert document is not None
    body = document.body.replace(b'"enabled":true', b'"enabled":false')
    documents.write("users", body, document.generation)


def test_setup_makes_one_unlimited_admin(tmp_path: Path) -> None:
    users = open_users(tmp_path)
    assert users.is_setup_required()
    user = users.setup("admin", PASSWORD)
    assert (user.username, user.role, user.enabled) == ("admin", Role.ADMIN, True)
    assert (user.envs, user.indexes, user.session_epoch) == (("*",), ("*",), 0)
    assert not users.is_setup_required()
    assert users.find(user.id) == user


def test_setup_is_done_for_ever(tmp_path: Path, users: Users) -> None:
    for again in (users, open_users(tmp_path)):
        assert not again.is_setup_required()
        with pytest.raises(Conflict, match="setup is done already"):
            again.setup("second", PASSWORD)


def test_setup_stays_done_after_its_generation_was_cleared_away(tmp_path: Path) -> None:
    users, late = open_users(tmp_path), open_users(tmp_path)
    admin = users.setup("admin", PASSWORD)
    for _ in range(7):
        users.revoke_sessions(admin.id)
    with pytest.raises(Conflict):
        late.setup("second", PASSWORD)


def test_of_many_setups_at_once_exactly_one_wins(store_place: Path | Bucket) -> None:
    nodes = [open_users(store_place) for _ in range(3)]

    def try_setup(number: int) -> User | None:
        try:
            return nodes[number % 3].setup(f"user{number}", PASSWORD)
        except Conflict:
            return None

    with ThreadPoolExecutor(12) as pool:
        won = [user for user in pool.map(try_setup, range(12)) if user]
    assert len(won) == 1
    assert open_users(store_place).check_login(won[0].username, PASSWORD) == won[0]


@pytest.mark.parametrize(
    "username", ["", "a" * 65, "a b", "a\n", "-a", "_a", ".", "ä", "a/b", "a\0", "<b>", "a:b"]
)
def test_a_bad_user_name_is_refused_and_setup_stays_open(tmp_path: Path, username: str) -> None:
    users = open_users(tmp_path)
    with pytest.raises(Invalid, match="user name"):
        users.setup(username, PASSWORD)
    assert users.is_setup_required()


@pytest.mark.parametrize("username", ["a", "9", "a" * 64, "First.Last+logs@example.org", "a_b-c"])
def test_sane_user_names_are_accepted(tmp_path: Path, username: str) -> None:
    assert open_users(tmp_path).setup(username, PASSWORD).username == username


def test_a_bad_password_is_refused_and_setup_stays_open(tmp_path: Path) -> None:
    users = open_users(tmp_path)
    with pytest.raises(Invalid, match="password"):
        users.setup("admin", "short")
    assert users.is_setup_required()


def test_login_works_after_reopening_and_in_any_case_of_the_name(
    tmp_path: Path, users: Users
) -> None:
    assert open_users(tmp_path).check_login("aDMIN", PASSWORD).username == "Admin"


def test_every_failed_login_gets_the_same_answer(tmp_path: Path, users: Users) -> None:
    attempts = [("Admin", "wrong horse"), ("nobody", PASSWORD), ("", ""), ("Admin", PASSWORD + " ")]
    messages = []
    for username, password in attempts:
        with pytest.raises(Unauthenticated) as caught:
            users.check_login(username, password)
        messages.append(caught.value.message)
    disable_everybody(tmp_path)
    with pytest.raises(Unauthenticated) as caught:
        users.check_login("Admin", PASSWORD)
    assert {*messages, caught.value.message} == {"wrong user name or password"}


def test_revoking_raises_the_epoch_durably(tmp_path: Path, users: Users) -> None:
    admin = users.check_login("admin", PASSWORD)
    users.revoke_sessions(admin.id)
    for each in (users, open_users(tmp_path)):
        found = each.find(admin.id)
        assert found is not None
        assert found.session_epoch == admin.session_epoch + 1


def test_neither_password_nor_hash_shows_where_users_are_printed(tmp_path: Path) -> None:
    user = open_users(tmp_path).setup("admin", PASSWORD)
    assert "argon2" not in repr(user)
    assert PASSWORD not in (tmp_path / "control/users/000000000001").read_text()


def test_a_store_that_cannot_be_read_is_not_a_fresh_install(tmp_path: Path) -> None:
    objects = FailingObjects(tmp_path)
    users = Users(Documents(objects, PlainCipher()), system_clock)
    objects.fails = True
    with pytest.raises(Unavailable):
        users.is_setup_required()
    with pytest.raises(Unavailable):
        users.setup("admin", PASSWORD)
