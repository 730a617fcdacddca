"""The kinds of text that are recognised by what only they have; all are in KINDS."""

from collections.abc import Callable

from logboom.formats.auto.kinds.audit import try_audit
from logboom.formats.auto.kinds.filterlog import try_filterlog
from logboom.formats.auto.kinds.flow_logs import try_flow_logs
from logboom.formats.auto.kinds.fortigate import try_fortigate
from logboom.formats.auto.kinds.leef import try_leef
from logboom.formats.auto.kinds.macos import try_macos
from logboom.formats.auto.kinds.mongodb import try_mongodb
from logboom.formats.auto.kinds.postgres_csv import try_postgres_csv
from logboom.formats.auto.kinds.windows_text import try_windows_text
from logboom.formats.auto.kinds.windows_xml import try_windows_xml
from logboom.formats.auto.kinds.zeek import try_zeek
from logboom.formats.auto.reading import Reading

Try = Callable[[list[str], int], Reading | None]
"""Returns the reading of some lines, given the current time; None if they are of another kind."""

KINDS: dict[str, Try] = {
    "mongodb": try_mongodb,
    "zeek": try_zeek,
    "leef": try_leef,
    "vpc_flow": try_flow_logs,
    "windows_xml": try_windows_xml,
    "windows_event": try_windows_text,
    "auditd": try_audit,
    "postgres_csv": try_postgres_csv,
    "fortigate": try_fortigate,
    "filterlog": try_filterlog,
    "macos": try_macos,
}
"""By the names of their readings; no two of them fit the same text."""


def try_kinds(lines: list[str], now_ns: int) -> Reading | None:
    """Return the reading of the kind that fits some lines."""
    readings = (each(lines, now_ns) for each in KINDS.values())
    return next((reading for reading in readings if reading is not None), None)
