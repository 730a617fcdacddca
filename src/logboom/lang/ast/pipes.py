"""Pipes: what happens to the events found, one step after the other."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from logboom.lang.ast.expressions import Expression
from logboom.lang.ast.filters import Filter
from logboom.lang.ast.values import Quantity


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`function` in its canonical name, `parameter` the percentile; `name` is the column of the result."""

    function: str
    argument: Expression | None = None
    parameter: int | float | None = None
    condition: Filter | None = None
    name: str = ""

    def __post_init__(self) -> None:
        assert self.name, "a column has a name"


@dataclass(frozen=True, slots=True)
class Key:
    """Groups by a field, or by buckets of it: `_time:5m`, `size:10KB`, `ip:/24`."""

    field: str
    bucket: Quantity | None = None
    prefix_bits: int | None = None

    def __post_init__(self) -> None:
        assert self.bucket is None or self.prefix_bits is None, "one kind of bucket"


@dataclass(frozen=True, slots=True)
class Stats:
    """One row per combination of the keys' values, or one row in all without keys."""

    aggregates: tuple[Aggregate, ...]
    keys: tuple[Key, ...] = ()

    def __post_init__(self) -> None:
        check_columns(self.keys, self.aggregates)


@dataclass(frozen=True, slots=True)
class Timechart:
    """One row per span of time, empty ones too; with `by` one column per value, the largest `limit`.

    `has_other` and `has_null` say whether there are columns for all other values, and for none.
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


@dataclass(frozen=True, slots=True)
class Chart:
    """One row per value of `over`, one column per value of `by`, the largest `limit`."""

    aggregates: tuple[Aggregate, ...]
    over: Key
    by: Key
    limit: int = 10
    has_other: bool = True
    has_null: bool = True

    def __post_init__(self) -> None:
        check_columns((self.over, self.by), self.aggregates)


@dataclass(frozen=True, slots=True)
class Bin:
    """A field rounded down to multiples of `size`, or of one that makes at most `most` of them; `name` gets it."""

    field: str
    size: Quantity | None
    most: int | None
    name: str

    def __post_init__(self) -> None:
        assert (self.size is None) != (self.most is None), "one way to choose the size"


@dataclass(frozen=True, slots=True)
class MvExpand:
    """One row for each value of a list, of the first `limit` ones if there is a limit."""

    field: str
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class InputLookup:
    """The rows of a stored table, after those that there are if it `appends`."""

    table: str
    appends: bool = False


@dataclass(frozen=True, slots=True)
class AddTotals:
    """Adds the sum of each row's numbers, of these fields or of all, under a name."""

    fields: tuple[str, ...] = ()
    name: str = "Total"


@dataclass(frozen=True, slots=True)
class XySeries:
    """One row per value of `row`, one column per value of `column`, and in it the value of `value`."""

    row: str
    column: str
    value: str


@dataclass(frozen=True, slots=True)
class Untable:
    """One row per value of a row: its `row` field, the name of the column under `column`, the value under `value`."""

    row: str
    column: str
    value: str


@dataclass(frozen=True, slots=True)
class Top:
    """The most frequent combinations of values, with count and percent, in each group of `by`."""

    fields: tuple[str, ...]
    limit: int = 10
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rare:
    """The least frequent combinations of values."""

    fields: tuple[str, ...]
    limit: int = 10
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SortKey:
    field: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Sort:
    """`limit` keeps the first rows only."""

    keys: tuple[SortKey, ...]
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Limit:
    """The first rows."""

    count: int


@dataclass(frozen=True, slots=True)
class Tail:
    """The last rows."""

    count: int


@dataclass(frozen=True, slots=True)
class Offset:
    """Without the first rows."""

    count: int


