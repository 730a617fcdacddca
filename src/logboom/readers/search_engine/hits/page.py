"""Which of the events that match are shown as hits, in which order, and what is shown of each."""

from typing import Any

from logboom.base.structs import InternalStruct
from logboom.readers.search_engine.dsl.context import Names, unsupported
from logboom.readers.search_engine.dsl.members import (
    Members,
    read_flag,
    read_whole,
)
from logboom.readers.search_engine.hits.fields import WantedFields, read_wanted_fields
from logboom.readers.search_engine.hits.patterns import Patterns
from logboom.readers.search_engine.hits.sorting import Order, read_order
from logboom.readers.search_engine.hits.sources import WantedSource, read_source

MOST_HITS = 10_000
DEFAULT_SIZE = 10
NOTHING_STORED = ("_none_", ["_none_"])


class Page(InternalStruct, frozen=True):
    """The first hits after `offset`, and their form."""

    size: int = DEFAULT_SIZE
    offset: int = 0
    order: Order = Order()
    source: WantedSource = WantedSource()
    fields: WantedFields = WantedFields(Patterns())
    has_version: bool = False

    @property
    def end(self) -> int:
        return self.offset + self.size


def read_page(options: Members, names: Names) -> Page:
    size = read_whole(options.get("size", DEFAULT_SIZE), "size", 0, MOST_HITS)
    offset = read_whole(options.get("from", 0), "from", 0, 2**31)
    if offset + size > MOST_HITS:
        raise unsupported(
            "Result window is too large, from + size must be less than or equal to: "
            f"[{MOST_HITS}] but was [{offset + size}]"
        )
    source = options.get("_source")
    if source is None and options.get("stored_fields") in NOTHING_STORED:
        source = False
    # The last format of a field is used: that of `fields`.
    listed = [*as_list(options.get("docvalue_fields")), *as_list(options.get("fields"))]
    return Page(
        size=size,
        offset=offset,
        order=read_order(options["sort"], names) if options.get("sort") else Order(),
        source=read_source(source),
        fields=read_wanted_fields(listed, names),
        has_version=read_flag(options.get("version", False), "version"),
    )


def as_list(value: object) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
