"""`drop`: removes columns; names may contain `*`."""

from msgspec.structs import replace

from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.rows.computed import drop_columns
from logboom.engine.rows.internal import is_internal
from logboom.engine.rows.table import IDENTITY, Table, matches_name
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs
from logboom.lang import ast
from logboom.model.columns import parse_column
from logboom.model.names import fold_name


class Drop(RowPipe, frozen=True):
    names: tuple[str, ...]

    def needs(self) -> Needs:
        return Needs()

    def bound_memory(self, table: Table) -> int:  # noqa: ARG002
        return 0

    def apply(self, table: Table) -> Table:
        held = IDENTITY if table.has_events else ()
        dropped = [
            column
            for column in table.frame.columns
            if not is_internal(column)
            and column not in held
            and self._drops(parse_column(column).field)
        ]
        columns = tuple(name for name in table.columns if not self._drops(name))
        hidden = frozenset(map(fold_name, self.names))
        own = table.own and replace(table.own, hidden=table.own.hidden | hidden)
        shared = {name: each for name, each in table.shared.items() if not self._drops(name)}
        return Table(drop_columns(table.frame, dropped), columns, own, shared)

    def _drops(self, name: str) -> bool:
        return any(matches_name(pattern, name) for pattern in self.names)


def make_drop(pipe: ast.Drop, _conditions: Conditions) -> Drop:
    return Drop(pipe.names)
