"""Which fields of events a query names: those that it reads and that no earlier pipe made.

And which columns it reads of a table that has no such column.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from logboom.engine.expressions.patterns import list_groups
from logboom.engine.terms.needs import need_node
from logboom.lang import ast
from logboom.lang.parse.pipes.extract import PLACEHOLDER
from logboom.lang.tokens import TIME_NAMES
from logboom.model.names import CORE_FIELDS, fold_name

ALWAYS_THERE = frozenset({*CORE_FIELDS, *TIME_NAMES, ast.MESSAGE})
SCOPES = frozenset({"env", "index"})
NAMED_BY = ("fields", "by", "names", "same")
"""Members of pipes that contain the names of fields."""
UNREAD = (ast.Drop, ast.FillNull, ast.Union, ast.Explain)
"""Pipes that drop or fill the fields that they name, or name none."""
# After these pipes there are other columns, or any.
RESHAPING = (
    *(ast.Stats, ast.Timechart, ast.Top, ast.Rare, ast.Uniq, ast.Patterns, ast.Diff),
    *(ast.Transaction, ast.Unpack, ast.Join, ast.Union, ast.Lookup, ast.Context, ast.Explain),
    *(ast.Chart, ast.InputLookup, ast.XySeries, ast.Untable),
)


def list_named(query: ast.Query) -> set[str]:
    """Return the folded names; in the filter `env` and `index` also stand for the event's environment and index."""
    made: set[str] = set()
    asked = set(need_node(query.filter).fields - SCOPES)
    for pipe in query.pipes:
        for step in list_steps(pipe):
            asked |= list_read(step) - made
            made |= list_made(step)
        if isinstance(pipe.pipe if isinstance(pipe, ast.When) else pipe, RESHAPING):
            break
    return asked - ALWAYS_THERE


def find_unmade(query: ast.Query) -> dict[str, tuple[str, ...]]:
    """Return the folded names of columns that are read of a table without them, and the columns that it has."""
    unmade: dict[str, tuple[str, ...]] = {}
    columns: dict[str, None] | None = None
    for pipe in query.pipes:
        for step in list_steps(pipe):
            if columns is not None:
                absent = list_read(step) - columns.keys() - ALWAYS_THERE - SCOPES - unmade.keys()
                unmade |= dict.fromkeys(sorted(absent), tuple(columns))
                columns |= dict.fromkeys(list_made(step))
        if type(pipe) in COLUMNS:
            columns = dict.fromkeys(map(fold_name, COLUMNS[type(pipe)](pipe)))
        elif isinstance(pipe, ast.When) or type(pipe) in RESHAPING:
            columns = None
    return unmade


def list_steps(pipe: ast.Pipe) -> list[ast.Pipe]:
    """Return the pipe, split where one part of it reads what another made."""
    if isinstance(pipe, ast.When):
        return [ast.Where(pipe.condition), *list_steps(pipe.pipe)]
    if isinstance(pipe, ast.Eval):
        return [ast.Eval((assignment,)) for assignment in pipe.assignments]
    if isinstance(pipe, ast.Rename):
        return [ast.Rename((pair,)) for pair in pipe.pairs]
    return [pipe]


def list_read(pipe: ast.Pipe) -> set[str]:
    """Return the fields that a pipe reads, without those that it drops or fills: they may well be missing."""
    if isinstance(pipe, UNREAD):
        return set()
    if isinstance(pipe, ast.Unpack):
        return {fold_name(pipe.field)}
    members = list_naming(type(pipe))
    names = [name for member in members for name in list_texts(getattr(pipe, member))]
    if isinstance(pipe, ast.Rename):
        names += [old for old, _ in pipe.pairs]
    if isinstance(pipe, ast.Lookup):
        names += [field for _, field in pipe.keys]
    if isinstance(pipe, ast.XySeries):
        names += [pipe.row, pipe.column, pipe.value]
    return set(need_node(pipe).fields) | {fold_name(name) for name in names if "*" not in name}


@cache
def list_naming(kind: type[ast.Pipe]) -> tuple[str, ...]:
    """Return the members of a kind of pipe that contain the names of fields."""
    return tuple(member for member in NAMED_BY if member in kind.__struct_fields__)


def list_texts(member: object) -> Iterator[str]:
    if isinstance(member, tuple):
        yield from (each for each in member if isinstance(each, str))


MADE: dict[type, Callable[[Any], Iterable[str]]] = {
    ast.Eval: lambda pipe: (name for name, _ in pipe.assignments),
    ast.Rename: lambda pipe: (new for _, new in pipe.pairs),
    ast.EventStats: lambda pipe: (aggregate.name for aggregate in pipe.aggregates),
    ast.StreamStats: lambda pipe: (aggregate.name for aggregate in pipe.aggregates),
    ast.Delta: lambda pipe: (pipe.name,),
    ast.Bin: lambda pipe: (pipe.name,),
    ast.AddTotals: lambda pipe: (pipe.name,),
    ast.FillNull: lambda pipe: pipe.fields,
    ast.Rex: lambda pipe: list_groups(pipe.expression),
    ast.Extract: lambda pipe: PLACEHOLDER.findall(pipe.template),
}
"""The fields that pipes add to events."""


def list_made(pipe: ast.Pipe) -> set[str]:
    return set(map(fold_name, MADE[type(pipe)](pipe))) if type(pipe) in MADE else set()


COLUMNS: dict[type, Callable[[Any], Iterable[str]]] = {
    ast.Stats: lambda pipe: (
        *[key.field for key in pipe.keys],
        *[aggregate.name for aggregate in pipe.aggregates],
    ),
    ast.Uniq: lambda pipe: (*pipe.fields, "count"),
    ast.Top: lambda pipe: (*pipe.by, *pipe.fields, "count", "percent"),
    ast.Rare: lambda pipe: (*pipe.by, *pipe.fields, "count", "percent"),
    ast.Diff: lambda pipe: (*pipe.by, "current", "previous", "change", "ratio"),
    ast.Transaction: lambda pipe: (*pipe.fields, "_time", "duration", "count", "messages"),
}
"""The columns of the tables that pipes return, where the query alone tells."""
