"""`collapse`: the first hit of each value of a field, and on request more of them inside it."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from logboom.base.structs import InternalStruct
from logboom.lang import ast
from logboom.readers.search_engine.dsl.context import Names, join_all, join_any, negate, unsupported
from logboom.readers.search_engine.dsl.members import (
    Members,
    read_list,
    read_object,
    read_text,
    write_scalar,
)
from logboom.readers.search_engine.hits.making import find_score, make_hits
from logboom.readers.search_engine.hits.page import MOST_HITS, Page, read_page
from logboom.readers.search_engine.hits.sorting import find_value

KEY = "agg.collapse"
"""The column of the values; events without one have an empty text."""
COUNT = "count"
MOST_INNER = 10
INNER_SIZE = 3

Ask = Callable[..., list[dict[str, Any]]]
"""Runs a filter with pipes and options, and returns rows."""


class Inner(InternalStruct, frozen=True):
    """More hits of the same value, under a name."""

    name: str
    page: Page


class Collapse(InternalStruct, frozen=True):
    """The field whose values have one hit each."""

    field: str
    inner: tuple[Inner, ...] = ()

    @property
    def _mark(self) -> ast.Pipe:
        value = ast.Call("first", (ast.Field(self.field),))
        return ast.Eval(((KEY, ast.Call("coalesce", (value, ast.Literal("")))),))

    def make_pipes(self, page: Page, keep: int = 1) -> tuple[ast.Pipe, ...]:
        """Return the pipes that keep the first events of each value."""
        return self._mark, ast.Dedup((KEY,), keep, page.order.list_sort_keys())

    def match(self, values: Iterable[Any]) -> ast.Filter:
        """Return the filter for the events with some values of the column."""
        return join_any(
            [
                ast.Exact(self.field, write_scalar(value))
                if value != ""
                else negate(ast.Exists(self.field))
                for value in values
            ]
        )

    def describe(self, row: Members) -> Members:
        """Return the field of a hit that tells its value."""
        value = find_value(row, self.field)
        return {} if value is None else {self.field: read_list(value)[:1]}

    def add_inner(
        self, hits: list[dict[str, Any]], values: list[Any], filter_: ast.Filter, ask: Ask
    ) -> None:
        """Add to each hit, whose values are given, the other hits of its value."""
        if not self.inner or not hits:
            return
        narrowed = join_all([filter_, self.match(values)])
        counted = ast.Stats((ast.Aggregate("count", name=COUNT),), (ast.Key(KEY),))
        counts = {row[KEY]: row[COUNT] for row in ask(narrowed, self._mark, counted)}
        for inner in self.inner:
            found = self._find_inner(inner.page, len(values), narrowed, ask)
            for hit, value in zip(hits, values, strict=True):
                shown = {
                    "total": {"value": counts.get(value, 0), "relation": "eq"},
                    "max_score": find_score(inner.page),
                    "hits": make_hits(found[value][inner.page.offset :], inner.page),
                }
                hit.setdefault("inner_hits", {})[inner.name] = {"hits": shown}

    def _find_inner(
        self, page: Page, count: int, filter_: ast.Filter, ask: Ask
    ) -> defaultdict[Any, list[dict[str, Any]]]:
        if page.end * count > MOST_HITS:
            raise unsupported(
                f"{page.end} inner hits of {count} hits, expected at most {MOST_HITS} together"
            )
        found: defaultdict[Any, list[dict[str, Any]]] = defaultdict(list)
        for row in ask(filter_, *self.make_pipes(page, page.end), limit=MOST_HITS, raw=True):
            found[row.pop(KEY)].append(row)
        return found


def read_collapse(written: object, names: Names) -> Collapse:
    options = read_object(written, "collapse")
    wanted = [read_object(each, "inner_hits") for each in read_list(options.get("inner_hits", []))]
    if len(wanted) > MOST_INNER:
        raise unsupported(f"{len(wanted)} [inner_hits], expected at most {MOST_INNER}")
    field = options.get("field")
    return Collapse(names.find(field), tuple(read_inner(each, field, names) for each in wanted))


def read_inner(options: Members, field: object, names: Names) -> Inner:
    name = read_text(options, "name", str(field))
    return Inner(name, read_page({"size": INNER_SIZE, **options}, names))
