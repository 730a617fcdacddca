"""Pipelines that choose among the buckets around them: `bucket_selector` and `bucket_sort`."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from logboom.readers.search_engine.aggs.nodes import MOST_BUCKETS, Pipeline
from logboom.readers.search_engine.aggs.pipelines import (
    Values,
    read_gap,
    read_script,
    run_script,
)
from logboom.readers.search_engine.aggs.scripts import Script
from logboom.readers.search_engine.dsl.context import malformed, unsupported
from logboom.readers.search_engine.dsl.members import (
    Members,
    read_list,
    read_object,
    read_text,
    read_whole,
    show,
)


class Choosing(Pipeline, frozen=True, kw_only=True):
    """Leaves out buckets, or changes their order."""

    @abstractmethod
    def choose(self, values: Values) -> list[int]:
        """Return the places of the buckets that are left, in order, from what was read of each."""


class Selector(Choosing, frozen=True, kw_only=True):
    """Those for which a script is true."""

    script: Script

    def choose(self, values: Values) -> list[int]:
        return [place for place, each in enumerate(values) if run_script(self.script, each)]


class Sorter(Choosing, frozen=True, kw_only=True):
    """Sorted by the values of paths, and of these some after the first ones; buckets without any value are left out."""

    descending: tuple[bool, ...]
    offset: int
    size: int

    def choose(self, values: Values) -> list[int]:
        places = [
            place
            for place, each in enumerate(values)
            if not each or any(value is not None for value in each.values())
        ]
        for name, descending in reversed(list(zip(self.paths, self.descending, strict=True))):
            known = [place for place in places if values[place][name] is not None]
            missing = [place for place in places if values[place][name] is None]
            known.sort(key=lambda place: rank(values[place][name]), reverse=descending)
            places = known + missing
        return places[self.offset : self.offset + self.size]


def rank(value: Any) -> tuple[bool, Any]:
    is_number = isinstance(value, int | float)
    return not is_number, value if is_number else str(value)


def read_selector(kind: str, options: Members) -> Pipeline:
    paths, script = read_script(kind, options)
    return Selector(type=kind, paths=paths, gap=read_gap(options), script=script)


def read_key(written: object) -> tuple[str, str]:
    """Return the path and the direction of a key; neither if it has not exactly one path."""
    if isinstance(written, str):
        return written, "asc"
    keys = read_object(written, "sort")
    if len(keys) != 1:
        return "", ""
    [(path, order)] = keys.items()
    if isinstance(order, str):
        return path, order
    return path, read_text(read_object(order, "sort"), "order", "asc")


def read_sorter(kind: str, options: Members) -> Pipeline:
    """Read `bucket_sort`: its keys are written like those of hits."""
    paths: dict[str, str] = {}
    descending = []
    for place, written in enumerate(read_list(options.get("sort", []))):
        path, direction = read_key(written)
        if not path or direction not in ("asc", "desc"):
            raise unsupported(
                f"[{kind}] sorts by {show(written)}, expected a path with asc or desc"
            )
        paths[str(place)] = path
        descending.append(direction == "desc")
    if not paths and not {"from", "size"} & options.keys():
        raise malformed(f"[{kind}] is configured to perform nothing, expected sort, from or size")
    return Sorter(
        type=kind,
        paths=paths,
        gap=read_gap(options),
        descending=tuple(descending),
        offset=read_whole(options.get("from", 0), "from", 0, 2**31),
        size=read_whole(options.get("size", MOST_BUCKETS), "size", 1, 2**31),
    )


CHOOSING: dict[str, Callable[[str, Members], Pipeline]] = {
    "bucket_selector": read_selector,
    "bucket_sort": read_sorter,
}