@dataclass(frozen=True, slots=True)
class Fields:
    """Only these columns, in this order; names may hold `*`."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drop:
    """Without these columns; names may hold `*`."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rename:
    """Pairs of old and new name."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Where:
    """Only rows that the filter matches."""

    filter: Filter


@dataclass(frozen=True, slots=True)
class Eval:
    """Pairs of a name and what it becomes, computed in order."""

    assignments: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Rex:
    """Each named group of the first match becomes a field; of up to `most` matches a list, of all if that is 0.

    With `keeps` a row keeps the values that it has; with `skips_empty` empty texts are not laid over them.
    """

    expression: str
    field: str = "message"
    most: int = 1
    keeps: bool = False
    skips_empty: bool = False


@dataclass(frozen=True, slots=True)
class Extract:
    """A template: `<name>` becomes a field, `<_>` skips, all else is literal text."""

    template: str
    field: str = "message"
    keeps: bool = False
    skips_empty: bool = False


UnpackFormat: TypeAlias = Literal["json", "logfmt", "kv", "syslog", "csv"]


@dataclass(frozen=True, slots=True)
class Unpack:
    """The fields inside a text, only those of `names` if any; `columns` names those of csv."""

    format: UnpackFormat
    field: str = "message"
    prefix: str = ""
    columns: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    keeps: bool = False
    skips_empty: bool = False


@dataclass(frozen=True, slots=True)
class Dedup:
    """The first `keep` rows of each combination of values, after sorting by `keys` if any."""

    fields: tuple[str, ...]
    keep: int = 1
    keys: tuple[SortKey, ...] = ()


@dataclass(frozen=True, slots=True)
class Uniq:
    """Each combination of values once, with its count."""

    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """Adds the columns of another query's first rows with the same values: `most` of them, all if that is 0."""

    fields: tuple[str, ...]
    query: "Query"
    kind: Literal["inner", "left"] = "inner"
    most: int = 1


@dataclass(frozen=True, slots=True)
class Union:
    """Adds the rows of another query."""

    query: "Query"


@dataclass(frozen=True, slots=True)
class Lookup:
    """Adds columns of a stored table, from the row whose columns equal the fields.

    `keys` and `outputs` are pairs of a column of the table and a field. One that `keeps` does not replace values.
    """

    table: str
    keys: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, str], ...] = ()
    keeps: bool = False

    def __post_init__(self) -> None:
        assert self.keys, "something is looked up"


@dataclass(frozen=True, slots=True)
class Context:
    """Adds the events around each one, those that have the same values in `same`."""

    before: int = 0
    after: int = 0
    same: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Transaction:
    """Groups events that have the same values and lie close to each other into one row."""

    fields: tuple[str, ...]
    max_span: Quantity | None = None
    max_pause: Quantity | None = None
    start: Filter | None = None
    end: Filter | None = None


@dataclass(frozen=True, slots=True)
class StreamStats:
    """Adds to each row the aggregates of the rows up to it, or of the last `window` ones.

    The row itself counts unless it is not `current`.
    """

    aggregates: tuple[Aggregate, ...]
    keys: tuple[Key, ...] = ()
    window: int | None = None
    current: bool = True


@dataclass(frozen=True, slots=True)
class EventStats:
    """Adds to each row the aggregates of its group."""

    aggregates: tuple[Aggregate, ...]
    keys: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True)
class Delta:
    """Adds the difference to the value in the row before."""

    field: str
    name: str


@dataclass(frozen=True, slots=True)
class Patterns:
    """Messages grouped by what stays the same in them."""

    field: str = "message"
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FillNull:
    """Gives missing values of the fields, of all without any, a value."""

    value: str | int | float | bool
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Replace:
    """Replaces texts inside the values of fields, of the message without any; pairs of old and new."""

    pairs: tuple[tuple[str, str], ...]
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """About one in `one_in` events, always the same ones."""

    one_in: int


@dataclass(frozen=True, slots=True)
class Diff:
    """Counts compared with those of the period just before, `previous` long."""

    previous: Quantity
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class When:
    """A pipe that changes single rows, only for those that the filter matches; the others stay as they are."""

    pipe: "Pipe"
    condition: Filter

    def __post_init__(self) -> None:
        assert isinstance(self.pipe, Eval | Rex | Extract | Unpack | Replace), "rows change"


@dataclass(frozen=True, slots=True)
class Explain:
    """How the query is run, instead of its rows."""


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


@dataclass(frozen=True, slots=True)
class Query:
    filter: Filter
    pipes: tuple[Pipe, ...] = ()


def check_columns(keys: tuple[Key, ...], aggregates: tuple[Aggregate, ...]) -> None:
    columns = [key.field for key in keys] + [aggregate.name for aggregate in aggregates]
    assert aggregates, "something is computed"
    assert len(set(columns)) == len(columns), "columns have distinct names"
