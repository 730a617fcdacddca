"""The accounts: made once at setup, checked at login, revoked by raising their session epoch."""

import re
from enum import StrEnum

import msgspec

from logboom.base.clock import Clock
from logboom.base.errors import Conflict, Invalid, Unauthenticated
from logboom.base.ids import make_ulid
from logboom.control.documents import Documents
from logboom.control.passwords import Passwords, check_password_rules
from logboom.control.snapshot import Snapshot

USERNAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")


class Role(StrEnum):
    ADMIN = "admin"
    EDITOR = "editor"
    VIEWER = "viewer"


class User(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One account; `envs` and `indexes` are globs of what it may see."""

    id: str
    username: str
    password_hash: str
    role: Role
    envs: tuple[str, ...] = ("*",)
    indexes: tuple[str, ...] = ("*",)
    enabled: bool = True
    session_epoch: int = 0

    def __repr__(self) -> str:
        return f"User(id={self.id!r}, username={self.username!r}, role={self.role.value!r})"


class UsersDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every account by its id."""

    users: dict[str, User] = {}


class Users:
    """The accounts. `setup` and `check_login` hash a password: call them off the event loop."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        self._snapshot = Snapshot(documents, "users", UsersDocument())
        self._passwords = Passwords()
        self._clock = clock

    def refresh(self) -> None:
        """Take over what other nodes have changed."""
        self._snapshot.refresh()

    def is_setup_required(self) -> bool:
        """True until the first account is made, and never again."""
        if self._snapshot.generation == 0:
            self._snapshot.refresh()
        return self._snapshot.generation == 0

    def setup(self, username: str, password: str) -> User:
        """Make the first account, an admin; Conflict for everybody but the first, also at the same moment."""
        if not self.is_setup_required():
            raise Conflict("setup is done already")
        check_username(username)
        check_password_rules(password)
        user = User(
            id=make_ulid(self._clock()),
            username=username,
            password_hash=self._passwords.hash(password),
            role=Role.ADMIN,
        )
        try:
            self._snapshot.create(UsersDocument({user.id: user}))
        except Conflict as error:
            raise Conflict("setup is done already") from error
        return user

    def check_login(self, username: str, password: str) -> User:
        """The user with this name and password; why not is never told, and takes as long to find out."""
        self._snapshot.refresh()
        user = self._find_by_name(username)
        matches = self._passwords.matches(password, user.password_hash if user else None)
        if user is None or not matches or not user.enabled:
            raise Unauthenticated("wrong user name or password")
        return user

    def find(self, user_id: str) -> User | None:
        return self._snapshot.body.users.get(user_id)

    def revoke_sessions(self, user_id: str) -> None:
        """End every session of the user that began before now."""

        def raise_epoch(document: UsersDocument) -> UsersDocument:
            user = document.users.get(user_id)
            if user is None:
                return document
            revoked = msgspec.structs.replace(user, session_epoch=user.session_epoch + 1)
            return UsersDocument({**document.users, user_id: revoked})

        self._snapshot.edit(raise_epoch)

    def _find_by_name(self, username: str) -> User | None:
        wanted = username.lower()
        users = self._snapshot.body.users.values()
        return next((user for user in users if user.username.lower() == wanted), None)


def check_username(username: str) -> None:
    if not USERNAME.fullmatch(username):
        raise Invalid(
            f"user name {username[:80]!r} is not valid, expected 1 to 64 letters, digits and any of . _ @ + - "
            "with a letter or digit first"
        )
