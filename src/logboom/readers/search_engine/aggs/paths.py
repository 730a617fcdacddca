"""What `buckets_path` leads to in the buckets of an answer: `_count`, `1`, `1.avg`, `1[95.0]`, `a>b`, `a['key']>b`."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from logboom.base.patterns import compile_later
from logboom.base.structs import InternalStruct
from logboom.readers.search_engine.aggs.nodes import Answer, Node, Pipeline
from logboom.readers.search_engine.aggs.orders import split_path
from logboom.readers.search_engine.dsl.context import unsupported

COUNT, KEY, BUCKETS = "_count", "_key", "_bucket_count"
NUMBER_KEY = "_key.number"
"""The key as a number; no request calls it so."""
ONE = compile_later(r"(?P<name>.+?)\['(?P<key>[^']*)'\](?:\.(?P<rest>.+))?")
"""One bucket of several, by its key."""
GAPS: dict[str, Callable[[float], float]] = {
    "skip": lambda _value: math.nan,
    "insert_zeros": lambda _value: 0.0,
    "keep_values": lambda value: value,
}
"""What stands for the values of a bucket without events."""


class Paths(InternalStruct, frozen=True):
    """Follows paths; `name` is how an answer calls the result of an aggregation."""

    name: Callable[[str, Node], str]

    def find_values(
        self, pipeline: Pipeline, nodes: Mapping[str, Node], bucket: Answer
    ) -> dict[str, Any]:
        """Return what the paths of a pipeline lead to in one bucket."""
        return {
            each: self.find(nodes, bucket, path, pipeline.gap)
            for each, path in pipeline.paths.items()
        }

    def find(self, nodes: Mapping[str, Node], bucket: Answer, path: str, gap: str) -> Any:
        """Return a number, or the key of the bucket; None if there is no value."""
        if path in (KEY, NUMBER_KEY):
            return bucket["key"]
        if path == COUNT:
            return float(bucket["doc_count"])
        number = self._find_number(nodes, bucket, path)
        if bucket.get("doc_count") == 0 or number is None:
            number = GAPS[gap](math.nan if number is None else number)
        return None if math.isnan(number) else number

    def _find_number(self, nodes: Mapping[str, Node], bucket: Answer, path: str) -> float | None:
        if path == COUNT:
            return float(bucket["doc_count"])
        node, found, value, rest = self._enter(nodes, bucket, path)
        if rest:
            return self._find_number(node.inner, found, rest) if isinstance(found, dict) else None
        if value == BUCKETS and isinstance(found, dict):
            return float(len(found.get("buckets", ())))
        return pick_number(found, value)

    def _enter(
        self, nodes: Mapping[str, Node], bucket: Answer, path: str
    ) -> tuple[Node, Any, str, str]:
        """Return the first aggregation of a path, its answer, which of its numbers is meant, and the rest of the path."""
        first, _, rest = path.partition(">")
        one = ONE.fullmatch(first)
        if one and one["name"] in nodes:
            node = nodes[one["name"]]
            buckets = bucket.get(self.name(one["name"], node), {}).get("buckets", ())
            found = next((each for key, each in list_keyed(buckets) if key == one["key"]), None)
            return node, found, "", one["rest"] or rest
        name, value = split_path(first, nodes)
        if name not in nodes:
            raise unsupported(f"No aggregation found for path [{path[:80]}]")
        return nodes[name], bucket.get(self.name(name, nodes[name])), value, rest

    def list_values(
        self, nodes: Mapping[str, Node], answer: Answer, path: str, gap: str
    ) -> Iterator[tuple[str, float]]:
        """Yield the number of each bucket that a path leads through, with its key."""
        node, found, _, rest = self._enter(nodes, answer, path)
        if not isinstance(found, dict):
            return
        if "buckets" not in found:
            if rest:
                yield from self.list_values(node.inner, found, rest, gap)
            return
        for key, bucket in list_keyed(found["buckets"]):
            number = self.find(node.inner, bucket, rest or COUNT, gap)
            if number is not None:
                yield key, number


def list_keyed(buckets: Any) -> Iterator[tuple[str, Answer]]:
    """Yield the buckets of an aggregation with their keys as texts."""
    if isinstance(buckets, dict):
        yield from buckets.items()
        return
    for place, bucket in enumerate(buckets):
        yield str(bucket.get("key_as_string", bucket.get("key", place))), bucket


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
