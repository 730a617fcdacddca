"""`stats`: one row per combination of the keys' values, with what aggregates make of its rows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from logboom.engine.blocks import Block
from logboom.engine.conditions import Conditions
from logboom.engine.counted import count_by_index
from logboom.engine.groups import Groups
from logboom.engine.needs import Needs
from logboom.engine.pipes.kinds import ByIndex, MergePipe
from logboom.engine.table import TIME, Table
from logboom.lang import ast
from logboom.model.names import fold_name


@dataclass(frozen=True)
class Stats(MergePipe):
    """Rows that lack a key form a group of their own.

    If rows are counted first, the largest groups come first; else they are in the order of their keys,
    and so they are by time.
    """

    groups: Groups

    @property
    def needs_identity(self) -> bool:
        return self.groups.is_ordered

    def needs(self) -> Needs:
        return self.groups.needs()

    def compute(self, table: Table) -> Table:
        return self.groups.compute(table)

    def compute_by_index(self, blocks: Sequence[Block]) -> ByIndex:
        return count_by_index(self.groups, blocks)

    def merge(self, tables: Sequence[Table]) -> Table:
        return self.groups.merge(tables)

    def finish(self, merged: Table) -> Table:
        keys = [ast.SortKey(key.field) for key in self.groups.keys]
        first = self.groups.aggregates[0]
        is_series = any(fold_name(key.field) == TIME.field for key in self.groups.keys)
        if first.function == "count" and not is_series:
            keys.insert(0, ast.SortKey(first.name, descending=True))
        return self.groups.sort(self.groups.finish(merged), keys)

    def read_remarks(self, merged: Table) -> Counter[tuple[str, str]]:
        """What the result leaves out: how many values, by the reason and the field."""
        return self.groups.read_remarks(merged)


def make_stats(pipe: ast.Stats, conditions: Conditions) -> Stats:
    return Stats(Groups(pipe.keys, pipe.aggregates, conditions))
