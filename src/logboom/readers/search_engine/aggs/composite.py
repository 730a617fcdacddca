"""`composite`: buckets of several keys together, in their order and page by page."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from logboom.lang import ast
from logboom.readers.search_engine.aggs.histograms import read_date_histogram, read_histogram
from logboom.readers.search_engine.aggs.nodes import MOST_BUCKETS, Answer, Bucket, Keyed, Node
from logboom.readers.search_engine.aggs.sources import Source, make_source
from logboom.readers.search_engine.aggs.terms import read_terms
from logboom.readers.search_engine.dsl.context import (
    EVERYTHING,
    Context,
    join_all,
    join_any,
    malformed,
    unsupported,
)
from logboom.readers.search_engine.dsl.members import (
    Members,
    read_flag,
    read_list,
    read_object,
    read_text,
    read_whole,
    show,
)

DEFAULT_SIZE = 10
MOST_SOURCES = 16
KINDS = {"terms": read_terms, "histogram": read_histogram, "date_histogram": read_date_histogram}
ORDERS = {"asc": False, "desc": True}


class Composite(Keyed, frozen=True, kw_only=True):
    """Pages through combinations of keys. `after` has the keys of the last bucket of the page before."""

    sources: tuple[Source, ...]
    size: int
    after: tuple[Any, ...] | None

    is_cut = True
    is_composite = True
    is_paged = True

    @property
    def parts(self) -> tuple[Keyed, ...]:
        return tuple(source.part for source in self.sources)

    def reduce(self, _before: tuple[str, ...], own: tuple[str, ...]) -> tuple[ast.Pipe, ...]:
        placed = list(enumerate(zip(self.sources, own, strict=True)))
        beside = [each for at, (source, name) in placed for each in source.compute(name, at)]
        keys = [each for at, (source, name) in placed for each in source.list_keys(name, at)]
        return (
            *([ast.Eval(tuple(beside))] if beside else []),
            *([ast.Where(self._follow(own))] if self.after is not None else []),
            ast.Sort(tuple(keys), self.size),
        )

    def _follow(self, own: tuple[str, ...]) -> ast.Filter:
        """Return the filter for rows after the last bucket: a later value of a key, and equal ones of those before."""
        assert self.after is not None, "there is a page before"
        followers = [
            source.follow(column, place, value)
            for place, (source, column, value) in enumerate(
                zip(self.sources, own, self.after, strict=True)
            )
        ]
        same = [each.same for each in followers]
        return join_any(
            [join_all([*same[:place], each.later]) for place, each in enumerate(followers)]
        )

    def narrow(self, values: list[Any]) -> ast.Filter:
        """Return what the events of the buckets match for each key by itself."""
        if not values:
            return EVERYTHING
        columns = zip(self.sources, zip(*values, strict=True), strict=True)
        return join_all(
            [
                source.part.narrow(list(dict.fromkeys(column)))
                for source, column in columns
                if None not in column
            ]
        )

    def list_buckets(self, buckets: list[Bucket]) -> list[tuple[Answer, Bucket]]:
        return [({"key": dict(self._show(bucket))}, bucket) for bucket in buckets]

    def _show(self, bucket: Bucket) -> Iterator[tuple[str, Any]]:
        for source, value in zip(self.sources, bucket.value, strict=True):
            yield source.name, None if value is None else source.show(value)

    def finish(self, buckets: list[Answer], _found: list[Bucket]) -> Answer:
        last = {"after_key": buckets[-1]["key"]} if buckets else {}
        return {**last, "buckets": buckets}


def read_composite(options: Members, inner: dict[str, Node], context: Context) -> Composite:
    written = [read_object(each, "sources") for each in read_list(options.get("sources", []))]
    if not 0 < len(written) <= MOST_SOURCES:
        raise unsupported(f"[composite] has {len(written)} sources, expected 1 to {MOST_SOURCES}")
    sources = tuple(read_source(each, context) for each in written)
    names = [source.name for source in sources]
    if len(set(names)) < len(names):
        raise unsupported("Composite source names must be unique")
    return Composite(
        type="composite",
        inner=inner,
        key=sources[0].part.key,
        filter=EVERYTHING,
        sources=sources,
        size=read_whole(options.get("size", DEFAULT_SIZE), "size", 1, MOST_BUCKETS),
        after=read_after(options.get("after"), names),
    )


def read_source(written: Members, context: Context) -> Source:
    """`{"name": {"terms": {"field": "host"}}}`."""
    if len(written) != 1:
        raise malformed(f"[sources] has {show(written)}, expected one name")
    [(name, content)] = written.items()
    kinds = read_object(content, "sources")
    kind, *others = kinds or [""]
    if kind not in KINDS or others:
        raise unsupported(
            f"source [{name[:80]}] is {show(content)}, expected one of {', '.join(KINDS)}"
        )
    options = read_object(kinds[kind], kind)
    order = read_text(options, "order", "asc").lower()
    where = read_text(options, "missing_order", "default").lower()
    if order not in ORDERS or where not in ("default", "first", "last"):
        raise unsupported(
            f"source [{name[:80]}] has the order {show(order)} with {show(where)}, expected asc or desc"
        )
    read: Any = KINDS[kind]
    part = read({each: value for each, value in options.items() if each != "order"}, {}, context)
    if read_flag(options.get("missing_bucket", False), "missing_bucket"):
        part = replace(part, filter=EVERYTHING, takes_missing=True)
    return make_source(
        name,
        part,
        descending=ORDERS[order],
        is_missing_first=where == "first" or (where == "default" and order == "asc"),
        now_ns=context.now_ns,
    )


def read_after(written: object, names: list[str]) -> tuple[Any, ...] | None:
    if written is None:
        return None
    values = read_object(written, "after")
    if set(values) != set(names):
        raise unsupported(
            f"[after] has the keys {show(list(values))}, expected those of the sources: {show(names)}"
        )
    return tuple(values[name] for name in names)
