"""`stats`: one row per combination of the keys' values, with the aggregates of its rows."""

from logboom.engine.grouping.groups import Groups
from logboom.engine.pipes.groups.distinct import find_distinct_count
from logboom.engine.pipes.groups.grouping import Grouping
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.table import TIME, Table
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast
from logboom.model.names import fold_name


class Stats(Grouping, frozen=True):
    """Rows that lack a key form a group of their own.

    If the first aggregate is a count, the largest groups come first; otherwise, and if grouped by time, they are in
    the order of their keys.
    """

    def finish(self, merged: Table) -> Table:
        return self.sort(self.groups.finish(merged))

    def finish_rows(self, rows: int) -> Table:
        return self.groups.finish_rows(rows)

    def sort(self, finished: Table) -> Table:
        keys = [ast.SortKey(key.field) for key in self.groups.keys]
        first = self.groups.aggregates[0]
        is_series = any(fold_name(key.field) == TIME.field for key in self.groups.keys)
        if first.function == "count" and not is_series:
            keys.insert(0, ast.SortKey(first.name, descending=True))
        return self.groups.sort(finished, keys)


def make_stats(pipe: ast.Stats, conditions: Conditions) -> MergePipe:
    groups = Groups(pipe.keys, pipe.aggregates, conditions)
    return find_distinct_count(groups) or Stats(groups)
