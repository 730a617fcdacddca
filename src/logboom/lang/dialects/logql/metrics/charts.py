"""Series as pipes: `timechart` if possible, else `stats` with one row per time and labels."""

from collections.abc import Callable

from msgspec.structs import replace

from logboom.lang.ast import (
    Aggregate,
    Binary,
    Call,
    Compare,
    Dedup,
    Eval,
    EventStats,
    Field,
    Fields,
    FillNull,
    Filter,
    Key,
    Literal,
    Match,
    Not,
    Pattern,
    Pipe,
    Quantity,
    Query,
    Sort,
    SortKey,
    Stats,
    Timechart,
    Where,
)
from logboom.lang.dialects.logql.metrics.series import (
    VALUE,
    WHOLE,
    Compute,
    Fill,
    Rank,
    Regroup,
    Series,
    Test,
    name_leaf,
    rename,
)
from logboom.lang.dialects.logql.together import unite
from logboom.lang.format.aggregates import name_aggregate
from logboom.lang.tokens import COMPARISONS

TIME = "_time"
MINUTE = Quantity(1, "m")
"""The span of rows by time and labels, where a chart would choose one."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def draw(series: Series) -> Query:
    return Drawing(series).draw()


class Drawing:
    def __init__(self, series: Series) -> None:
        self._series = series
        self._is_instant = series.span == WHOLE or any(
            isinstance(step, Rank) for step in series.steps
        )
        self._is_long = False
        self._span = series.span if isinstance(series.span, Quantity) else None
        self._labels = keep_labels(series.labels or ())
        self._is_computed = series.value != name_leaf(0)
        self._pipes: list[Pipe] = []
        self._value = ""

    def draw(self) -> Query:
        series = self._series
        query, conditions = unite([leaf.query for leaf in series.leaves])
        aggregates = self._name_aggregates(conditions)
        self._pipes += query.pipes
        self._aggregate(aggregates, is_last=not series.steps and not self._is_computed)
        if self._is_computed:
            self._compute(aggregates)
        for place, step in enumerate(series.steps):
            STEPS[type(step)](self, step, is_last=place == len(series.steps) - 1)
        if self._is_long and not isinstance(self._pipes[-1], Timechart):
            self._pipes.append(Sort((SortKey(TIME),)))
        return Query(query.filter, tuple(self._pipes))

    def _name_aggregates(self, conditions: list[Filter | None]) -> tuple[Aggregate, ...]:
        """Return the named aggregates: a single one is named after what it computes, several have letters."""
        leaves = self._series.leaves
        named = []
        for place, (leaf, condition) in enumerate(zip(leaves, conditions, strict=True)):
            aggregate = Aggregate(leaf.function, leaf.argument, leaf.parameter, condition, "value")
            if len(leaves) > 1:
                name = self._free_name(LETTERS[place % len(LETTERS)] * (place // len(LETTERS) + 1))
            elif leaf.argument is None or not (self._series.steps or self._is_computed):
                name = self._free_name(name_aggregate(aggregate))
            else:
                name = self._free_name("value")
            named.append(replace(aggregate, name=name))
        self._value = named[0].name
        return tuple(named)

    def _free_name(self, name: str) -> str:
        """Return the name, or a similar one that no label has in any case."""
        taken = {label.lower() for label in self._labels}
        while name.lower() in taken:
            name += "_"
        return name

    def _aggregate(self, aggregates: tuple[Aggregate, ...], *, is_last: bool) -> None:
        """Add one row per time, or per time and labels; one per labels if time does not matter."""
        keys = tuple(Key(label) for label in self._labels)
        span = self._span
        if self._is_instant:
            self._pipes.append(Stats(aggregates, keys))
        elif not keys or (is_last and len(keys) == 1):
            self._pipes.append(Timechart(aggregates, span, keys[0] if keys else None))
        else:
            self._is_long = True
            self._span = span or MINUTE
            self._pipes.append(Stats(aggregates, (Key(TIME, self._span), *keys)))

    def _compute(self, aggregates: tuple[Aggregate, ...]) -> None:
        names = {
            name_leaf(place): Field(self._sum_up(each.name, leaf.labels))
            for place, (each, leaf) in enumerate(zip(aggregates, self._series.leaves, strict=True))
        }
        if len(aggregates) > 1:
            self._value = self._free_name("value")
        self._pipes.append(Eval(((self._value, rename(self._series.value, names)),)))
        if len(aggregates) > 1:
            time = () if self._is_instant else (TIME,)
            self._pipes.append(Fields((*time, *self._labels, self._value)))

    def _sum_up(self, name: str, labels: tuple[str, ...] | None) -> str:
        """Return the column with the sums over all labels but these, or the column itself."""
        if labels is None:
            return name
        total = self._free_name(f"{name}_total")
        time = () if self._is_instant else (Key(TIME),)
        keys = (*time, *map(Key, keep_labels(labels)))
        self._pipes.append(EventStats((Aggregate("sum", Field(name), name=total),), keys))
        return total

    def _test(self, step: Test, *, is_last: bool) -> None:  # noqa: ARG002
        if not step.is_bool:
            self._pipes.append(Where(compare(self._value, step.operator, step.number)))
            return
        condition = Binary(step.operator, Field(self._value), Literal(step.number))
        chosen = Call("if", (condition, Literal(1), Literal(0)))
        self._pipes.append(Eval(((self._value, chosen),)))

    def _change(self, step: Compute, *, is_last: bool) -> None:  # noqa: ARG002
        value = rename(step.expression, {VALUE: Field(self._value)})
        self._pipes.append(Eval(((self._value, value),)))

    def _regroup(self, step: Regroup, *, is_last: bool) -> None:
        self._labels = keep_labels(step.labels)
        argument = None if step.function == "count" else Field(self._value)
        aggregate = Aggregate(step.function, argument, name="value")
        name = name_aggregate(aggregate) if is_last or argument is None else "value"
        self._value = self._free_name(name)
        self._aggregate((replace(aggregate, name=self._value),), is_last=is_last)

    def _rank(self, step: Rank, *, is_last: bool) -> None:  # noqa: ARG002
        key = SortKey(self._value, step.descending)
        if step.labels and step.limit is not None:
            self._pipes.append(Dedup(step.labels, step.limit, (key,)))
        else:
            self._pipes.append(Sort((key,), step.limit))

    def _fill(self, _step: Fill, *, is_last: bool) -> None:  # noqa: ARG002
        self._pipes.append(FillNull(0, (self._value,)))


def keep_labels(labels: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels without the time, by which a series is grouped anyway."""
    return tuple(label for label in labels if label != TIME)


def compare(field: str, operator: str, number: int | float) -> Filter:
    comparison = COMPARISONS.get(operator)
    if comparison is not None:
        return Compare(field, comparison, Quantity(number))
    equal = Match(field, Pattern.literal(repr(number)))
    return Not(equal) if operator == "!=" else equal


STEPS: dict[type, Callable[..., None]] = {
    Test: Drawing._test,
    Compute: Drawing._change,
    Regroup: Drawing._regroup,
    Rank: Drawing._rank,
    Fill: Drawing._fill,
}
