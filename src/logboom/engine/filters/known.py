"""Known matches: how many rows of a block a filter matches, if the index has counted them."""

from collections import Counter
from typing import NamedTuple

from logboom.engine.blocks.block import Block
from logboom.engine.filters.remarks import LACKS_FIELD, Remark
from logboom.engine.rows.values import read_value
from logboom.engine.terms.bound import Filter
from logboom.lang import ast
from logboom.model.columns import Column, Kind, Scalar
from logboom.model.names import CORE_FIELDS, fold_name


class KnownMatches(NamedTuple):
    """How many rows match, and the remarks about them."""

    rows: int
    remarks: Counter[Remark]


NOTHING = KnownMatches(0, Counter())


def count_known(filter_: Filter, block: Block) -> KnownMatches | None:
    """Return what the index knows about a filter, or None; the filter must be narrowed to the block."""
    rows = None if block.has_overflow else count_rows(filter_, block)
    return None if rows is None else KnownMatches(rows, count_remarks(filter_, block))


def count_rows(filter_: Filter, block: Block) -> int | None:
    match filter_:
        case ast.Everything():
            return block.index.rows
        case ast.Exists(field):
            return count_present(field, block)
        case ast.Exact(field, text):
            return count_equal(field, text, block)
        case ast.Not(term):
            found = count_rows(term, block)
            return None if found is None else block.index.rows - found
        case _:
            return None


def count_present(field: str, block: Block) -> int | None:
    """Return the rows that have a field; no row has values in two of its columns."""
    if fold_name(field) in CORE_FIELDS:
        return None
    return sum(block.summarise(column).count for column in block.find_columns(field))


def count_equal(field: str, text: str, block: Block) -> int | None:
    columns = block.find_columns(field)
    if fold_name(field) in CORE_FIELDS or not all(is_counted(each, block) for each in columns):
        return None
    return sum(count_value(read_value(text, each.kind), each, block) for each in columns)


def is_counted(column: Column, block: Block) -> bool:
    """Return whether the index has all values of a column, one for each row that has any."""
    is_single = not column.kind.is_list and column.kind is not Kind.TIME
    return is_single and block.summarise(column).values is not None


def count_value(wanted: Scalar | None, column: Column, block: Block) -> int:
    values = block.summarise(column).values or []
    return sum(count for value, count in values if value == wanted)


def count_remarks(filter_: Filter, block: Block) -> Counter[Remark]:
    """Count the rows that match a negated test because they lack the field."""
    match filter_:
        case ast.Not(ast.Exact(field)):
            missing = block.index.rows - (count_present(field, block) or 0)
            return +Counter({(LACKS_FIELD, field): missing})
        case _:
            return Counter()
