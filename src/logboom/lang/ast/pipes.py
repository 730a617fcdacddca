"""Pipes: the steps that process the events found."""

from typing import Literal, TypeAlias

from logboom.base.structs import InternalStruct
from logboom.lang.ast.expressions import Expression
from logboom.lang.ast.filters import Filter
from logboom.lang.ast.values import Quantity


class Aggregate(InternalStruct, frozen=True):
    """An aggregate of a pipe.

    `function` is its canonical name, `parameter` the percentile; `name` is the column of the result.
    """

    function: str
    argument: Expression | None = None
    parameter: int | float | None = None
    condition: Filter | None = None
    name: str = ""

    def __post_init__(self) -> None:
        assert self.name, "a column has a name"


class Key(InternalStruct, frozen=True):
    """Groups by a field, or by buckets of it: `_time:5m`, `size:10KB`, `ip:/24`."""

    field: str
    bucket: Quantity | None = None
    prefix_bits: int | None = None

    def __post_init__(self) -> None:
        assert self.bucket is None or self.prefix_bits is None, "one kind of bucket"


class Stats(InternalStruct, frozen=True):
    """One row per combination of the keys' values, or a single row without keys."""

    aggregates: tuple[Aggregate, ...]
    keys: tuple[Key, ...] = ()

    def __post_init__(self) -> None:
        check_columns(self.keys, self.aggregates)


class Timechart(InternalStruct, frozen=True):
    """One row per time span, including empty ones; with `by` one column per value, for the `limit` largest.

    `has_other` and `has_null` say whether there are columns for all other values, and for no value.
    """

    aggregates: tuple[Aggregate, ...]
    span: Quantity | None = None
    by: Key | None = None
    limit: int = 10
    has_other: bool = True
    has_null: bool = True

    def __post_init__(self) -> None:
        check_columns(() if self.by is None else (self.by,), self.aggregates)
        assert self.span is None or self.span.is_duration, "a span is a duration"


class Chart(InternalStruct, frozen=True):
    """One row per value of `over`, one column per value of `by`, for the `limit` largest."""

    aggregates: tuple[Aggregate, ...]
    over: Key
    by: Key
    limit: int = 10
    has_other: bool = True
    has_null: bool = True

    def __post_init__(self) -> None:
        check_columns((self.over, self.by), self.aggregates)


class Bin(InternalStruct, frozen=True):
    """Rounds a field down to multiples of `size`, or of a size that makes at most `most` bins, into `name`."""

    field: str
    size: Quantity | None
    most: int | None
    name: str

    def __post_init__(self) -> None:
        assert (self.size is None) != (self.most is None), "one way to choose the size"


class MvExpand(InternalStruct, frozen=True):
    """One row for each value of a list, or for the first `limit` values."""

    field: str
    limit: int | None = None


class InputLookup(InternalStruct, frozen=True):
    """The rows of a stored table; with `appends` after the existing rows."""

    table: str
    appends: bool = False


class AddTotals(InternalStruct, frozen=True):
    """Adds the sum of each row's numbers as a column, over some fields or all."""

    fields: tuple[str, ...] = ()
    name: str = "Total"


class XySeries(InternalStruct, frozen=True):
    """One row per value of `row`, one column per value of `column`, filled with `value`."""

    row: str
    column: str
    value: str


class Untable(InternalStruct, frozen=True):
    """Turns columns into rows: the `row` field, the column's name in `column`, its value in `value`."""

    row: str
    column: str
    value: str


class Top(InternalStruct, frozen=True):
    """The most frequent combinations of values, with count and percent, in each group of `by`."""

    fields: tuple[str, ...]
    limit: int = 10
    by: tuple[str, ...] = ()


class Rare(InternalStruct, frozen=True):
    """The least frequent combinations of values."""

    fields: tuple[str, ...]
    limit: int = 10
    by: tuple[str, ...] = ()


class SortKey(InternalStruct, frozen=True):
    field: str
    descending: bool = False


class Sort(InternalStruct, frozen=True):
    """Sorts rows; `limit` keeps only the first ones."""

    keys: tuple[SortKey, ...]
    limit: int | None = None


class Limit(InternalStruct, frozen=True):
    """The first rows."""

    count: int


class Tail(InternalStruct, frozen=True):
    """The last rows."""

    count: int


class Offset(InternalStruct, frozen=True):
    """Skips the first rows."""

    count: int


class Fields(InternalStruct, frozen=True):
    """Keeps only these columns, in this order; names may contain `*`."""

    names: tuple[str, ...]


class Drop(InternalStruct, frozen=True):
    """Removes these columns; names may contain `*`."""

    names: tuple[str, ...]


class Rename(InternalStruct, frozen=True):
    """Renames fields; pairs of old and new name."""

    pairs: tuple[tuple[str, str], ...]


class Where(InternalStruct, frozen=True):
    """Keeps only rows that match the filter."""

    filter: Filter


class Eval(InternalStruct, frozen=True):
    """Computes fields, in order; pairs of a name and an expression."""

    assignments: tuple[tuple[str, Expression], ...]


class Rex(InternalStruct, frozen=True):
    """Extracts named groups of the first regex match as fields; as lists with up to `most` matches, 0 for all.

    With `keeps` a row keeps existing values; with `skips_empty` empty texts do not replace them.
    """

    expression: str
    field: str = "message"
    most: int = 1
    keeps: bool = False
    skips_empty: bool = False


