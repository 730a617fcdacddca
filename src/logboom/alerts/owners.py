"""On whose behalf an alert runs, and who may read its results."""

from logboom.control.access.principal import Principal
from logboom.control.access.reach import covers
from logboom.control.access.scopes import EVERYTHING_BUT_MCP
from logboom.control.control import Control
from logboom.control.saved.alerts import Alert


def find_owner(control: Control, alert: Alert) -> Principal:
    """Return the owner; a deleted one counts as unlimited, because it is unknown what they could read."""
    user = control.users.find(alert.owner_id)
    unknown = Principal("user", alert.owner_id, alert.owner, EVERYTHING_BUT_MCP)
    return Principal.of_user(user) if user else unknown


def reads_as_owner(control: Control, alert: Alert, reader: Principal) -> bool:
    """Return whether somebody may read everything that the owner may read."""
    return alert.owner_id == reader.id or covers(reader, find_owner(control, alert))
