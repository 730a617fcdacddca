"""What a metric query computes, as a tree."""

from typing import Literal, TypeAlias

from logboom.base.structs import InternalStruct
from logboom.lang import ast
from logboom.readers.loki.selecting import Selection


class RangeFunction(InternalStruct, frozen=True):
    """The aggregate of the language for lines, and for values after `unwrap`; None if there is none.

    `merges` is the function of vectors that can be applied to all events at once: the sum of counts is a count.
    """

    lines: str | None = None
    values: str | None = None
    counts_bytes: bool = False
    is_rate: bool = False
    merges: str | None = None


RANGE_FUNCTIONS: dict[str, RangeFunction] = {
    "count_over_time": RangeFunction("count", "count", merges="sum"),
    "rate": RangeFunction("count", "sum", is_rate=True, merges="sum"),
    "bytes_over_time": RangeFunction("sum", counts_bytes=True, merges="sum"),
    "bytes_rate": RangeFunction("sum", counts_bytes=True, is_rate=True, merges="sum"),
    "absent_over_time": RangeFunction("count", "count"),
    "sum_over_time": RangeFunction(values="sum", merges="sum"),
    "avg_over_time": RangeFunction(values="avg"),
    "min_over_time": RangeFunction(values="min", merges="min"),
    "max_over_time": RangeFunction(values="max", merges="max"),
    "first_over_time": RangeFunction(values="earliest"),
    "last_over_time": RangeFunction(values="latest"),
    "stddev_over_time": RangeFunction(values="stdevp"),
    "stdvar_over_time": RangeFunction(values="varp"),
    "quantile_over_time": RangeFunction(values="percentile"),
    "rate_counter": RangeFunction(values="max"),
}
COUNTER = "rate_counter"
ABSENT = "absent_over_time"
QUANTILE = "quantile_over_time"
VECTOR_FUNCTIONS = ("sum", "avg", "min", "max", "count", "stddev", "stdvar")
RANKS = {"topk": True, "approx_topk": True, "bottomk": False}
"""Functions that keep the first few series, and whether these are the largest."""
SORTS = {"sort": False, "sort_desc": True}


class Grouping(InternalStruct, frozen=True):
    """`by` these labels, or by all but these."""

    labels: tuple[str, ...]
    is_without: bool = False


TOTAL = Grouping(())


class Range(InternalStruct, frozen=True):
    """A function of the lines in a range before each step, or of their values."""

    function: str
    selection: Selection
    value: ast.Expression | None
    range_ns: int
    offset_ns: int = 0
    grouping: Grouping | None = None
    percent: float | None = None


class Aggregation(InternalStruct, frozen=True):
    """A function of the values of several series at one time."""

    function: str
    inner: "Node"
    grouping: Grouping = TOTAL
    limit: int = 0
    """How many series a rank keeps."""


class Sorted(InternalStruct, frozen=True):
    """The series of one time in the order of their values."""

    inner: "Node"
    is_descending: bool


class Matching(InternalStruct, frozen=True):
    """How series are paired: by these labels, or by all but these; `many` is the side that may have several.

    The series of that side get the `included` labels of the other.
    """

    labels: tuple[str, ...] = ()
    is_on: bool = False
    many: Literal["left", "right", ""] = ""
    included: tuple[str, ...] = ()


class Operation(InternalStruct, frozen=True):
    operator: str
    left: "Node"
    right: "Node"
    matching: Matching = Matching()
    is_bool: bool = False


class Number(InternalStruct, frozen=True):
    value: float


class Constant(InternalStruct, frozen=True):
    """`vector(1)`: a single series without labels."""

    value: float


class Relabelling(InternalStruct, frozen=True):
    """`label_replace`: a label made from the groups of an expression that matches another."""

    inner: "Node"
    target: str
    replacement: str
    source: str
    expression: str


Node: TypeAlias = Range | Aggregation | Sorted | Operation | Number | Constant | Relabelling
