"""The retention rules that the settings and environments give."""

from logboom.control.control import Control
from logboom.store.expiry.retention import Retention


def find_retention(control: Control) -> Retention:
    """Return the retention rules in force."""
    total_bytes = control.settings.effective.general.retention_bytes
    return Retention(control.find_retention_days, control.find_retention_bytes, total_bytes)
