"""The accounts: created at setup or by admins, checked at sign-in; raising an epoch ends their sessions."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from enum import StrEnum

import msgspec

from logboom.base.clock import Clock
from logboom.base.errors import Conflict, Forbidden, Invalid, NotFound, Unauthenticated, about
from logboom.base.ids import make_ulid
from logboom.control.access.globs import ANY, check_env_globs, normalise_index_globs
from logboom.control.access.passwords.hashes import Passwords
from logboom.control.access.passwords.rules import check_password_rules
from logboom.control.documents.records import Allow, Record, Records, allow_all, apply_changes
from logboom.control.documents.store import Documents

USERNAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
CHANGEABLE = frozenset({"username", "role", "envs", "indexes", "enabled", "saml_identity"})
EVERYTHING = (ANY,)
LONGEST_IDENTITY = 256


class Role(StrEnum):
    ADMIN = "admin"
    EDITOR = "editor"
    VIEWER = "viewer"


class User(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An account; `envs` and `indexes` are globs of what it may see.

    Without a password hash it can sign in only through single sign-on. `saml_identity` is the user's name at the
    identity provider, if it differs from the user name.
    """

    username: str
    password_hash: str
    role: Role
    envs: tuple[str, ...] = EVERYTHING
    indexes: tuple[str, ...] = EVERYTHING
    enabled: bool = True
    session_epoch: int = 0
    saml_identity: str | None = None

    @property
    def has_password(self) -> bool:
        return bool(self.password_hash)

    @property
    def is_unlimited(self) -> bool:
        """Whether it may use all environments and indexes."""
        return ANY in self.envs and ANY in self.indexes

    @property
    def identity(self) -> str:
        """The name by which single sign-on identifies the user."""
        return self.saml_identity or self.username

    def __repr__(self) -> str:
        return f"User(id={self.id!r}, username={self.username!r}, role={self.role.value!r})"


