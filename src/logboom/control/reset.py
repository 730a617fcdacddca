"""Recovery: resets the admin's password for whoever can start the service."""

import logging

from prometheus_client import Gauge

from logboom.base.errors import Invalid
from logboom.control.access.principal import ANONYMOUS
from logboom.control.access.users import User
from logboom.control.control import Control

log = logging.getLogger(__name__)

admin_reset = Gauge(
    "logboom_admin_reset", "1 when this start has reset the admin's password, else 0"
)


def reset_admin(control: Control, password: str) -> User | None:
    """Give the oldest admin this password, enable the account, and end all sessions of all users.

    None, and nothing done, while there is no account yet. Raise Invalid if the password is too easy to guess.
    """
    try:
        admin = control.users.reset_oldest_admin(password)
    except Invalid as error:
        raise Invalid(f"SERVICE_ADMIN_PASSWORD cannot be used: {error.message}") from error
    if admin is None:
        log.warning("SERVICE_ADMIN_RESET is set, but there is no account to reset")
        return None
    admin_reset.set(1)
    control.is_admin_reset = True
    control.audit.record("admin_reset", ANONYMOUS, admin.username)
    log.warning(
        "SERVICE_ADMIN_RESET is set: the admin's password is reset and all sessions are ended, "
        "unset it and SERVICE_ADMIN_PASSWORD now",
        extra={"username": admin.username},
    )
    return admin
