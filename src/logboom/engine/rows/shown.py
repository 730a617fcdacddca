"""What rows show: the names of all their fields, and rows that no longer stand for events."""

from logboom.base.errors import Invalid
from logboom.engine.rows.table import Table
from logboom.model.columns import MESSAGE
from logboom.model.names import fold_name

CORE = ("_time", "_env", "_index")
"""The service's fields that events show, if loaded."""


def list_shown(table: Table) -> list[str]:
    """Return the names of columns, and of the events' own fields that are loaded.

    The order of own fields does not depend on how events are spread over blocks: the message first, others by name.
    """
    if table.own is None:
        return list(table.columns)
    named = {fold_name(name) for name in table.columns}
    core = [field for field in CORE if table.find_columns(field)]
    loaded = {column.field for column in table.list_columns() if table.frame[column.name].count()}
    ordered = sorted(loaded, key=lambda name: (name != MESSAGE.field, name))
    own = [name for name in (*core, *ordered) if name not in named and table.own.shows(name)]
    return [*own, *table.columns]


def forget_events(table: Table) -> Table:
    """Return the same rows as a plain table of what they show; every field must be loaded."""
    if table.own is None:
        return table
    names = tuple(list_shown(table))
    held = [column.name for name in names for column in table.find_columns(name)]
    return Table(table.frame.select(held), names)


def check_names(pipe: str, names: tuple[str, ...]) -> None:
    """Refuse a pipe that would make two columns of one name."""
    folded = [fold_name(name) for name in names]
    for name in folded:
        if folded.count(name) > 1:
            raise Invalid(f"{pipe} would make two columns {name!r}, rename the field before it")
