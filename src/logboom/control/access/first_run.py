"""First run: who may create the admin account, and warnings while nobody has."""

import hmac
import logging

from prometheus_client import Gauge

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.errors import Forbidden
from logboom.control.access.signin.logins import LoginThrottle
from logboom.control.access.users import User, Users

log = logging.getLogger(__name__)

REMIND_NS = 60 * NS_PER_S

setup_pending = Gauge(
    "logboom_setup_pending",
    "1 while others on the network could create the admin account because nobody has, else 0",
)


class FirstRun:
    """The first account; with a setup code only those who know it can create it."""

    def __init__(self, users: Users, code: str, clock: Clock) -> None:
        self._users = users
        self._code = code.encode()
        self._clock = clock
        self._tries = LoginThrottle(clock)
        self._reminded_ns: int | None = None

    def is_required(self) -> bool:
        return self._users.is_setup_required()

    @property
    def needs_code(self) -> bool:
        return bool(self._code)

    def create(self, username: str, password: str, code: str = "", address: str = "") -> User:
        """Create the first account.

        Raise Conflict once there is an account, Forbidden without the right code, Overloaded after many attempts.
        """
        if self.needs_code and self.is_required():
            self._check_code(code, address)
        return self._users.setup(username, password)

    def _check_code(self, code: str, address: str) -> None:
        if not code:
            raise Forbidden(
                "setup needs a code, expected the value of SERVICE_SETUP_CODE as `code`",
                field="code",
            )
        self._tries.check("", address)
        if not hmac.compare_digest(code.encode(), self._code):
            raise Forbidden(
                "the setup code is wrong, expected the value of SERVICE_SETUP_CODE", field="code"
            )
        self._tries.succeed("", address)

    def remind(self, host: str) -> None:
        """Warn in metrics and log that a service reachable at `host` is not set up yet; slow."""
        is_pending = self.is_required()
        setup_pending.set(is_pending)
        now_ns = self._clock()
        is_due = self._reminded_ns is None or not 0 <= now_ns - self._reminded_ns < REMIND_NS
        if is_pending and is_due:
            self._reminded_ns = now_ns
            log.warning(self._describe_pending(), extra={"host": host})

    def _describe_pending(self) -> str:
        if self.needs_code:
            return "setup is pending: whoever knows the setup code can create the admin account"
        return (
            "setup is pending: ANYBODY who can reach this address can create the admin account; "
            "create it now, or set SERVICE_SETUP_CODE"
        )
