"""The control plane as one thing: opened at start, asked by the HTTP layer."""

from typing import Self

from logboom.base.clock import Clock
from logboom.base.objects import ObjectStore
from logboom.control.cipher import AesCipher, PlainCipher
from logboom.control.documents import Documents
from logboom.control.environments import Environments
from logboom.control.lookups import Lookups
from logboom.control.sessions import Sessions
from logboom.control.users import User, Users


class Control:
    """Users, sessions, environments and lookup tables of one store. May be called from any thread.

    `setup` and `login` hash a password and `logout` writes to the store: call them off the event loop.
    `authenticate` and everything that only reads `environments` or `lookups` is quick and touches no disk.
    """

    def __init__(
        self, users: Users, sessions: Sessions, environments: Environments, lookups: Lookups
    ) -> None:
        self.users = users
        self.sessions = sessions
        self.environments = environments
        self.lookups = lookups

    @classmethod
    def open(
        cls, objects: ObjectStore, control_key: bytes | None, jwt_secret: bytes, clock: Clock
    ) -> Self:
        """Read every document; without a control key they are kept unencrypted.

        Raises Unavailable or Corrupt when a document is there but cannot be read.
        """
        cipher = PlainCipher() if control_key is None else AesCipher(control_key)
        documents = Documents(objects, cipher)
        users = Users(documents, clock)
        sessions = Sessions(jwt_secret, users, clock)
        return cls(users, sessions, Environments(documents), Lookups(documents))

    def refresh(self) -> None:
        """Take over what other nodes have changed."""
        self.users.refresh()
        self.environments.refresh()
        self.lookups.refresh()

    def is_setup_required(self) -> bool:
        return self.users.is_setup_required()

    def setup(self, username: str, password: str) -> User:
        """Make the first account, an admin; Conflict ever after."""
        return self.users.setup(username, password)

    def login(self, username: str, password: str) -> tuple[str, User]:
        """A new session's token and its user; Unauthenticated otherwise."""
        user = self.users.check_login(username, password)
        return self.sessions.issue(user), user

    def authenticate(self, token: str) -> User:
        """The user of a live session; Unauthenticated otherwise."""
        return self.sessions.authenticate(token)

    def logout(self, user: User) -> None:
        """End all sessions of the user."""
        self.users.revoke_sessions(user.id)
