"""Puts the results of aggregations into the form of an answer: buckets inside each other."""

from collections.abc import Mapping

from logboom.base.structs import MutableStruct
from logboom.readers.search_engine.aggs.derive import add_meta, add_siblings, derive
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
from logboom.readers.search_engine.aggs.paths import Paths

NOWHERE = ((True, None),)
"""The place of a bucket without events: nothing is there."""
NO_LEVEL = Level()


class Renderer(MutableStruct):
    """Renders one answer; with `is_typed` names tell the types of aggregations."""

    is_typed: bool = False
    buckets: int = 0

    def render(self, nodes: Mapping[str, Node], level: Level, place: Place) -> Answer:
        """Return the answers of all aggregations in a bucket, except those computed from the buckets around them."""
        row = level.rows.get(place, NO_ROW)
        answer = {
            self._name(name, node): add_meta(
                node, self._render_one(number, name, node, level, place, row)
            )
            for number, (name, node) in enumerate(nodes.items())
            if not isinstance(node, Pipeline)
        }
        add_siblings(nodes, answer, Paths(self._name))
        return answer

    def _name(self, name: str, node: Node) -> str:
        return f"{node.type}#{name}" if self.is_typed else name

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
        answer = node.finish(buckets, found)
        derive(node.inner, answer, Paths(self._name))
        return answer

    def _render_split(self, node: Split, level: Level, place: Place) -> Answer:
        branch, prefix = place
        first = branch * len(node.conditions)
        buckets = [
            self._render_bucket(node, level, (first + number, prefix), begin)
            for number, (begin, _) in enumerate(node.conditions)
        ]
        answer = node.finish(buckets)
        derive(node.inner, answer, Paths(self._name))
        return answer

    def _render_bucket(self, node: Node, level: Level, place: Place, begin: Answer) -> Answer:
        self.buckets += 1
        if self.buckets > MOST_BUCKETS:
            raise too_many_buckets(self.buckets)
        count = level.rows.get(place, NO_ROW).get(COUNT, 0)
        return {**begin, "doc_count": count, **self.render(node.inner, level, place)}


def render_aggregations(nodes: Mapping[str, Node], level: Level, *, is_typed: bool) -> Answer:
    """Return the answers of the outermost aggregations."""
    return Renderer(is_typed).render(nodes, level, (0, ()))
