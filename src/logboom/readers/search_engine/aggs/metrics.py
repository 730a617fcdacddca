"""Metrics: `avg`, `sum`, `min`, `max`, `value_count`, `cardinality`, `stats`, percentiles and others."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from logboom.base.structs import InternalStruct
from logboom.lang import ast
from logboom.lang.times import parse_moment
from logboom.readers.search_engine.aggs.nodes import Answer, Metric, Row
from logboom.readers.search_engine.dsl.context import TIME, Context, unsupported
from logboom.readers.search_engine.dsl.members import (
    Members,
    read_flag,
    read_list,
    read_object,
    read_scalar,
    show,
)
from logboom.readers.search_engine.hits.moments import NS_PER_MS, format_moment

MOST_VALUES = 100
OUTLIERS = 1.5
PERCENTS = (1, 5, 25, 50, 75, 95, 99)


class Argument(InternalStruct, frozen=True):
    """The field that a metric reads, and what stands for it where it is missing."""

    field: str
    missing: str | int | float | None = None

    @property
    def any(self) -> ast.Expression:
        """The value, whatever its type."""
        written = ast.Field(self.field)
        if self.missing is None:
            return written
        return ast.Call("coalesce", (written, ast.Literal(self.missing)))

    @property
    def number(self) -> ast.Expression:
        """The value if it is a number; times keep their type."""
        return self.any if self.field == TIME else ast.Call("tonumber", (self.any,))


class Single(Metric, frozen=True, kw_only=True):
    """One number, computed by a function of the engine."""

    function: str
    argument: ast.Expression
    empty: int | None = None

    def list_aggregates(self) -> list[ast.Aggregate]:
        return [ast.Aggregate(self.function, self.argument, name="value")]

    def finish(self, row: Row) -> Answer:
        return show_number(row.get("value"), self.empty)


def show_number(value: Any, empty: int | None = None) -> Answer:
    """Return a number; times are milliseconds, with their text beside."""
    if isinstance(value, str):
        time_ns = parse_moment(value, 0)
        return {"value": time_ns // NS_PER_MS, "value_as_string": format_moment(time_ns)}
    return {"value": empty if value is None else value}


def to_number(value: Any) -> Any:
    return show_number(value)["value"]


class Stats(Metric, frozen=True, kw_only=True):
    """`stats`; with `sigma` also the spread of the values."""

    argument: Argument
    sigma: float | None = None

    def list_aggregates(self) -> list[ast.Aggregate]:
        number = self.argument.number
        found = [
            ast.Aggregate(name, number, name=name) for name in ("count", "min", "max", "avg", "sum")
        ]
        if self.sigma is None:
            return found
        return [
            *found,
            ast.Aggregate("sum", ast.Binary("*", number, number), name="sum_of_squares"),
            ast.Aggregate("varp", number, name="variance_population"),
            ast.Aggregate("var", number, name="variance_sampling"),
            ast.Aggregate("stdevp", number, name="std_deviation_population"),
            ast.Aggregate("stdev", number, name="std_deviation_sampling"),
        ]

    def find_column(self, path: str) -> str | None:
        renamed = ALIASES.get(path, path)
        return renamed if any(each.name == renamed for each in self.list_aggregates()) else None

    def finish(self, row: Row) -> Answer:
        count = row.get("count") or 0
        found: Answer = {"count": count}
        found |= {name: to_number(row.get(name)) for name in ("min", "max", "avg")}
        found["sum"] = to_number(row.get("sum")) or 0
        if self.sigma is not None:
            found |= self._describe_spread(row, found["avg"])
        return found

    def _describe_spread(self, row: Row, average: float | None) -> Answer:
        assert self.sigma is not None, "it was asked for"
        population, sampling = (row.get(f"variance_{kind}") for kind in KINDS)
        return describe_spread(average, row.get("sum_of_squares"), population, sampling, self.sigma)


def describe_spread(
    average: float | None,
    sum_of_squares: float | None,
    population: float | None,
    sampling: float | None,
    sigma: float,
) -> Answer:
    """Return the members that `extended_stats` has more than `stats`, from two variances."""
    of_all, of_sample = (
        None if each is None else math.sqrt(each) for each in (population, sampling)
    )
    bounds = {
        side + suffix: None
        if average is None or deviation is None
        else average + sign * sigma * deviation
        for suffix, deviation in (("", of_all), ("_population", of_all), ("_sampling", of_sample))
        for side, sign in (("upper", 1), ("lower", -1))
    }
    return {
        "sum_of_squares": sum_of_squares,
        "variance": population,
        "variance_population": population,
        "variance_sampling": sampling,
        "std_deviation": of_all,
        "std_deviation_population": of_all,
        "std_deviation_sampling": of_sample,
        "std_deviation_bounds": bounds,
    }


KINDS = ("population", "sampling")
ALIASES = {"variance": "variance_population", "std_deviation": "std_deviation_population"}


class WeightedAverage(Metric, frozen=True, kw_only=True):
    """The mean of values that count as much as their weights; events without either do not count."""

    value: Argument
    weight: Argument

    def list_aggregates(self) -> list[ast.Aggregate]:
        value, weight = self.value.number, self.weight.number
        weighted = ast.Binary("*", value, weight)
        # A weight counts only beside a value.
        counted = ast.Call("if", (ast.Call("isnotnull", (weighted,)), weight))
        return [
            ast.Aggregate("sum", weighted, name="sum"),
            ast.Aggregate("sum", counted, name="weights"),
        ]

    def find_column(self, path: str) -> str | None:  # noqa: ARG002
        return None

    def finish(self, row: Row) -> Answer:
        # A sum that is too large for a number is no value.
        total, weights = row.get("sum"), row.get("weights")
        return {"value": total / weights if weights and total is not None else None}


class Percentiles(Metric, frozen=True, kw_only=True):
    """Values below which some percentages of the values are."""

    argument: Argument
    percents: tuple[float, ...]
    keyed: bool

    def list_aggregates(self) -> list[ast.Aggregate]:
        return [
            ast.Aggregate("percentile", self.argument.number, percent, name=str(float(percent)))
            for percent in self.percents
        ]

    def find_column(self, path: str) -> str | None:
        try:
            return str(float(path))
        except ValueError:
            return None

    def finish(self, row: Row) -> Answer:
        return list_values(
            self.percents,
            [to_number(row.get(str(float(each)))) for each in self.percents],
            keyed=self.keyed,
        )


class Boxplot(Metric, frozen=True, kw_only=True):
    """Quartiles, and how far values are that are not outliers."""

    argument: Argument

    def list_aggregates(self) -> list[ast.Aggregate]:
        number = self.argument.number
        return [
            ast.Aggregate("min", number, name="min"),
            ast.Aggregate("max", number, name="max"),
            *(
                ast.Aggregate("percentile", number, 25 * place, name=f"q{place}")
                for place in (1, 2, 3)
            ),
        ]

    def find_column(self, path: str) -> str | None:
        return path if any(each.name == path for each in self.list_aggregates()) else None

    def finish(self, row: Row) -> Answer:
        found: Answer = {
            name: to_number(row.get(name)) for name in ("min", "max", "q1", "q2", "q3")
        }
        if found["q1"] is None:
            return {**found, "lower": None, "upper": None}
        reach = OUTLIERS * (found["q3"] - found["q1"])
        return {
            **found,
            "lower": max(found["min"], found["q1"] - reach),
            "upper": min(found["max"], found["q3"] + reach),
        }


class Ranks(Metric, frozen=True, kw_only=True):
    """Which percentages of the values are at most some values."""

    argument: Argument
    values: tuple[float, ...]
    keyed: bool

    def list_aggregates(self) -> list[ast.Aggregate]:
        field, number = self.argument.field, self.argument.number
        return [
            ast.Aggregate("count", number, name="all"),
            *(
                ast.Aggregate(
                    "count",
                    number,
                    condition=ast.Compare(field, "<=", ast.Quantity(value)),
                    name=str(float(value)),
                )
                for value in self.values
            ),
        ]

    def finish(self, row: Row) -> Answer:
        total = row.get("all")
        shares = [100 * row[str(float(value))] / total if total else None for value in self.values]
        return list_values(self.values, shares, keyed=self.keyed)


def list_values(keys: tuple[float, ...], values: list[Any], *, keyed: bool) -> Answer:
    pairs = [(float(key), value) for key, value in zip(keys, values, strict=True)]
    if keyed:
        return {"values": {str(key): value for key, value in pairs}}
    return {"values": [{"key": key, "value": value} for key, value in pairs]}


class Rate(Metric, frozen=True, kw_only=True):
    """`rate`: events, or the sum of a field, for each `unit_ns` of a bucket of time that is `span_ns` long."""

    argument: Argument | None
    counts_values: bool
    unit_ns: int
    span_ns: int

    def list_aggregates(self) -> list[ast.Aggregate]:
        if self.argument is None:
            return [ast.Aggregate("count", name="value")]
        function = "count" if self.counts_values else "sum"
        return [ast.Aggregate(function, self.argument.number, name="value")]

    def finish(self, row: Row) -> Answer:
        return {"value": (row.get("value") or 0) * self.unit_ns / self.span_ns}


def read_argument(options: Members, context: Context, kind: str) -> Argument:
    if "script" in options:
        raise unsupported(f"[{kind}] has a script, expected a field: scripts are not run")
    missing = options.get("missing")
    value = None if missing is None else read_scalar(options, "missing", kind)
    return Argument(context.names.find(options.get("field")), value)


def read_single(
    function: str, empty: int | None, kind: str, options: Members, context: Context
) -> Metric:
    argument = read_argument(options, context, kind)
    is_number = kind in ("min", "max", "avg", "sum")
    return Single(
        type=kind,
        function=function,
        empty=empty,
        argument=argument.number if is_number else argument.any,
    )


def read_stats(kind: str, options: Members, context: Context) -> Metric:
    sigma = options.get("sigma", 2) if kind == "extended_stats" else None
    if sigma is not None and (isinstance(sigma, bool) or not isinstance(sigma, int | float | str)):
        raise unsupported(f"[sigma] is {show(sigma)}, expected a number")
    argument = read_argument(options, context, kind)
    return Stats(
        type=kind, argument=argument, sigma=None if sigma is None else read_number(sigma, "sigma")
    )


def read_weighted_average(kind: str, options: Members, context: Context) -> Metric:
    value, weight = (
        read_argument(read_object(options.get(name), name), context, kind)
        for name in ("value", "weight")
    )
    return WeightedAverage(type=kind, value=value, weight=weight)


def read_percentiles(_kind: str, options: Members, context: Context) -> Metric:
    percents = read_numbers(options.get("percents") or list(PERCENTS), "percents")
    if not all(0 <= each <= 100 for each in percents):
        raise unsupported("[percents], expected numbers from 0 to 100")
    return Percentiles(
        type="tdigest_percentiles",
        argument=read_argument(options, context, "percentiles"),
        percents=percents,
        keyed=read_flag(options.get("keyed", True), "keyed"),
    )


def read_boxplot(kind: str, options: Members, context: Context) -> Metric:
    return Boxplot(type=kind, argument=read_argument(options, context, kind))


def read_ranks(_kind: str, options: Members, context: Context) -> Metric:
    return Ranks(
        type="tdigest_percentile_ranks",
        argument=read_argument(options, context, "percentile_ranks"),
        values=read_numbers(options.get("values", []), "values"),
        keyed=read_flag(options.get("keyed", True), "keyed"),
    )


def read_numbers(written: object, name: str) -> tuple[float, ...]:
    numbers = tuple(dict.fromkeys(read_number(each, name) for each in read_list(written)))
    if not 0 < len(numbers) <= MOST_VALUES:
        raise unsupported(f"[{name}] has {len(numbers)} values, expected 1 to {MOST_VALUES}")
    return numbers


def read_number(value: object, name: str) -> float:
    """Return a number, which may be written as a text."""
    try:
        number = float(value) if isinstance(value, int | float | str) else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise unsupported(f"[{name}] has {show(value)}, expected numbers")
    return int(number) if number.is_integer() else number


ReadMetric = Callable[[str, Members, Context], Metric]
METRICS: dict[str, ReadMetric] = {
    "avg": partial(read_single, "avg", None),
    "sum": partial(read_single, "sum", 0),
    "min": partial(read_single, "min", None),
    "max": partial(read_single, "max", None),
    "value_count": partial(read_single, "count", 0),
    "cardinality": partial(read_single, "count_uniq", 0),
    "stats": read_stats,
    "extended_stats": read_stats,
    "weighted_avg": read_weighted_average,
    "percentiles": read_percentiles,
    "percentile_ranks": read_ranks,
    "boxplot": read_boxplot,
}
