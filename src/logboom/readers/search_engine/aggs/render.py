"""Puts the results of aggregations into the form of an answer: buckets inside each other."""

from collections.abc import Mapping
from typing import Any

from logboom.base.structs import MutableStruct
from logboom.readers.search_engine.aggs.gather import Level, Place
from logboom.readers.search_engine.aggs.nodes import (
    COUNT,
    MOST_BUCKETS,
    NO_ROW,
    OWN,
    Answer,
    Hits,
    Keyed,
    Metric,
    Node,
    Pipeline,
    Row,
    Split,
    Whole,
    too_many_buckets,
)
from logboom.readers.search_engine.aggs.terms import split_path
from logboom.readers.search_engine.dsl.context import unsupported

NOWHERE = ((True, None),)
"""The place of a bucket without events: nothing is there."""
NO_LEVEL = Level()


class Renderer(MutableStruct):
    """Renders one answer; with `is_typed` names tell the types of aggregations."""

    is_typed: bool = False
    buckets: int = 0

    def render(self, nodes: Mapping[str, Node], level: Level, place: Place) -> Answer:
        """Return the answers of all aggregations in a bucket, except those computed from other buckets."""
        row = level.rows.get(place, NO_ROW)
        return {
            self._name(name, node): self._add_meta(
                node, self._render_one(number, name, node, level, place, row)
            )
            for number, (name, node) in enumerate(nodes.items())
            if not isinstance(node, Pipeline)
        }

    def _name(self, name: str, node: Node) -> str:
        return f"{node.type}#{name}" if self.is_typed else name

    @staticmethod
    def _add_meta(node: Node, answer: Answer) -> Answer:
        return answer if node.meta is None else {"meta": node.meta, **answer}

    def _render_one(
        self, number: int, name: str, node: Node, level: Level, place: Place, row: Row
    ) -> Answer:
        inner = level.inner.get(name, NO_LEVEL)
        match node:
            case Metric():
                start = f"{OWN}{number}."
                return node.finish(
                    {
                        each.removeprefix(start): value
                        for each, value in row.items()
                        if each.startswith(start)
                    }
                )
            case Hits():
                return node.finish(level.hits.get(name, {}).get(place, []), row.get(COUNT, 0))
            case Keyed():
                return self._render_keyed(node, inner, place)
            case Split():
                return self._render_split(node, inner, place)
            case _:
                assert isinstance(node, Whole), "these are all kinds"
                return self._render_bucket(node, inner, (0, ()), {})

    def _render_keyed(self, node: Keyed, level: Level, place: Place) -> Answer:
        branch, _ = place
        found = level.children.get(place, [])
        buckets = [
            self._render_bucket(node, level, (branch, bucket.prefix or NOWHERE), begin)
            for begin, bucket in node.list_buckets(found)
        ]
        add_pipelines(node, buckets, self)
        return node.finish(buckets, found)

    def _render_split(self, node: Split, level: Level, place: Place) -> Answer:
        branch, prefix = place
        first = branch * len(node.conditions)
        buckets = [
            self._render_bucket(node, level, (first + number, prefix), begin)
            for number, (begin, _) in enumerate(node.conditions)
        ]
        return node.finish(buckets)

    def _render_bucket(self, node: Node, level: Level, place: Place, begin: Answer) -> Answer:
        self.buckets += 1
        if self.buckets > MOST_BUCKETS:
            raise too_many_buckets(self.buckets)
        count = level.rows.get(place, NO_ROW).get(COUNT, 0)
        return {**begin, "doc_count": count, **self.render(node.inner, level, place)}

    def find_value(self, nodes: Mapping[str, Node], bucket: Answer, path: str) -> float | None:
        """Return a number of a bucket: `_count`, `1`, `1.avg`, `1[95.0]`, or one inside its only bucket, `a>b`."""
        if path == "_count":
            return float(bucket["doc_count"])
        first, _, rest = path.partition(">")
        name, value = split_path(first, nodes)
        node = nodes.get(name)
        if node is None:
            raise unsupported(f"No aggregation found for path [{path[:80]}]")
        found: Any = bucket.get(self._name(name, node))
        if rest:
            return self.find_value(node.inner, found, rest) if isinstance(found, dict) else None
        return pick_number(found, value)


def pick_number(found: Any, value: str) -> float | None:
    """Return one of the numbers of an answer."""
    if not isinstance(found, dict):
        return None
    values = found.get("values", found)
    if isinstance(values, list):
        values = {str(each["key"]): each["value"] for each in values}
    number = values.get(value or "value", values.get(f"{value}.0"))
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    return float(number) if is_number else None


def add_pipelines(node: Keyed, buckets: list[Answer], renderer: Renderer) -> None:
    """Add the aggregations that are computed from buckets, each after those that it reads."""
    left = {name: each for name, each in node.inner.items() if isinstance(each, Pipeline)}
    while left:
        ready = [
            name
            for name, each in left.items()
            if not any(split_path(path, node.inner)[0] in left for path in each.paths.values())
        ]
        if not ready:
            raise unsupported("buckets_path leads in a circle")
        for name in ready:
            add_pipeline(node, name, left.pop(name), buckets, renderer)


def add_pipeline(
    node: Keyed, name: str, pipeline: Pipeline, buckets: list[Answer], renderer: Renderer
) -> None:
    values = [
        {
            each: renderer.find_value(node.inner, bucket, path)
            for each, path in pipeline.paths.items()
        }
        for bucket in buckets
    ]
    shown = renderer._name(name, pipeline)
    for bucket, number in zip(buckets, pipeline.compute(values), strict=True):
        if number is not None:
            bucket[shown] = {"value": number}


def render_aggregations(nodes: Mapping[str, Node], level: Level, *, is_typed: bool) -> Answer:
    """Return the answers of the outermost aggregations."""
    return Renderer(is_typed).render(nodes, level, (0, ()))
