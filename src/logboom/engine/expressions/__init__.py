"""Expressions: every node is computed for all rows of a table before the node around it.

So the time of an expression depends on its number of nodes only, however often a value is used, and a value has only
the kinds that occur in some row.
"""

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.expressions.arguments import (
    ONE_ROW,
    Arguments,
    Builder,
    Constant,
    read_constant,
    settle,
)
from logboom.engine.expressions.conditionals import CONDITIONALS
from logboom.engine.expressions.encodings import ENCODINGS
from logboom.engine.expressions.growth import measure_value, reserve_result
from logboom.engine.expressions.lists import LISTS, as_lists
from logboom.engine.expressions.networks import NETWORKS
from logboom.engine.expressions.numbers import NUMBERS
from logboom.engine.expressions.operators import OPERATORS, invert, negate, truth
from logboom.engine.expressions.patterns import PATTERNS
from logboom.engine.expressions.strings import STRINGS
from logboom.engine.expressions.times import TIMES
from logboom.engine.expressions.types import TYPES
from logboom.engine.rows.computed import compute_rows
from logboom.engine.rows.internal import internal
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.tree import walk
from logboom.lang import ast
from logboom.model.columns import Column, Kind
from logboom.model.names import fold_name

CELLS, ROW = internal("cells"), internal("cell_row")

FUNCTIONS: dict[str, Builder] = {
    **CONDITIONALS,
    **STRINGS,
    **PATTERNS,
    **TIMES,
    **NETWORKS,
    **TYPES,
    **NUMBERS,
    **LISTS,
    **ENCODINGS,
    "mvfilter": lambda arguments: arguments.values[0],
}
WITHOUT_CONDITIONS = Conditions()


def build_expression(
    expression: ast.Expression, table: Table, conditions: Conditions = WITHOUT_CONDITIONS
) -> Value:
    """Return the value in each row of exactly this table: to select, filter or add columns, not inside groups."""
    match expression:
        case ast.Literal(value):
            return Constant.of(value)
        case ast.Field(name):
            return Value.of_field(table, name)
        case ast.Call("mvfilter", (test,)):
            return filter_values(test, table, conditions)
        case _:
            name, builder, operands = take_apart(expression)
            values = tuple(build_expression(each, table, conditions) for each in operands)
            return compute(builder, Arguments(name, values, table.frame, conditions))


def filter_values(test: ast.Expression, table: Table, conditions: Conditions) -> Value:
    """Return the values of a field for which a test is true: the test is applied to each value separately."""
    names = {node.name for node in walk(test) if isinstance(node, ast.Field)}
    if len(names) != 1:
        raise Invalid(f"mvfilter: a test of {len(names)} fields, expected a test of one field")
    name = names.pop()
    kept: dict[Kind, pl.Expr] = {}
    for kind, part in as_lists(Value.of_field(table, name)).items():
        reserve(2 * measure_value(Value({kind: part}), table.frame))
        cells = pl.DataFrame([compute_rows(table.frame, part).alias(CELLS)]).with_row_index(ROW)
        rows = cells.filter(pl.col(CELLS).list.len() > 0).explode(CELLS)
        column = Column(fold_name(name), kind.element).name
        alone = Table(rows.rename({CELLS: column}), (name,))
        passes = truth(build_expression(test, alone, conditions)).fill_null(value=False)
        passed = rows.filter(compute_rows(alone.frame, passes))
        lists = passed.group_by(ROW, maintain_order=True).agg(CELLS)
        found = cells.select(ROW).join(lists, on=ROW, how="left", maintain_order="left")
        kept[kind] = pl.lit(found[CELLS])
    return settle(kept, table.frame)


def take_apart(
    node: ast.Call | ast.Binary | ast.Negative | ast.Inverse,
) -> tuple[str, Builder, tuple[ast.Expression, ...]]:
    match node:
        case ast.Call(name, operands):
            return name, FUNCTIONS[name], operands
        case ast.Binary(name, left, right):
            return name, OPERATORS[name], (left, right)
        case ast.Negative(operand):
            return "-", negate, (operand,)
        case ast.Inverse(operand):
            return "NOT", invert, (operand,)


def compute(builder: Builder, arguments: Arguments) -> Value:
    """Return the value of an expression; one of constants is computed once and not for each row."""
    if not arguments.are_constant:
        reserve_result(arguments)
        return arguments.settle(builder(arguments))
    alone = Arguments(arguments.name, arguments.values, ONE_ROW, arguments.conditions)
    reserve_result(alone)
    value = settle(builder(alone).parts, ONE_ROW)
    if any(kind.is_list for kind in value.parts):
        return Value({kind: part.first() for kind, part in value.parts.items()})
    return read_constant(value)
