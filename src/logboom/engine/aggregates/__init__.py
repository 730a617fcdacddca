"""Aggregates: each is read, reduced, merged and finished; all are listed by name in AGGREGATES."""

from logboom.base.errors import Invalid
from logboom.engine.aggregates.counting import Count
from logboom.engine.aggregates.distinct import CountDistinct, EstimateDistinct, Mode, Values
from logboom.engine.aggregates.extremes import Greatest, Least
from logboom.engine.aggregates.numbers import (
    Average,
    Deviation,
    PopulationDeviation,
    PopulationVariance,
    Range,
    Sum,
    Variance,
)
from logboom.engine.aggregates.order import (
    AllValues,
    Earliest,
    First,
    Last,
    Latest,
    RowOfLeast,
    RowOfMost,
)
from logboom.engine.aggregates.percentiles import ApproximatePercentile, Percentile
from logboom.engine.aggregates.rates import Rate, SumRate
from logboom.engine.aggregates.reducer import Reducer
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

AGGREGATES: dict[str, type[Reducer]] = {
    "count": Count,
    "count_uniq": CountDistinct,
    "approx_count_uniq": EstimateDistinct,
    "sum": Sum,
    "avg": Average,
    "min": Least,
    "max": Greatest,
    "median": Percentile,
    "percentile": Percentile,
    "approx_percentile": ApproximatePercentile,
    "stdev": Deviation,
    "var": Variance,
    "stdevp": PopulationDeviation,
    "varp": PopulationVariance,
    "range": Range,
    "mode": Mode,
    "values": Values,
    "list": AllValues,
    "first": First,
    "last": Last,
    "earliest": Earliest,
    "latest": Latest,
    "rate": Rate,
    "rate_sum": SumRate,
    "row_max": RowOfMost,
    "row_min": RowOfLeast,
}


def check_aggregate(aggregate: ast.Aggregate) -> None:
    """Refuse invalid arguments."""
    percent = aggregate.parameter
    if percent is not None and not 0 <= percent <= 100:
        raise Invalid(f"percentile {percent}, expected a number from 0 to 100")


def make_reducer(
    place: int, aggregate: ast.Aggregate, conditions: Conditions, span_ns: int | None
) -> Reducer:
    return AGGREGATES[aggregate.function](place, aggregate, conditions, span_ns)
