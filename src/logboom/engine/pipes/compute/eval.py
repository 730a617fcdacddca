"""`eval`: fields computed from others, one after the other. Null removes the value."""

from logboom.base.errors import Invalid
from logboom.engine.expressions import build_expression
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.pipes.overlay import is_reserved
from logboom.engine.rows.table import Table
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need_node
from logboom.lang import ast


class Eval(RowPipe, frozen=True):
    pipe: ast.Eval
    conditions: Conditions

    def needs(self) -> Needs:
        return need_node(self.pipe)

    def bound_memory(self, table: Table) -> int:  # noqa: ARG002
        return 0

    def apply(self, table: Table) -> Table:
        for name, expression in self.pipe.assignments:
            if is_reserved(table, name):
                raise Invalid(f"{name} identifies the event, expected another name to assign to")
            value = build_expression(expression, table, self.conditions)
            table = table.with_field(name, dict(value.parts))
        return table


def make_eval(pipe: ast.Eval, conditions: Conditions) -> Eval:
    return Eval(pipe, conditions)
