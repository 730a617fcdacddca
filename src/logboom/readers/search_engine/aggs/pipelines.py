"""Computations on the buckets of a histogram: differences, sums, moving windows and arithmetic."""

import math
from collections.abc import Callable, Mapping
from itertools import accumulate
from statistics import fmean, pstdev

from logboom.base.patterns import compile_later
from logboom.readers.search_engine.aggs.metrics import read_number
from logboom.readers.search_engine.aggs.nodes import Pipeline
from logboom.readers.search_engine.aggs.scripts import Script, parse_script
from logboom.readers.search_engine.dsl.context import malformed, unsupported
from logboom.readers.search_engine.dsl.members import Members, read_object, read_text, read_whole

PATH = "value"
MOST_WINDOW = 10_000

Number = float | None
Values = list[dict[str, Number]]
Windowed = Callable[[list[float]], Number]
MOVING = compile_later(
    r"\s*MovingFunctions\.(?P<name>\w+)\(\s*values\s*(?:,\s*(?P<argument>[\w.() ]+?)\s*)?\)\s*;?\s*"
)


def weigh(values: list[float]) -> Number:
    """Return the mean, in which later values count more."""
    if not values:
        return None
    weights = range(1, len(values) + 1)
    return sum(map(math.prod, zip(values, weights, strict=True))) / sum(weights)


def smooth(values: list[float], alpha: float) -> Number:
    """Return the mean, in which each value counts `alpha` against all before it."""
    return (
        list(accumulate(values, lambda mean, value: alpha * value + (1 - alpha) * mean))[-1]
        if values
        else None
    )


WINDOWED: dict[str, Windowed] = {
    "max": lambda values: max(values, default=None),
    "min": lambda values: min(values, default=None),
    "sum": lambda values: math.fsum(values),
    "unweightedAvg": lambda values: fmean(values) if values else None,
    "stdDev": lambda values: pstdev(values) if values else None,
    "linearWeightedAvg": weigh,
}
MODELS = {"simple": "unweightedAvg", "linear": "linearWeightedAvg"}


class Derivative(Pipeline, frozen=True, kw_only=True):
    """The difference to the bucket `lag` before."""

    lag: int

    def compute(self, values: Values) -> list[Number]:
        numbers = [each[PATH] for each in values]
        return [
            subtract(number, numbers[place - self.lag] if place >= self.lag else None)
            for place, number in enumerate(numbers)
        ]


def subtract(number: Number, before: Number) -> Number:
    return None if number is None or before is None else number - before


class CumulativeSum(Pipeline, frozen=True, kw_only=True):
    """The sum of all buckets so far."""

    def compute(self, values: Values) -> list[Number]:
        return list(accumulate(each[PATH] or 0.0 for each in values))


class Moving(Pipeline, frozen=True, kw_only=True):
    """A function of the buckets before each one, and `shift` more."""

    function: Windowed
    window: int
    shift: int

    def compute(self, values: Values) -> list[Number]:
        numbers = [each[PATH] for each in values]
        found = []
        for place in range(len(numbers)):
            end = max(0, place + self.shift)
            window = numbers[max(0, end - self.window) : end]
            found.append(self.function([each for each in window if each is not None]))
        return found


class Arithmetic(Pipeline, frozen=True, kw_only=True):
    """An expression of several values of each bucket; None where one is missing."""

    script: Script

    def compute(self, values: Values) -> list[Number]:
        return [self._compute_one(each) for each in values]

    def _compute_one(self, values: Mapping[str, Number]) -> Number:
        known = {name: value for name, value in values.items() if value is not None}
        return self.script(known) if len(known) == len(values) else None


def read_path(options: Members, kind: str) -> dict[str, str]:
    path = options.get("buckets_path")
    if not isinstance(path, str):
        raise malformed(f"[{kind}] aggregation, expected buckets_path to be a text")
    return {PATH: path}


def read_derivative(kind: str, options: Members) -> Pipeline:
    lag = 1 if kind == "derivative" else read_whole(options.get("lag", 1), "lag", 1, MOST_WINDOW)
    return Derivative(type=kind, paths=read_path(options, kind), lag=lag)


def read_cumulative_sum(kind: str, options: Members) -> Pipeline:
    return CumulativeSum(type="simple_value", paths=read_path(options, kind))


def read_moving(kind: str, options: Members) -> Pipeline:
    """`moving_fn`, and `moving_avg` of earlier releases, whose window includes the bucket itself."""
    is_average = kind == "moving_avg"
    return Moving(
        type="simple_value",
        paths=read_path(options, kind),
        function=read_model(options)
        if is_average
        else read_function(read_text(options, "script", "")),
        window=read_whole(options.get("window", 5), "window", 1, MOST_WINDOW),
        shift=1
        if is_average
        else read_whole(options.get("shift", 0), "shift", -MOST_WINDOW, MOST_WINDOW),
    )


def read_model(options: Members) -> Windowed:
    model = read_text(options, "model", "simple")
    if model == "ewma":
        settings = read_object(options.get("settings", {}), "settings")
        alpha = read_number(settings.get("alpha", 0.3), "alpha")
        return lambda values: smooth(values, alpha)
    if model not in MODELS:
        raise unsupported(
            f"[moving_avg] of model {model[:80]}, expected one of simple, linear, ewma"
        )
    return WINDOWED[MODELS[model]]


def read_function(script: str) -> Windowed:
    match = MOVING.fullmatch(script)
    name = match["name"] if match else ""
    if match and name == "ewma":
        alpha = read_number(match["argument"], "alpha")
        return lambda values: smooth(values, alpha)
    if name not in WINDOWED:
        known = ", ".join([*WINDOWED, "ewma"])
        raise unsupported(
            f"[moving_fn] script {script[:80]!r}, expected MovingFunctions with one of {known}"
        )
    return WINDOWED[name]


def read_bucket_script(kind: str, options: Members) -> Pipeline:
    paths = read_object(options.get("buckets_path"), "buckets_path")
    if not paths or not all(isinstance(each, str) for each in paths.values()):
        raise malformed(f"[{kind}] aggregation, expected buckets_path to be an object of texts")
    written = options.get("script")
    source = written.get("source", written.get("inline")) if isinstance(written, dict) else written
    if not isinstance(source, str):
        raise malformed(f"[{kind}] aggregation, expected a script")
    return Arithmetic(
        type="simple_value", paths=dict(paths), script=parse_script(source, frozenset(paths))
    )


PIPELINES: dict[str, Callable[[str, Members], Pipeline]] = {
    "derivative": read_derivative,
    "serial_diff": read_derivative,
    "cumulative_sum": read_cumulative_sum,
    "moving_fn": read_moving,
    "moving_avg": read_moving,
    "bucket_script": read_bucket_script,
}
