"""The control plane: opened at start, used by the HTTP layer."""

from collections.abc import Mapping
from typing import Self

from logboom.base.clock import Clock
from logboom.base.errors import Forbidden, Overloaded, about
from logboom.base.stores.objects import ObjectStore
from logboom.control.access.audit import Audit
from logboom.control.access.first_run import FirstRun
from logboom.control.access.keys import KEY_PREFIX, ApiKeys
from logboom.control.access.principal import Principal
from logboom.control.access.signin.answered_requests import AnsweredRequests
from logboom.control.access.signin.devices import Devices
from logboom.control.access.signin.ended_sessions import EndedSessions
from logboom.control.access.signin.logins import LoginThrottle
from logboom.control.access.signin.sessions import Sessions
from logboom.control.access.signin.throttled_logins import ThrottledLogins
from logboom.control.access.tokens import TOKEN_PREFIX, IngestTokens
from logboom.control.access.users import User, Users
from logboom.control.documents.cipher import AesCipher, PlainCipher
from logboom.control.documents.store import Documents
from logboom.control.registry.environments import Environments
from logboom.control.registry.nodes import Nodes
from logboom.control.registry.settings import LiveSettings, Settings
from logboom.control.saved.alert_states import AlertStates
from logboom.control.saved.alerts import Alerts
from logboom.control.saved.channels import Channels
from logboom.control.saved.dashboards import Dashboards
from logboom.control.saved.links import Links
from logboom.control.saved.lookups import Lookups
from logboom.control.saved.queries import SavedQueries
from logboom.control.saved.sources import Sources
from logboom.control.saved.stars import Stars


