"""Reads aggregations, all of whose kinds are in one table."""

from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec.structs import replace

from logboom.lang import ast
from logboom.readers.search_engine.aggs.auto import read_auto_date_histogram
from logboom.readers.search_engine.aggs.choosing import CHOOSING
from logboom.readers.search_engine.aggs.composite import read_composite
from logboom.readers.search_engine.aggs.histograms import (
    DateHistogram,
    read_date_histogram,
    read_histogram,
)
from logboom.readers.search_engine.aggs.metrics import METRICS, Rate, read_argument
from logboom.readers.search_engine.aggs.nodes import Node, Whole
from logboom.readers.search_engine.aggs.pipelines import COMPUTED, ORDERED, read_gap, read_path
from logboom.readers.search_engine.aggs.siblings import SIBLINGS
from logboom.readers.search_engine.aggs.splits import (
    read_all,
    read_date_range,
    read_filter,
    read_filters,
    read_ip_range,
    read_missing,
    read_range,
)
from logboom.readers.search_engine.aggs.terms import (
    read_multi_terms,
    read_rare_terms,
    read_terms,
)
from logboom.readers.search_engine.aggs.tops import read_top_hits, read_top_metrics
from logboom.readers.search_engine.dsl.context import Context, malformed, unsupported
from logboom.readers.search_engine.dsl.members import Members, read_object, read_text, show

MOST_LEVELS = 12
MOST_NODES = 200
INNER = ("aggs", "aggregations")
UNITS = {
    "second": "s", "minute": "m", "hour": "h", "day": "d", "week": "w",
}  # fmt: skip

ReadNode = Callable[[Members, dict[str, Node], Context], Node]
WHOLE = ("nested", "reverse_nested", "sampler", "diversified_sampler", "random_sampler")
"""Those with one bucket of all events."""


def read_whole_bucket(
    kind: str, _options: Members, inner: dict[str, Node], _context: Context
) -> Node:
    return read_all(kind, inner)


BUCKETS: dict[str, ReadNode] = {
    "terms": read_terms,
    "histogram": read_histogram,
    "date_histogram": read_date_histogram,
    "composite": read_composite,
    "filter": read_filter,
    "filters": read_filters,
    "range": read_range,
    "date_range": read_date_range,
    "ip_range": read_ip_range,
    "missing": read_missing,
    "global": lambda _options, inner, _context: Whole(type="global", inner=inner),
    **{kind: partial(read_whole_bucket, kind) for kind in WHOLE},
    "multi_terms": read_multi_terms,
    "rare_terms": read_rare_terms,
    "auto_date_histogram": read_auto_date_histogram,
}

LEAVES: dict[str, Callable[[str, Members, Context], Node]] = {
    **METRICS,
    "top_hits": lambda _kind, options, context: read_top_hits(options, context),
    "top_metrics": lambda _kind, options, context: read_top_metrics(options, context),
}
SINGLE = frozenset({"filter", "missing", "global", *WHOLE})
SEVERAL = frozenset(BUCKETS) - SINGLE
"""Those with several buckets."""
HISTOGRAMS = frozenset({"histogram", "date_histogram", "auto_date_histogram"})
AROUND = {**COMPUTED, **CHOOSING}
"""Pipelines that read the buckets around them."""


class AggregationReader:
    """Reads the aggregations of one request, and counts them."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._count = 0

    def read_all(
        self, written: Members, around: Members | None = None, level: int = 0
    ) -> dict[str, Node]:
        """Return the aggregations of an object by name; `around` is the bucket aggregation that they are in."""
        if level > MOST_LEVELS:
            raise unsupported(f"aggregations nested deeper than {MOST_LEVELS} levels")
        found = {}
        for name, content in written.items():
            self._count += 1
            if self._count > MOST_NODES:
                raise unsupported(f"more than {MOST_NODES} aggregations, expected fewer")
            if not name or any(character in name for character in "[]>"):
                raise malformed(
                    f"Invalid aggregation name [{name[:80]}], expected one without [, ] and >"
                )
            found[name] = self._read(name, read_object(content, name), around, level)
        return found

    def _read(self, name: str, content: Members, around: Members | None, level: int) -> Node:
        kinds = [each for each in content if each not in (*INNER, "meta")]
        if len(kinds) != 1:
            raise malformed(f"aggregation [{name[:80]}] has {len(kinds)} types, expected one")
        kind = kinds[0]
        written: object = next((content[each] for each in INNER if each in content), {})
        inner = self.read_all(read_object(written, "aggs"), content, level + 1)
        options = read_object(content[kind], kind)
        node = self._make(kind, options, inner, around)
        meta = content.get("meta")
        return node if meta is None else replace(node, meta=read_object(meta, "meta"))

    def _make(
        self, kind: str, options: Members, inner: dict[str, Node], around: Members | None
    ) -> Node:
        if kind in BUCKETS:
            return BUCKETS[kind](options, inner, self._context)
        if inner:
            raise malformed(f"Aggregator of type [{kind[:80]}] cannot accept sub-aggregations")
        if kind in LEAVES:
            return LEAVES[kind](kind, options, self._context)
        if kind in AROUND:
            expected = HISTOGRAMS if kind in ORDERED else SEVERAL
            if around is None or not expected & set(around):
                raise unsupported(
                    f"[{kind}] aggregation, expected it inside one of {', '.join(sorted(expected))}"
                )
            return AROUND[kind](kind, options)
        if kind in SIBLINGS:
            return SIBLINGS[kind](kind, options, read_path(options, kind), read_gap(options))
        if kind == "rate":
            return self._read_rate(options, around)
        known = ", ".join([*BUCKETS, *LEAVES, *AROUND, *SIBLINGS, "rate"])
        raise malformed(f"Unknown aggregation type [{kind[:80]}], expected one of {known}")

    def _read_rate(self, options: Members, around: Members | None) -> Node:
        written = (around or {}).get("date_histogram")
        if written is None:
            raise unsupported("[rate] aggregation, expected it inside a date_histogram")
        options_around = read_object(written, "date_histogram")
        histogram: Any = read_date_histogram(options_around, {}, self._context)
        assert isinstance(histogram, DateHistogram), "it was read as one"
        span, unit = histogram.interval.span, UNITS.get(read_text(options, "unit", "second"))
        if span is None:
            raise unsupported("[rate] aggregation, expected a date_histogram of a fixed interval")
        if unit is None:
            known = ", ".join(UNITS)
            raise unsupported(f"[rate] of unit {show(options['unit'])}, expected one of {known}")
        has_field = options.get("field") is not None
        return Rate(
            type="rate",
            argument=read_argument(options, self._context, "rate") if has_field else None,
            counts_values=options.get("mode") == "value_count",
            unit_ns=ast.DURATIONS_NS[unit],
            span_ns=int(span.scaled),
        )


def read_aggregations(written: Members, context: Context) -> dict[str, Node]:
    return AggregationReader(context).read_all(written)
