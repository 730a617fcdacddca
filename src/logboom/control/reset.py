"""Getting back in: the admin's password set by whoever can start the service."""

import logging

from prometheus_client import Gauge

from logboom.control.audit import Audit
from logboom.control.principal import ANONYMOUS
from logboom.control.users import User, Users

log = logging.getLogger(__name__)

admin_reset = Gauge(
    "logboom_admin_reset", "1 when this start has reset the admin's password, else 0"
)


def reset_admin(users: Users, audit: Audit, password: str) -> User | None:
    """Give the oldest admin this password, enable it, and end all sessions of everybody.

    None, and nothing done, while there is no account yet.
    """
    admin = users.reset_oldest_admin(password)
    if admin is None:
        log.warning("SERVICE_ADMIN_RESET is set, but there is no account to reset")
        return None
    admin_reset.set(1)
    audit.record("admin_reset", ANONYMOUS, admin.username)
    log.warning(
        "SERVICE_ADMIN_RESET is set: the admin's password is reset and all sessions are ended, "
        "unset it and SERVICE_ADMIN_PASSWORD now",
        extra={"username": admin.username},
    )
    return admin
