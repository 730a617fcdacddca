"""Adds the results of pipelines to rendered buckets, each after those that it reads."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from logboom.readers.search_engine.aggs.choosing import Choosing
from logboom.readers.search_engine.aggs.nodes import Answer, Node, Pipeline
from logboom.readers.search_engine.aggs.orders import split_path
from logboom.readers.search_engine.aggs.paths import Paths
from logboom.readers.search_engine.aggs.pipelines import PATH, Computed
from logboom.readers.search_engine.aggs.siblings import Sibling
from logboom.readers.search_engine.dsl.context import unsupported


def add_siblings(nodes: Mapping[str, Node], answer: Answer, paths: Paths) -> None:
    """Add the results that are computed from the buckets of aggregations beside them."""
    for name, node in nodes.items():
        if isinstance(node, Sibling):
            found = list(paths.list_values(nodes, answer, node.paths[PATH], node.gap))
            with refusing_overflow(name):
                answer[paths.name(name, node)] = add_meta(node, node.finish(found))


def derive(nodes: Mapping[str, Node], answer: Answer, paths: Paths) -> None:
    """Add the results of pipelines to the buckets of an answer, and leave out those that they do not choose."""
    pipelines = list(order_pipelines(nodes))
    if not pipelines:
        return
    written = answer["buckets"]
    buckets: list[Answer] = list(written.values() if isinstance(written, dict) else written)
    for name, node in pipelines:
        values = [paths.find_values(node, nodes, bucket) for bucket in buckets]
        if isinstance(node, Computed):
            with refusing_overflow(name):
                answers = node.list_answers(values)
            for bucket, found in zip(buckets, answers, strict=True):
                if found is not None:
                    bucket[paths.name(name, node)] = add_meta(node, found)
        elif isinstance(node, Choosing):
            buckets = [buckets[place] for place in node.choose(values)]
    answer["buckets"] = restore_names(written, buckets) if isinstance(written, dict) else buckets


@contextmanager
def refusing_overflow(name: str) -> Iterator[None]:
    try:
        yield
    except OverflowError as error:
        raise unsupported(f"the numbers that [{name[:80]}] computes with are too large") from error


def restore_names(written: dict[str, Answer], buckets: list[Answer]) -> dict[str, Any]:
    names = {id(bucket): name for name, bucket in written.items()}
    return {names[id(bucket)]: bucket for bucket in buckets}


def order_pipelines(nodes: Mapping[str, Node]) -> Iterator[tuple[str, Pipeline]]:
    """Yield the pipelines among aggregations, each after those that it reads."""
    left = {name: node for name, node in nodes.items() if isinstance(node, Computed | Choosing)}
    while left:
        ready = [
            name
            for name, each in left.items()
            if not any(split_path(path, nodes)[0] in left for path in each.paths.values())
        ]
        if not ready:
            raise unsupported("buckets_path leads in a circle")
        # What chooses waits for everything that is computed, as far as it does not depend on it.
        computed = [name for name in ready if isinstance(left[name], Computed)]
        for name in computed or ready:
            yield name, left.pop(name)


def add_meta(node: Node, answer: Answer) -> Answer:
    return answer if node.meta is None else {"meta": node.meta, **answer}