class Control:
    """Everything about access and configuration of a store. Thread-safe.

    Methods that take a password or change something are slow: call them off the event loop. `authenticate` and
    everything that only reads is fast and reads no disk.
    """

    def __init__(
        self,
        documents: Documents,
        jwt_secret: bytes,
        clock: Clock,
        environment: Mapping[str, str],
        setup_code: str = "",
    ) -> None:
        self._documents = documents
        self.settings = LiveSettings(documents, environment)
        self.users = Users(documents, clock, self.has_single_sign_on)
        self.first_run = FirstRun(self.users, setup_code, clock)
        self.ended_sessions = EndedSessions(documents, clock)
        self.sessions = Sessions(jwt_secret, self.users, self.ended_sessions, clock)
        self.answered_requests = AnsweredRequests(documents, clock)
        self.devices = Devices(self.sessions.derive_key(b"device"))
        self.keys = ApiKeys(documents, clock)
        self.tokens = IngestTokens(documents, clock)
        self.environments = Environments(documents)
        self.lookups = Lookups(documents)
        self.sources = Sources(documents, clock)
        self.queries = SavedQueries(documents, clock)
        self.stars = Stars(documents)
        self.dashboards = Dashboards(documents, clock)
        self.links = Links(documents, clock)
        self.alerts = Alerts(documents, clock)
        self.alert_states = AlertStates(documents)
        self.channels = Channels(documents, clock)
        self.nodes = Nodes(documents, clock)
        self.logins = LoginThrottle(clock)
        self.audit = Audit()
        self.throttled_logins = ThrottledLogins(self.audit, clock)
        self.is_admin_reset = False
        """Whether this start has reset the admin's password."""

    @classmethod
    def open(
        cls,
        objects: ObjectStore,
        control_key: bytes | None,
        jwt_secret: bytes,
        clock: Clock,
        environment: Mapping[str, str] | None = None,
        setup_code: str = "",
    ) -> Self:
        """Read every document; without a control key they are stored unencrypted.

        `environment` holds the variables that fix settings; a setup code is required to create the first account.
        Raises Unavailable or Corrupt if a document exists but cannot be read.
        """
        cipher = PlainCipher() if control_key is None else AesCipher(control_key)
        return cls(Documents(objects, cipher), jwt_secret, clock, environment or {}, setup_code)

    def refresh(self) -> None:
        """Load changes made by other nodes."""
        with self._documents.listed_once():
            self._refresh_all()

    def save_counts(self) -> None:
        """Save what was only counted so far: refused sign-ins, and the use of tokens."""
        self.throttled_logins.flush()
        self.tokens.flush_usage()

    def _refresh_all(self) -> None:
        self.users.refresh()
        self.ended_sessions.refresh()
        self.keys.refresh()
        self.tokens.refresh()
        self.environments.refresh()
        self.lookups.refresh()
        self.sources.refresh()
        self.queries.refresh()
        self.stars.refresh()
        self.dashboards.refresh()
        self.alerts.refresh()
        self.alert_states.refresh()
        self.channels.refresh()
        self.settings.refresh()

    def find_retention_days(self, env: str) -> int | None:
        """Return how many days an environment keeps its events, or None if it keeps them forever.

        The general retention applies to environments without their own.
        """
        environment = self.environments.find(env)
        if environment is None or environment.retention_days is None:
            return self.settings.effective.general.retention_days
        return environment.retention_days

    def find_retention_bytes(self, env: str) -> int | None:
        """Return how many bytes the blocks of an environment may take; None: unlimited."""
        environment = self.environments.find(env)
        return environment.retention_bytes if environment else None

    def setup(self, username: str, password: str) -> User:
        """Create the first account, an admin; raise Conflict if there is one."""
        return self.first_run.create(username, password)

    def recognise_device(self, username: str, mark: str) -> str:
        """Return the device of a mark, if the user of this name signed in there before; else empty."""
        user = self.users.find_by_name(username)
        return self.devices.recognise(mark, user.id) if user else ""

    def take_try(self, username: str, address: str, device: str = "") -> None:
        """Take one of the sign-in attempts; raise Overloaded if none is left."""
        try:
            self.logins.check(username, address, device)
        except Overloaded:
            self.throttled_logins.note(self.name_account(username), address)
            raise

    def name_account(self, username: str) -> str:
        """Return the typed user name if such an account exists, else an empty text.

        A name without an account may be a password that was typed into the wrong field, and must not be logged.
        """
        return username if self.users.find_by_name(username) else ""

    def change_settings(
        self, changes: Mapping[str, object], expected_generation: int | None = None
    ) -> Settings:
        """Do what `LiveSettings.patch` does, but raise Conflict for a change after which no admin could sign in."""
        return self.settings.patch(changes, expected_generation, self._check_login_possible)

    def _check_login_possible(self, before: Settings, after: Settings) -> None:
        if before.saml.enabled and not after.saml.enabled:
            with about("saml.enabled"):
                self.users.check_passwords_suffice()

    def has_single_sign_on(self) -> bool:
        return self.settings.effective.saml.enabled

    def allows_passwords(self) -> bool:
        """Return whether users can sign in with a password; always while SERVICE_ADMIN_RESET is set, for recovery."""
        return self.is_admin_reset or not self.settings.effective.saml.is_password_closed

    def check_passwords_allowed(self) -> None:
        if not self.allows_passwords():
            raise Forbidden("password sign-in is disabled, expected single sign-on")

    def login(self, username: str, password: str) -> tuple[str, User]:
        """Return the token and user of a new session; raise Unauthenticated otherwise."""
        user = self.users.check_login(username, password)
        return self.sessions.issue(user), user

    def authenticate(self, credential: str) -> Principal:
        """Return the owner of a session, API key or ingest token; raise Unauthenticated if it is not valid."""
        if credential.startswith(KEY_PREFIX):
            return Principal.of_key(self.keys.authenticate(credential))
        if credential.startswith(TOKEN_PREFIX):
            return Principal.of_token(self.tokens.authenticate(credential))
        return Principal.of_user(self.sessions.authenticate(credential))

    def logout(self, token: str) -> None:
        """End the session of this token; other sessions of its user continue."""
        self.sessions.end(token)
