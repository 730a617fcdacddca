"""Exact counts of events by the values of fields."""

from msgspec.structs import replace

from logboom.engine.answers.fields.panel import ValueCount
from logboom.engine.answers.rowwise import check_complete, check_rowwise
from logboom.engine.execution.find import Finder
from logboom.engine.pipes.choose.page import Page
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.request import Request
from logboom.lang import ast


def count_groups(finder: Finder, request: Request, *keys: ast.Key) -> Table:
    """Count the events of a prepared request for each combination of the keys' values, the most frequent first."""
    stats = ast.Stats((ast.Aggregate("count", name=name_count(*keys)),), keys)
    query = ast.Query(request.query.filter, (*request.query.pipes, stats))
    return finder.find(replace(request, query=query), Page(0))


def name_count(*keys: ast.Key) -> str:
    """Return the name of the column of counts: longer than every key's name, so that it differs from all."""
    return " ".join(key.field for key in keys) + " count"


def count_values(finder: Finder, field: str, prefix: str, limit: int) -> list[ValueCount]:
    """Return the most frequent values first; only those whose text starts with `prefix`, ignoring case."""
    request = finder.prepare(finder.request)
    check_rowwise(finder, request, "a count of values")
    key = ast.Key(field)
    table = count_groups(finder, request, key)
    check_complete(finder)
    text = Value.of_field(table, field).text()
    wanted = table.filter(text.str.to_lowercase().str.starts_with(prefix.lower()))
    shown = wanted.with_frame(wanted.frame.head(limit))
    pairs = zip(shown.read_column(field), shown.read_column(name_count(key)), strict=True)
    return [ValueCount(value, count) for value, count in pairs]