class Extract(InternalStruct, frozen=True):
    """Extracts fields with a template: `<name>` is a field, `<_>` skips, everything else is literal text."""

    template: str
    field: str = "message"
    keeps: bool = False
    skips_empty: bool = False


UnpackFormat: TypeAlias = Literal["json", "logfmt", "kv", "syslog", "csv"]


class Unpack(InternalStruct, frozen=True):
    """Extracts the fields inside a text, or only those in `names`; `columns` names those of csv."""

    format: UnpackFormat
    field: str = "message"
    prefix: str = ""
    columns: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    keeps: bool = False
    skips_empty: bool = False


class Dedup(InternalStruct, frozen=True):
    """Keeps the first `keep` rows of each combination of values, after sorting by `keys` if any."""

    fields: tuple[str, ...]
    keep: int = 1
    keys: tuple[SortKey, ...] = ()


class Uniq(InternalStruct, frozen=True):
    """Each combination of values once, with its count."""

    fields: tuple[str, ...]


class Join(InternalStruct, frozen=True):
    """Adds the columns of another query's first rows with the same values: `most` of them, 0 for all."""

    fields: tuple[str, ...]
    query: "Query"
    kind: Literal["inner", "left"] = "inner"
    most: int = 1


class Union(InternalStruct, frozen=True):
    """Adds the rows of another query."""

    query: "Query"


class Lookup(InternalStruct, frozen=True):
    """Adds columns of a stored table, from the row whose columns equal the fields.

    `keys` and `outputs` are pairs of a column of the table and a field. With `keeps` existing values are not
    replaced.
    """

    table: str
    keys: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, str], ...] = ()
    keeps: bool = False

    def __post_init__(self) -> None:
        assert self.keys, "something is looked up"


class Context(InternalStruct, frozen=True):
    """Adds the events around each event; with `same` only those with the same values in these fields."""

    before: int = 0
    after: int = 0
    same: tuple[str, ...] = ()


class Transaction(InternalStruct, frozen=True):
    """Groups events that have the same values and are close in time into one row."""

    fields: tuple[str, ...]
    max_span: Quantity | None = None
    max_pause: Quantity | None = None
    start: Filter | None = None
    end: Filter | None = None


class StreamStats(InternalStruct, frozen=True):
    """Adds to each row the aggregates of the rows up to it, or of the last `window` rows.

    The row itself counts if `current`.
    """

    aggregates: tuple[Aggregate, ...]
    keys: tuple[Key, ...] = ()
    window: int | None = None
    current: bool = True


class EventStats(InternalStruct, frozen=True):
    """Adds to each row the aggregates of its group."""

    aggregates: tuple[Aggregate, ...]
    keys: tuple[Key, ...] = ()


class Delta(InternalStruct, frozen=True):
    """Adds the difference to the value in the previous row."""

    field: str
    name: str


class Patterns(InternalStruct, frozen=True):
    """Groups messages by their constant parts."""

    field: str = "message"
    by: tuple[str, ...] = ()


class FillNull(InternalStruct, frozen=True):
    """Fills missing values with a default; in all fields unless some are named."""

    value: str | int | float | bool
    fields: tuple[str, ...] = ()


class Replace(InternalStruct, frozen=True):
    """Replaces texts inside the values of fields, by default the message; pairs of old and new."""

    pairs: tuple[tuple[str, str], ...]
    fields: tuple[str, ...] = ()


class Sample(InternalStruct, frozen=True):
    """About one in `one_in` events, always the same ones. Each `part` from 0 on has others; together they have all."""

    one_in: int
    part: int = 0


class Diff(InternalStruct, frozen=True):
    """Compares counts with those of the preceding period, which is `previous` long."""

    previous: Quantity
    by: tuple[str, ...]


class When(InternalStruct, frozen=True):
    """A pipe that changes single rows, only for those that match the filter; the others stay as they are."""

    pipe: "Pipe"
    condition: Filter

    def __post_init__(self) -> None:
        assert isinstance(self.pipe, Eval | Rex | Extract | Unpack | Replace), "rows change"


class Explain(InternalStruct, frozen=True):
    """Shows how the query is run, instead of running it."""


Pipe: TypeAlias = (
    Stats
    | Timechart
    | Chart
    | Bin
    | MvExpand
    | InputLookup
    | AddTotals
    | XySeries
    | Untable
    | Top
    | Rare
    | Sort
    | Limit
    | Tail
    | Offset
    | Fields
    | Drop
    | Rename
    | Where
    | Eval
    | Rex
    | Extract
    | Unpack
    | Dedup
    | Uniq
    | Join
    | Union
    | Lookup
    | Context
    | Transaction
    | StreamStats
    | EventStats
    | Delta
    | Patterns
    | FillNull
    | Replace
    | Sample
    | Diff
    | When
    | Explain
)


class Query(InternalStruct, frozen=True):
    filter: Filter
    pipes: tuple[Pipe, ...] = ()


def check_columns(keys: tuple[Key, ...], aggregates: tuple[Aggregate, ...]) -> None:
    columns = [key.field for key in keys] + [aggregate.name for aggregate in aggregates]
    assert aggregates, "something is computed"
    assert len(set(columns)) == len(columns), "columns have distinct names"
