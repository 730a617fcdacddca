"""Evaluates whole queries row by row: filters, queries inside them, and the pipes that choose events."""

from tests.engine.oracle import Row, Scalar, is_in_scope, list_tested, matches

from logboom.engine.terms.bound import Filter
from logboom.engine.terms.request import Request
from logboom.engine.terms.resolve import resolve
from logboom.engine.terms.tree import walk
from logboom.lang import ast


class Unanswerable(Exception):
    """The query needs something that only the engine knows."""


def find_rows(request: Request, rows: list[Row]) -> list[Row]:
    """Return the rows of a request, newest first; raise Unanswerable if the naive evaluation does not support it."""

    def find_values(node: ast.InQuery) -> tuple[Scalar, ...]:
        inner = find_rows(Request(node.query, request.envs, now_ns=request.now_ns), rows)
        return tuple(value for row in inner for value in list_tested(node, row))

    bound = resolve(request, find_values)
    in_scope = [row for row in rows if is_in_scope(row, ["*"], bound.from_ns, bound.to_ns)]
    found = sorted(filter_rows(bound.query.filter, in_scope), key=lambda row: -row.time_ns)
    for pipe in bound.query.pipes:
        match pipe:
            case ast.Where(filter_):
                found = filter_rows(filter_, found)
            case ast.Limit(count):
                found = found[:count]
            case ast.Tail(count):
                found = found[len(found) - count if count < len(found) else 0 :]
            case _:
                raise Unanswerable(pipe)
    return found


def filter_rows(node: Filter, rows: list[Row]) -> list[Row]:
    for each in walk(node):
        field = getattr(each, "field", "")
        if isinstance(each, ast.Truth) or field.lower() in ("_time", "_id"):
            raise Unanswerable(each)
    return [row for row in rows if matches(node, row)]
