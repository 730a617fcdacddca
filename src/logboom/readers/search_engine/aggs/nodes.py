"""What an aggregation is: a metric of the events in a bucket, a way to make buckets, or a computation on these."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import field

from logboom.base.errors import Invalid
from logboom.base.structs import InternalStruct
from logboom.lang import ast
from logboom.readers.search_engine.dsl.members import Members

Row = Mapping[str, Any]
"""The values of one bucket by column; empty for a bucket without events."""
Answer = dict[str, Any]

OWN = "agg."
"""What names of columns begin with that no field may take the place of."""
COUNT = f"{OWN}count"
MOST_BUCKETS = 65_535
NO_ROW: Row = {}


class Node(InternalStruct, frozen=True, kw_only=True):
    """One aggregation; `inner` are those inside its buckets, `type` is how typed answers call it."""

    type: str
    inner: Mapping[str, "Node"] = field(default_factory=dict)
    meta: Members | None = None


class Metric(Node, frozen=True, kw_only=True):
    """A few numbers from the events of a bucket."""

    @abstractmethod
    def list_aggregates(self) -> list[ast.Aggregate]:
        """Return what the engine computes; the names are those of columns in `finish`."""

    @abstractmethod
    def finish(self, row: Row) -> Answer:
        """Return the answer of a bucket; without events its row is empty."""

    def find_column(self, path: str) -> str | None:
        """Return the column of one of the numbers, by which buckets are sorted; None if it has none of its own."""
        return "value" if path in ("", "value") else None


class Hits(Node, frozen=True, kw_only=True):
    """Some events of each bucket."""

    size: int
    keys: tuple[ast.SortKey, ...]

    @abstractmethod
    def finish(self, rows: list[Members], count: int) -> Answer:
        """Return the answer of a bucket with its events."""


class Key(InternalStruct, frozen=True):
    """How events are grouped: by a field, or by an expression."""

    field: str
    expression: ast.Expression | None = None
    bucket: ast.Quantity | None = None


def write_key(key: Key) -> ast.Expression:
    """Return the expression of a key; of a list the first value counts."""
    if key.expression is not None:
        return key.expression
    value = ast.Field(key.field)
    if key.bucket is None:
        return ast.Call("first", (value,))
    size = key.bucket
    return ast.Call(
        "bucket", (value, ast.Literal(f"{size.number}{size.unit}" if size.unit else size.number))
    )


class Bucket(InternalStruct, frozen=True):
    """A bucket of a keyed aggregation: the value of its key or all of them, its row, and its place in the results."""

    value: Any
    row: Row
    prefix: tuple[Any, ...]


class Keyed(Node, frozen=True, kw_only=True):
    """Buckets by the values of a key."""

    key: Key
    filter: ast.Filter
    """What events need to be in any bucket."""
    zone: str = "UTC"

    takes_missing: bool = False
    """Whether events without the key have a bucket too."""

    is_cut: ClassVar[bool] = False
    """Whether only some buckets of each parent are shown."""
    is_composite: ClassVar[bool] = False
    """Whether it has several keys, of which its buckets have a tuple of values."""
    is_paged: ClassVar[bool] = False
    """Whether its buckets are read page by page, so that it cannot be inside others."""

    ordering: tuple[ast.Aggregate, ...] = ()
    """What its buckets are sorted by besides their own counts and metrics."""

    @property
    def parts(self) -> tuple["Keyed", ...]:
        """What it groups by."""
        return (self,)

    def reduce(self, _before: tuple[str, ...], _own: tuple[str, ...]) -> tuple[ast.Pipe, ...]:
        """Return pipes that keep only the buckets that are shown, given the columns of the keys before, and its own."""
        return ()

    def choose(self, buckets: list[Bucket]) -> list[Bucket]:
        """Return the buckets that are shown of one parent."""
        return buckets

    def narrow(self, _values: list[Any]) -> ast.Filter:
        """Return a filter for the events of some buckets; everything if the test is not worth it."""
        return ast.Everything()

    @abstractmethod
    def list_buckets(self, buckets: list[Bucket]) -> list[tuple[Answer, Bucket]]:
        """Return the beginnings of all buckets in order, including those without events."""

    def finish(self, buckets: list[Answer], _found: list[Bucket]) -> Answer:
        return {"buckets": buckets}


class Split(Node, frozen=True, kw_only=True):
    """One bucket for each condition; an event may be in several."""

    conditions: tuple[tuple[Answer, ast.Filter], ...]
    """The beginning of each bucket, and what its events match."""
    is_single: ClassVar[bool] = False
    """Whether the only bucket is the answer."""

    @abstractmethod
    def finish(self, buckets: list[Answer]) -> Answer: ...


class Whole(Node, frozen=True, kw_only=True):
    """All events, whatever the query: `global`."""


class Pipeline(Node, frozen=True, kw_only=True):
    """Computed from the buckets of an aggregation around or beside it."""

    paths: Mapping[str, str]
    """What it reads of each bucket."""
    gap: str = "skip"
    """What stands for the values of buckets without events, one of `paths.GAPS`."""


def name_column(nodes: Mapping[str, Node], name: str, column: str) -> str:
    """Return the column of a metric, one of several aggregations in a bucket."""
    return f"{OWN}{list(nodes).index(name)}.{column}"


def too_many_buckets(count: int) -> Invalid:
    return Invalid(
        f"Trying to create too many buckets. Must be less than or equal to: [{MOST_BUCKETS}] but was [{count}]",
        type="too_many_buckets_exception",
    )
