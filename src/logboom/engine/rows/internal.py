"""Names of internal columns: what the engine keeps beside the fields of rows.

Field names are folded to lower case, so no field's column starts like these.
"""

PREFIX = "OWN."


def internal(name: str) -> str:
    """Return the internal column of this name; the name may itself be that of another column."""
    return PREFIX + name


def is_internal(column: str) -> bool:
    return column.startswith(PREFIX)
