"""Names from other query languages and tools, and their equivalents here. All of them are in FOREIGN."""

from logboom.lang.foreign.aggregates import AGGREGATES
from logboom.lang.foreign.functions import FUNCTIONS
from logboom.lang.foreign.pipes import PIPES
from logboom.lang.foreign.rows import Edit, Foreign, Kind

__all__ = ["FOREIGN", "Edit", "Foreign", "Kind", "find_foreign"]

FOREIGN: dict[Kind, tuple[Foreign, ...]] = {
    "pipe": PIPES,
    "aggregate": AGGREGATES,
    "function": FUNCTIONS,
}
BY_NAME: dict[Kind, dict[str, Foreign]] = {
    kind: {name: row for row in rows for name in row.names} for kind, rows in FOREIGN.items()
}


def find_foreign(kind: Kind, name: str) -> Foreign | None:
    """Return the row of a name, ignoring case."""
    return BY_NAME[kind].get(name.lower())
