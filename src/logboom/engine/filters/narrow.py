"""Simplifies a filter for one block, using the values in the block's index.

A case-insensitive test becomes a test of the existing spelling; a test that all rows pass, or none, is dropped.
"""

from typing import Any

from logboom.engine.blocks.block import Block
from logboom.engine.terms.bound import Filter
from logboom.engine.terms.rewrite.booleans import simplify
from logboom.engine.terms.tree import rebuild
from logboom.lang import ast
from logboom.model.columns import Kind, Scalar
from logboom.model.names import CORE_FIELDS, fold_name

NOTHING = ast.Not(ast.Everything())


def narrow(filter_: Filter, block: Block) -> Filter:
    """Return a filter that matches the same rows of this block."""
    if block.has_overflow or isinstance(filter_, ast.Everything):
        return filter_

    def change(node: Any) -> Any:
        match node:
            case ast.Match(field, pattern) if pattern.text is not None:
                return narrow_match(node, fold_name(field), pattern.text, block)
            case ast.Exists(field):
                return narrow_exists(node, fold_name(field), block)
            case ast.And(terms) if NOTHING in terms:
                return NOTHING
            case ast.Or(terms) if NOTHING in terms:
                left = tuple(term for term in terms if term != NOTHING)
                return simplify(ast.Or((*left, *left))) if left else NOTHING
            case _:
                return simplify(node)

    return rebuild(filter_, change)


def narrow_match(node: ast.Match, field: str, text: str, block: Block) -> Any:
    columns = block.find_columns(field)
    if field in CORE_FIELDS or field == ast.MESSAGE or len(columns) > 1:
        return node
    if not columns:
        return NOTHING
    values = block.summarise(columns[0]).values
    if values is None or columns[0].kind is not Kind.STR:
        return node
    return narrow_spelling(
        node, [each for each in values if str(each[0]).lower() == text.lower()], block
    )


def narrow_spelling(node: ast.Match, spelled: list[tuple[Scalar, int]], block: Block) -> Any:
    """Return the test of the only spelling that a value has in the block, if there is just one."""
    match spelled:
        case []:
            return NOTHING
        case [(_, count)] if count == block.index.rows:
            return ast.Everything()
        case [(value, _)]:
            return ast.Exact(node.field, str(value))
        case _:
            return node


def narrow_exists(node: ast.Exists, field: str, block: Block) -> Any:
    if field in CORE_FIELDS:
        return node
    columns = block.find_columns(field)
    count = sum(block.summarise(column).count for column in columns)
    if not count:
        return NOTHING
    return ast.Everything() if count == block.index.rows else node
