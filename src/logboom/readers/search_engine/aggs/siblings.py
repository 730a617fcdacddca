"""Computations on all buckets of an aggregation beside them: `max_bucket`, `stats_bucket`, `percentiles_bucket`."""

import math
from abc import abstractmethod
from collections.abc import Callable
from statistics import fmean

from logboom.readers.search_engine.aggs.metrics import (
    PERCENTS,
    describe_spread,
    list_values,
    read_number,
    read_numbers,
)
from logboom.readers.search_engine.aggs.nodes import Answer, Pipeline
from logboom.readers.search_engine.dsl.members import Members, read_flag

Found = list[tuple[str, float]]
"""The number of each bucket with its key."""


class Sibling(Pipeline, frozen=True, kw_only=True):
    """A result beside an aggregation, from one number of each of its buckets."""

    @abstractmethod
    def finish(self, found: Found) -> Answer: ...


class Best(Sibling, frozen=True, kw_only=True):
    """The largest or smallest number, and the keys of its buckets."""

    choose: Callable[..., float]

    def finish(self, found: Found) -> Answer:
        best = self.choose((number for _, number in found), default=None)
        return {"value": best, "keys": [key for key, number in found if number == best]}


class Reduced(Sibling, frozen=True, kw_only=True):
    """One number."""

    function: Callable[[list[float]], float | None]

    def finish(self, found: Found) -> Answer:
        return {"value": self.function([number for _, number in found])}


class BucketStats(Sibling, frozen=True, kw_only=True):
    """`stats_bucket`; with `sigma` also the spread."""

    sigma: float | None = None

    def finish(self, found: Found) -> Answer:
        numbers = [number for _, number in found]
        mean = fmean(numbers) if numbers else None
        answer: Answer = {
            "count": len(numbers),
            "min": min(numbers, default=None),
            "max": max(numbers, default=None),
            "avg": mean,
            "sum": math.fsum(numbers),
        }
        if self.sigma is None:
            return answer
        squares = math.fsum((number - (mean or 0)) ** 2 for number in numbers)
        population, sampling = (
            squares / count if count > 0 else None for count in (len(numbers), len(numbers) - 1)
        )
        total = math.fsum(number**2 for number in numbers) if numbers else None
        return answer | describe_spread(mean, total, population, sampling, self.sigma)


class BucketPercentiles(Sibling, frozen=True, kw_only=True):
    """The numbers below which some percentages of the numbers are; always one of them."""

    percents: tuple[float, ...]
    keyed: bool

    def finish(self, found: Found) -> Answer:
        ordered = sorted(number for _, number in found)
        chosen = [self._choose(ordered, percent) for percent in self.percents]
        return list_values(self.percents, chosen, keyed=self.keyed)

    @staticmethod
    def _choose(ordered: list[float], percent: float) -> float | None:
        if not ordered:
            return None
        return ordered[math.floor(percent / 100 * (len(ordered) - 1) + 0.5)]


def read_best(kind: str, _options: Members, paths: dict[str, str], gap: str) -> Sibling:
    choose = max if kind == "max_bucket" else min
    return Best(type="bucket_metric_value", paths=paths, gap=gap, choose=choose)


def read_reduced(kind: str, _options: Members, paths: dict[str, str], gap: str) -> Sibling:
    function = math.fsum if kind == "sum_bucket" else average
    return Reduced(type="simple_value", paths=paths, gap=gap, function=function)


def average(numbers: list[float]) -> float | None:
    return fmean(numbers) if numbers else None


def read_stats(kind: str, options: Members, paths: dict[str, str], gap: str) -> Sibling:
    sigma = (
        read_number(options.get("sigma", 2), "sigma") if kind == "extended_stats_bucket" else None
    )
    return BucketStats(type=kind, paths=paths, gap=gap, sigma=sigma)


def read_percentiles(kind: str, options: Members, paths: dict[str, str], gap: str) -> Sibling:
    percents = read_numbers(options.get("percents") or list(PERCENTS), "percents")
    keyed = read_flag(options.get("keyed", True), "keyed")
    return BucketPercentiles(type=kind, paths=paths, gap=gap, percents=percents, keyed=keyed)


SIBLINGS: dict[str, Callable[[str, Members, dict[str, str], str], Sibling]] = {
    "max_bucket": read_best,
    "min_bucket": read_best,
    "avg_bucket": read_reduced,
    "sum_bucket": read_reduced,
    "stats_bucket": read_stats,
    "extended_stats_bucket": read_stats,
    "percentiles_bucket": read_percentiles,
}
