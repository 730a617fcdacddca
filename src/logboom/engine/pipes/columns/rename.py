"""`rename`: renames fields, pair by pair. A `*` in the old name fills that in the new one."""

from msgspec.structs import replace

from logboom.base.errors import Invalid
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.pipes.overlay import is_reserved
from logboom.engine.rows.shown import list_shown
from logboom.engine.rows.table import Table, compile_pattern
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import EVERYTHING, Needs, need
from logboom.lang import ast
from logboom.model.names import fold_name


class Rename(RowPipe, frozen=True):
    pairs: tuple[tuple[str, str], ...]

    def needs(self) -> Needs:
        if any("*" in old for old, _ in self.pairs):
            return EVERYTHING
        return need(*(old for old, _ in self.pairs))

    def bound_memory(self, table: Table) -> int:  # noqa: ARG002
        return 0

    def apply(self, table: Table) -> Table:
        for old, new in self.pairs:
            if "*" in old:
                table = rename_many(table, old, new)
            elif table.has_events or has_name(table, old):
                table = rename_all(table, {old: new})
        return table


def rename_all(table: Table, names: dict[str, str]) -> Table:
    """Rename fields, all at once; those of the new names are replaced, even where the old ones have no value."""
    for new in names.values():
        if is_reserved(table, new):
            raise Invalid(f"{new} identifies the event, expected another name to rename to")
    last = {fold_name(new): fold_name(old) for old, new in names.items()}
    renamed = {
        fold_name(old): new for old, new in names.items() if last[fold_name(new)] == fold_name(old)
    }
    made = table.with_fields(
        {new: Value.of_field(table, old).parts for old, new in renamed.items()}
    )
    gone = [folded for old in names if (folded := fold_name(old)) not in last]
    return replace(
        made.without(*gone), columns=rename_columns(table.columns, renamed, {*last, *gone})
    )


def rename_columns(
    columns: tuple[str, ...], renamed: dict[str, str], gone: set[str]
) -> tuple[str, ...]:
    """Return the columns under their new names, in their places; fields that were no columns come last.

    `renamed` has the new names by the folded old ones, `gone` the names that no longer stand for what they did.
    """
    folded = {fold_name(column): column for column in columns}
    stay = [
        renamed.get(name, column)
        for name, column in folded.items()
        if name in renamed or name not in gone
    ]
    return (*stay, *(new for old, new in renamed.items() if old not in folded))


def rename_many(table: Table, old: str, new: str) -> Table:
    """Rename every field that matches; fields that events have only in other blocks are hidden here too."""
    pattern = compile_pattern(fold_name(old))
    names = {
        name: fill_stars(new, match.groups())
        for name in list_shown(table)
        if (match := pattern.fullmatch(fold_name(name))) and not is_reserved(table, name)
    }
    table = rename_all(table, names)
    if table.own is None:
        return table
    return replace(table, own=replace(table.own, hidden=table.own.hidden | {fold_name(old)}))


def fill_stars(pattern: str, texts: tuple[str, ...]) -> str:
    pieces = pattern.split("*")
    return pieces[0] + "".join(text + piece for text, piece in zip(texts, pieces[1:], strict=True))


def has_name(table: Table, name: str) -> bool:
    return fold_name(name) in map(fold_name, table.columns)


def make_rename(pipe: ast.Rename, _conditions: Conditions) -> Rename:
    for old, new in pipe.pairs:
        if "**" in old or old.count("*") != new.count("*"):
            raise Invalid(f"rename {old!r} as {new!r}, expected the same number of * in both")
    return Rename(pipe.pairs)
