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
                table = rename_one(table, old, new)
        return table


def rename_one(table: Table, old: str, new: str) -> Table:
    """Rename a field; one of the new name is replaced, even where the old one has no value."""
    if is_reserved(table, new):
        raise Invalid(f"{new} identifies the event, expected another name to rename to")
    parts = dict(Value.of_field(table, old).parts)
    renamed = table.with_field(new, parts)
    if fold_name(old) != fold_name(new):
        renamed = renamed.without(old)
    others = [name for name in table.columns if fold_name(name) not in map(fold_name, (old, new))]
    if not has_name(table, old):
        return replace(renamed, columns=(*others, new))
    place = sum(fold_name(name) in map(fold_name, others) for name in list_before(table, old))
    return replace(renamed, columns=(*others[:place], new, *others[place:]))


def rename_many(table: Table, old: str, new: str) -> Table:
    """Rename every field that matches; fields that events have only in other blocks are hidden here too."""
    pattern = compile_pattern(fold_name(old))
    for name in list_shown(table):
        match = pattern.fullmatch(fold_name(name))
        if match and not is_reserved(table, name):
            table = rename_one(table, name, fill_stars(new, match.groups()))
    if table.own is None:
        return table
    return replace(table, own=replace(table.own, hidden=table.own.hidden | {fold_name(old)}))


def fill_stars(pattern: str, texts: tuple[str, ...]) -> str:
    pieces = pattern.split("*")
    return pieces[0] + "".join(text + piece for text, piece in zip(texts, pieces[1:], strict=True))


def has_name(table: Table, name: str) -> bool:
    return fold_name(name) in map(fold_name, table.columns)


def list_before(table: Table, name: str) -> list[str]:
    """Return the columns before one."""
    folded = [fold_name(column) for column in table.columns]
    return list(table.columns[: folded.index(fold_name(name))])


def make_rename(pipe: ast.Rename, _conditions: Conditions) -> Rename:
    for old, new in pipe.pairs:
        if "**" in old or old.count("*") != new.count("*"):
            raise Invalid(f"rename {old!r} as {new!r}, expected the same number of * in both")
    return Rename(pipe.pairs)
