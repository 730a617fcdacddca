"""`top_hits` and `top_metrics`: some events of each bucket, or a few of their values."""

from typing import Any

from logboom.readers.search_engine.aggs.nodes import Answer, Hits
from logboom.readers.search_engine.dsl.context import Context, unsupported
from logboom.readers.search_engine.dsl.members import Members, read_list, read_object, read_whole
from logboom.readers.search_engine.hits.making import find_score, make_hits
from logboom.readers.search_engine.hits.page import Page, read_page
from logboom.readers.search_engine.hits.sorting import Key, Order, read_order, show_value

TOP_SIZE = 3
MOST_TOPS = 100
MOST_METRICS = 20


class TopHits(Hits, frozen=True, kw_only=True):
    """Whole hits."""

    page: Page

    def finish(self, rows: list[Members], count: int) -> Answer:
        shown = rows[self.page.offset :]
        return {
            "hits": {
                "total": {"value": count, "relation": "eq"},
                "max_score": find_score(self.page) if shown else None,
                "hits": make_hits(shown, self.page),
            }
        }


class TopMetrics(Hits, frozen=True, kw_only=True):
    """Some values of the first events."""

    order: Order
    metrics: tuple[str, ...]

    def finish(self, rows: list[Members], _count: int) -> Answer:
        return {
            "top": [
                {
                    "sort": self.order.list_values(row),
                    "metrics": {
                        name: show_value(Key(name, descending=False), row) for name in self.metrics
                    },
                }
                for row in rows
            ]
        }


def read_top_hits(options: Members, context: Context) -> TopHits:
    page = read_page({"size": TOP_SIZE, **options}, context.names)
    if page.end > MOST_TOPS:
        raise unsupported(
            f"Top hits result window is too large, the top hits aggregator's from + size must be less than or equal "
            f"to: [{MOST_TOPS}] but was [{page.end}]"
        )
    return TopHits(type="top_hits", size=page.end, keys=page.order.list_sort_keys(), page=page)


def read_top_metrics(options: Members, context: Context) -> TopMetrics:
    order = read_order(options.get("sort", []), context.names)
    written: list[Any] = read_list(options.get("metrics", []))
    metrics = tuple(
        context.names.find(read_object(each, "metrics").get("field")) for each in written
    )
    if not order.keys or not 0 < len(metrics) <= MOST_METRICS:
        raise unsupported(f"[top_metrics], expected sort and 1 to {MOST_METRICS} metrics")
    size = read_whole(options.get("size", 1), "size", 1, MOST_TOPS)
    return TopMetrics(
        type="top_metrics", size=size, keys=order.list_sort_keys(), order=order, metrics=metrics
    )
