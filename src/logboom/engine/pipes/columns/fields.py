"""`fields`: only these columns, in this order; names may contain `*`."""

from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.rows.computed import drop_columns
from logboom.engine.rows.internal import is_internal
from logboom.engine.rows.table import IDENTITY, REST, OwnFields, Table, match_names, matches_name
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs
from logboom.lang import ast
from logboom.model.columns import parse_column
from logboom.model.names import fold_name


class Fields(RowPipe, frozen=True):
    names: tuple[str, ...]

    def needs(self) -> Needs:
        return Needs()

    def bound_memory(self, table: Table) -> int:  # noqa: ARG002
        return 0

    def apply(self, table: Table) -> Table:
        dropped = [name for name in table.frame.columns if not self._keeps(name, table)]
        columns = match_names(self.names, table.columns)
        kept = set(map(fold_name, columns))
        shared = {name: each for name, each in table.shared.items() if name in kept}
        own = table.own and self._keep(table.own)
        return Table(drop_columns(table.frame, dropped), tuple(columns), own, shared)

    def _keeps(self, column: str, table: Table) -> bool:
        field = parse_column(column).field
        if field == REST:
            return "*" in self.names
        if any(column == shared.place for shared in table.shared.values()):
            return True
        if is_internal(column) or (table.has_events and column in IDENTITY):
            return table.has_events
        return any(matches_name(pattern, field) for pattern in self.names)

    def _keep(self, own: OwnFields) -> OwnFields:
        """Return the patterns that match what both the earlier ones and these match."""
        if own.kept is None:
            return OwnFields(self.names, own.hidden)
        kept: dict[str, None] = {}
        for pattern in self.names:
            if any(matches_name(earlier, pattern) for earlier in own.kept):
                kept[pattern] = None
            else:
                kept |= dict.fromkeys(each for each in own.kept if matches_name(pattern, each))
        return OwnFields(tuple(kept), own.hidden)


def make_fields(pipe: ast.Fields, _conditions: Conditions) -> Fields:
    return Fields(pipe.names)
