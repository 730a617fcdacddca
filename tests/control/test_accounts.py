"""Administering accounts: limits, unique names, the last admin, and what ends sessions."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from logboom.base.clock import system_clock
from logboom.base.errors import Conflict, Forbidden, Invalid, NotFound, Unauthenticated
from logboom.base.stores.local import LocalObjects
from logboom.control.access.users import Role, User, Users
from logboom.control.documents.cipher import PlainCipher
from logboom.control.documents.store import Documents

PASSWORD = "correct horse"


def open_users(root: Path, *, has_single_sign_on: bool = False) -> Users:
    documents = Documents(LocalObjects(root), PlainCipher())
    return Users(documents, system_clock, lambda: has_single_sign_on)


@pytest.fixture
def users(tmp_path: Path) -> Users:
    users = open_users(tmp_path)
    users.setup("Admin", PASSWORD)
    return users


@pytest.fixture
def admin(users: Users) -> User:
    return users.list()[0]


@pytest.fixture
def viewer(users: Users) -> User:
    return users.create("viewer", PASSWORD, Role.VIEWER)


def test_a_created_account_can_sign_in_and_is_listed_after_the_older_ones(
    tmp_path: Path, users: Users
) -> None:
    made = users.create("bob", PASSWORD, Role.EDITOR, ("prod*",), ("App-*", "app-*", "a.b"))
    assert (made.envs, made.indexes, made.enabled) == (("prod*",), ("app-*", "a-b"), True)
    for each in (users, open_users(tmp_path)):
        assert [user.username for user in each.list()] == ["Admin", "bob"]
        assert each.get(made.id) == each.check_login("BOB", PASSWORD) == made
        assert each.find_by_name("Bob") == made


def test_there_is_no_way_around_setup(tmp_path: Path) -> None:
    users = open_users(tmp_path)
    with pytest.raises(Conflict, match="setup is not done yet"):
        users.create("bob", PASSWORD, Role.ADMIN)
    assert users.is_setup_required()


@pytest.mark.parametrize("username", ["admin", "ADMIN", "Admin"])
def test_a_name_is_there_once_in_any_case(users: Users, viewer: User, username: str) -> None:
    with pytest.raises(Conflict, match="is taken"):
        users.create(username, PASSWORD, Role.VIEWER)
    with pytest.raises(Conflict, match="is taken"):
        users.update(viewer.id, {"username": username})
    assert len(users.list()) == 2


def test_an_account_may_change_the_case_of_its_own_name(users: Users, viewer: User) -> None:
    assert users.update(viewer.id, {"username": "Viewer"}).username == "Viewer"


BAD_CHANGES: dict[str, dict[str, Any]] = {
    "unknown member": {"colour": "red"},
    "hash": {"password_hash": "x"},
    "epoch": {"session_epoch": 0},
    "id": {"id": "x"},
    "no such role": {"role": "root"},
    "role is a number": {"role": 1},
    "enabled is text": {"enabled": "yes"},
    "short password": {"password": "short"},
    "password is a number": {"password": 1},
    "identity with blanks": {"saml_identity": " ann"},
    "long identity": {"saml_identity": "a" * 257},
    "bad name": {"username": "a b"},
    "no environments": {"envs": []},
    "bad environment": {"envs": ["a/b"]},
    "environments are a text": {"envs": "prod"},
    "no indexes": {"indexes": []},
    "empty index": {"indexes": [" "]},
    "long index": {"indexes": ["a" * 64 + "*" + "a" * 64]},
    "too many indexes": {"indexes": [f"i{number}" for number in range(101)]},
}


@pytest.mark.parametrize("changes", BAD_CHANGES.values(), ids=BAD_CHANGES)
def test_a_change_that_does_not_fit_is_refused_whole(
    users: Users, viewer: User, changes: dict[str, Any]
) -> None:
    with pytest.raises(Invalid):
        users.update(viewer.id, {"enabled": False, **changes})
    assert users.get(viewer.id) == viewer


def test_an_unknown_id_is_not_found(users: Users) -> None:
    for act in (users.get, users.delete, lambda name: users.update(name, {"enabled": False})):
        with pytest.raises(NotFound, match="no user 'nobody'"):
            act("nobody")
    assert users.find("nobody") is None


CHANGES: dict[str, tuple[dict[str, Any], bool]] = {
    "password": ({"password": "another horse"}, True),
    "same password": ({"password": PASSWORD}, True),
    "role": ({"role": "editor"}, True),
    "environments": ({"envs": ["prod"]}, True),
    "indexes": ({"indexes": ["web"]}, True),
    "disabled": ({"enabled": False}, True),
    "name": ({"username": "other"}, False),
    "nothing": ({}, False),
    "as before": ({"role": Role.VIEWER, "envs": ("*",), "enabled": True}, False),
}


@pytest.mark.parametrize(("changes", "ends"), CHANGES.values(), ids=CHANGES)
def test_a_change_of_rights_ends_the_sessions_and_others_do_not(
    users: Users, viewer: User, changes: dict[str, Any], ends: bool
) -> None:
    changed = users.update(viewer.id, changes)
    assert changed.session_epoch == viewer.session_epoch + ends
    assert users.get(viewer.id) == changed


def test_a_new_password_counts_at_once_and_the_old_one_no_more(users: Users, viewer: User) -> None:
    users.update(viewer.id, {"password": "another horse"})
    assert users.check_login("viewer", "another horse").id == viewer.id
    with pytest.raises(Unauthenticated):
        users.check_login("viewer", PASSWORD)


def test_the_owner_changes_the_password_by_knowing_the_old_one(users: Users, viewer: User) -> None:
    with pytest.raises(Forbidden, match="the old password is wrong"):
        users.change_password(viewer.id, "wrong horse", "another horse")
    with pytest.raises(Invalid):
        users.change_password(viewer.id, PASSWORD, "short")
    assert users.get(viewer.id) == viewer
    changed = users.change_password(viewer.id, PASSWORD, "another horse")
    assert changed.session_epoch == viewer.session_epoch + 1
    assert users.check_login("viewer", "another horse") == changed


@pytest.mark.parametrize("changes", [{"enabled": False}, {"role": "editor"}])
def test_the_last_enabled_admin_stays(users: Users, admin: User, changes: dict[str, Any]) -> None:
    disabled = users.create("spare", PASSWORD, Role.ADMIN, enabled=False)
    with pytest.raises(Conflict, match="no enabled admin would be left"):
        users.update(admin.id, changes)
    with pytest.raises(Conflict, match="no enabled admin would be left"):
        users.delete(admin.id)
    users.update(disabled.id, {"enabled": True})
    assert users.update(admin.id, changes).id == admin.id
    assert users.delete(admin.id).id == admin.id


@pytest.mark.parametrize("limit", [{"envs": ["prod"]}, {"indexes": ["app-*"]}])
def test_the_last_admin_without_limits_stays_so(
    users: Users, admin: User, limit: dict[str, Any]
) -> None:
    limited = users.create("limited", PASSWORD, Role.ADMIN)
    users.update(limited.id, limit)
    for change in (limit, {"enabled": False}, {"role": "viewer"}):
        with pytest.raises(Conflict, match="no enabled admin without limits would be left"):
            users.update(admin.id, change)
    with pytest.raises(Conflict, match="no enabled admin without limits would be left"):
        users.delete(admin.id)
    users.create("other", PASSWORD, Role.ADMIN)
    assert users.update(admin.id, limit).id == admin.id


def test_where_all_admins_are_limited_already_they_can_be_changed(
    monkeypatch: pytest.MonkeyPatch, users: Users, admin: User
) -> None:
    with monkeypatch.context() as earlier_release:
        earlier_release.setattr(User, "is_unlimited", True)
        users.update(admin.id, {"indexes": ["app"]})
    other = users.create("limited", PASSWORD, Role.ADMIN, indexes=("web",))
    assert users.update(other.id, {"indexes": ["web", "app"]}).indexes == ("web", "app")


@pytest.mark.parametrize(
    "change",
    [{"password": None}, {"enabled": False}, {"role": "editor"}, None],
    ids=["password", "disabled", "role", "deleted"],
)
def test_without_single_sign_on_an_admin_with_a_password_stays(
    tmp_path: Path, users: Users, admin: User, change: dict[str, Any] | None
) -> None:
    def apply(users: Users) -> None:
        if change is None:
            users.delete(admin.id)
        else:
            users.update(admin.id, change)

    with_sign_on = open_users(tmp_path, has_single_sign_on=True)
    with_sign_on.create("by-sign-on", None, Role.ADMIN)
    with pytest.raises(Conflict, match="no enabled admin with a password would be left"):
        apply(users)
    apply(with_sign_on)
    with pytest.raises(Conflict, match="no enabled admin with a password"):
        users.check_passwords_suffice()


def test_two_admins_who_remove_each_other_at_once_leave_one(tmp_path: Path, users: Users) -> None:
    for number in range(5):
        users.create(f"admin{number}", PASSWORD, Role.ADMIN)
    nodes = [open_users(tmp_path) for _ in range(3)]

    ids = [user.id for user in users.list()]
    with ThreadPoolExecutor(6) as pool:
        removed = list(pool.map(lambda place: delete(nodes[place % 3], ids[place]), range(6)))
    assert removed.count(True) == 5
    assert len(open_users(tmp_path).list()) == 1


def delete(users: Users, user_id: str) -> bool:
    try:
        users.delete(user_id)
    except Conflict:
        return False
    return True


def test_a_deleted_account_is_gone_and_its_name_is_free(users: Users, viewer: User) -> None:
    assert users.delete(viewer.id) == viewer
    assert users.find(viewer.id) is None
    assert users.create("viewer", PASSWORD, Role.VIEWER).id != viewer.id
    users.revoke_sessions(viewer.id)


def test_a_stale_generation_is_a_conflict_and_changes_nothing(users: Users, viewer: User) -> None:
    stale = users.generation - 1
    with pytest.raises(Conflict, match="users changed in the meantime"):
        users.update(viewer.id, {"enabled": False}, stale)
    with pytest.raises(Conflict, match="users changed in the meantime"):
        users.delete(viewer.id, stale)
    assert users.get(viewer.id) == viewer
    assert not users.update(viewer.id, {"enabled": False}, users.generation).enabled