class Users(Records[User]):
    """The accounts. There is always an admin without limits who can sign in; user names are unique, ignoring case.

    Whatever takes or changes a password hashes it: call that off the event loop. If `has_single_sign_on`, an admin
    needs no password.
    """

    def __init__(
        self,
        documents: Documents,
        clock: Clock,
        has_single_sign_on: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(documents, "users", User, self._check_accounts)
        self._has_single_sign_on = has_single_sign_on
        self._passwords = Passwords()
        self._clock = clock

    def is_setup_required(self) -> bool:
        """Return True until the first account is created, and never again."""
        if self.generation == 0:
            self.refresh()
        return self.generation == 0

    def setup(self, username: str, password: str) -> User:
        """Create the first account, an admin; raise Conflict for everybody but the first, even at the same moment."""
        if not self.is_setup_required():
            raise Conflict("setup is done already")
        check_username(username)
        user = User(
            id=make_ulid(self._clock()),
            username=username,
            password_hash=self._hash(password, username),
            role=Role.ADMIN,
        )
        try:
            self._create_first(user)
        except Conflict as error:
            raise Conflict("setup is done already") from error
        return user

    def check_login(self, username: str, password: str) -> User:
        """Return the user with this name and password; the error never says what is wrong, and takes the same time."""
        self.refresh()
        user = self.find_by_name(username)
        matches = self._passwords.matches(password, user.password_hash if user else None)
        if user is None or not matches or not user.enabled:
            raise Unauthenticated("wrong user name or password")
        return user

    def find_by_name(self, username: str) -> User | None:
        """Return the account of this name, ignoring case."""
        wanted = username.lower()
        return next((user for user in self.list() if user.username.lower() == wanted), None)

    def find_by_identity(self, identity: str) -> User | None:
        """Return the account with this name at the identity provider; case-sensitive."""
        return next((user for user in self.list() if user.identity == identity), None)

    def create(  # noqa: PLR0913 - the members of an account
        self,
        username: str,
        password: str | None,
        role: Role,
        envs: tuple[str, ...] = EVERYTHING,
        indexes: tuple[str, ...] = EVERYTHING,
        enabled: bool = True,
        saml_identity: str | None = None,
        allow: Allow[User] = allow_all,
    ) -> User:
        """Create an account; raise Conflict if the name is taken, or before setup.

        Without a password only single sign-on is possible.
        """
        if self.is_setup_required():
            raise Conflict("setup is not done yet, expected it to create the first account")
        user = User(
            id=make_ulid(self._clock()),
            username=username,
            password_hash="",
            role=role,
            envs=envs,
            indexes=indexes,
            enabled=enabled,
            saml_identity=saml_identity,
        )
        user = normalise_user(user)
        allow(user)
        if password is not None:
            user = msgspec.structs.replace(user, password_hash=self._hash(password, user.username))
        self._add(user)
        return user

    def update(
        self,
        user_id: str,
        changes: Mapping[str, object],
        expected_generation: int | None = None,
        allow: Allow[User] = allow_all,
    ) -> User:
        """Replace the members named in `changes`, including `password`; a change of permissions ends all sessions.

        A password of None removes it.
        """
        changes = dict(changes)
        replaced = {}
        known = self.find(user_id)
        if known:
            allow(known)
        if "password" in changes:
            username = str(changes.get("username", known.username if known else ""))
            password = changes.pop("password")
            replaced["password_hash"] = "" if password is None else self._hash(password, username)

        def change(user: User) -> User:
            changed = normalise_user(apply_changes(user, changes, CHANGEABLE))
            return end_if_changed(user, msgspec.structs.replace(changed, **replaced))

        return self._replace(user_id, change, expected_generation, allow)

    def change_password(self, user_id: str, old: str, new: str) -> User:
        """Change a user's own password, for which the old one is needed; this ends all sessions."""
        known = self.get(user_id)
        known_hash = known.password_hash
        if not self._passwords.matches(old, known_hash):
            raise Forbidden("the old password is wrong", field="old")
        password_hash = self._hash(new, known.username, "new")

        def change(user: User) -> User:
            if user.password_hash != known_hash:
                raise Conflict("the password was changed in the meantime")
            return end_sessions(msgspec.structs.replace(user, password_hash=password_hash))

        return self._replace(user_id, change)

    def revoke_sessions(self, user_id: str) -> None:
        """End every session of the user that began before now."""
        with suppress(NotFound):
            self._replace(user_id, end_sessions)

    def reset_oldest_admin(self, password: str) -> User | None:
        """Enable the oldest admin with a new password and end all sessions of all users; None before setup.

        Its limits are lifted if no other admin is without any.
        """
        self.refresh()
        admin = next((user for user in self.list() if user.role is Role.ADMIN), None)
        if admin is None:
            return None
        password_hash = self._hash(password, admin.username)
        is_only = not any(user.is_unlimited for user in list_admins(self.list()))

        def change(user: User) -> User:
            ended = end_sessions(user)
            if user.id != admin.id:
                return ended
            return msgspec.structs.replace(
                ended,
                password_hash=password_hash,
                role=Role.ADMIN,
                envs=EVERYTHING if is_only else user.envs,
                indexes=EVERYTHING if is_only else user.indexes,
                enabled=True,
            )

        self._replace_all(change)
        return self.find(admin.id)

    def check_passwords_suffice(self) -> None:
        """Raise Conflict if no admin could sign in without single sign-on."""
        self.refresh()
        check_admins(self.list(), needs_password=True)

    def _check_accounts(self, users: Mapping[str, User]) -> None:
        check_names(users.values())
        # Earlier releases allowed that only limited admins are left.
        before = list_admins(self.list())
        check_admins(
            users.values(),
            needs_password=not self._has_single_sign_on(),
            may_be_limited=not any(admin.is_unlimited for admin in before),
        )

    def _hash(self, password: object, username: str, field: str = "password") -> str:
        if not isinstance(password, str):
            raise Invalid("the password is not a text, expected a string", field=field)
        with about(field):
            check_password_rules(password, username)
        return self._passwords.hash(password)


def end_sessions(user: User) -> User:
    return msgspec.structs.replace(user, session_epoch=user.session_epoch + 1)


def end_if_changed(before: User, after: User) -> User:
    """Return the changed user, with all sessions ended unless only the name changed."""
    is_same = msgspec.structs.replace(after, username=before.username) == before
    return after if is_same else end_sessions(after)


def check_names(users: Collection[User]) -> None:
    """Raise Conflict if a name or an identity occurs twice."""
    seen: set[str] = set()
    for user in users:
        if user.username.lower() in seen:
            raise Conflict(f"user name {user.username!r} is taken", field="username")
        seen.add(user.username.lower())
    identities = Counter(user.identity for user in users)
    for user in users:
        if identities[user.identity] > 1:
            raise Conflict(
                f"two users would sign in as {user.identity[:80]!r}", field="saml_identity"
            )


def list_admins(users: Iterable[User]) -> list[User]:
    """Return those who are enabled."""
    return [user for user in users if user.enabled and user.role is Role.ADMIN]


def check_admins(
    users: Iterable[User], *, needs_password: bool, may_be_limited: bool = True
) -> None:
    """Raise Conflict if no admin would be left, or none without limits."""
    admins = list_admins(users)
    if not admins:
        raise Conflict("no enabled admin would be left, expected at least one")
    if not may_be_limited:
        admins = [admin for admin in admins if admin.is_unlimited]
    if not admins:
        raise Conflict(
            "no enabled admin without limits would be left, expected at least one who may use all environments "
            "and indexes"
        )
    if needs_password and not any(admin.has_password for admin in admins):
        raise Conflict(
            "no enabled admin with a password would be left, expected at least one while single sign-on is off"
        )


def normalise_user(user: User) -> User:
    check_username(user.username)
    check_env_globs(user.envs)
    check_identity(user.saml_identity or "")
    return msgspec.structs.replace(
        user,
        indexes=normalise_index_globs(user.indexes),
        saml_identity=user.saml_identity or None,
    )


def check_identity(identity: str) -> None:
    is_clean = identity.isprintable() and identity == identity.strip()
    if len(identity) > LONGEST_IDENTITY or not is_clean:
        raise Invalid(
            f"identity {identity[:80]!r} is not valid, expected at most {LONGEST_IDENTITY} printable characters "
            "without blanks around them",
            field="saml_identity",
        )


def check_username(username: str) -> None:
    if not USERNAME.fullmatch(username):
        raise Invalid(
            f"user name {username[:80]!r} is not valid, expected 1 to 64 letters, digits and any of . _ @ + - "
            "with a letter or digit first",
            field="username",
        )
