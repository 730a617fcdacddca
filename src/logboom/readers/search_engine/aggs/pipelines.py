"""Computations on the buckets around them: differences, sums, moving windows and arithmetic."""

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from datetime import UTC
from itertools import accumulate
from statistics import fmean, pstdev
from typing import Any

from logboom.base.patterns import compile_later
from logboom.readers.search_engine.aggs.intervals import read_interval
from logboom.readers.search_engine.aggs.metrics import read_number
from logboom.readers.search_engine.aggs.nodes import Answer, Pipeline
from logboom.readers.search_engine.aggs.paths import GAPS, NUMBER_KEY
from logboom.readers.search_engine.aggs.scripts import Script, parse_script
from logboom.readers.search_engine.dsl.context import malformed, unsupported
from logboom.readers.search_engine.dsl.members import (
    Members,
    read_object,
    read_text,
    read_whole,
    show,
)
from logboom.readers.search_engine.hits.moments import NS_PER_MS

PATH, KEY = "value", "key"
MOST_WINDOW = 10_000

Number = float | None
Values = list[dict[str, Any]]
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


class Computed(Pipeline, frozen=True, kw_only=True):
    """A number for each bucket."""

    @abstractmethod
    def compute(self, values: Values) -> list[Number]:
        """Return one number for each bucket, or None, from what was read of each."""

    def list_answers(self, values: Values) -> list[Answer | None]:
        return [None if number is None else {"value": number} for number in self.compute(values)]


class Derivative(Computed, frozen=True, kw_only=True):
    """The difference to the bucket `lag` before; with `unit_ms` also for each such time between their keys."""

    lag: int
    unit_ms: float | None = None

    def compute(self, values: Values) -> list[Number]:
        return self._subtract(values, PATH)

    def _subtract(self, values: Values, name: str) -> list[Number]:
        numbers = [each[name] for each in values]
        return [
            subtract(number, numbers[place - self.lag] if place >= self.lag else None)
            for place, number in enumerate(numbers)
        ]

    def list_answers(self, values: Values) -> list[Answer | None]:
        answers = super().list_answers(values)
        if self.unit_ms is None:
            return answers
        spans = self._subtract(values, KEY)
        return [
            answer and answer | {"normalized_value": answer["value"] * self.unit_ms / (span or 1)}
            for answer, span in zip(answers, spans, strict=True)
        ]


def subtract(number: Number, before: Number) -> Number:
    return None if number is None or before is None else number - before


class CumulativeSum(Computed, frozen=True, kw_only=True):
    """The sum of all buckets so far."""

    def compute(self, values: Values) -> list[Number]:
        return list(accumulate(each[PATH] or 0.0 for each in values))


class Moving(Computed, frozen=True, kw_only=True):
    """A function of the buckets before each one, and `shift` more; those without a value do not count."""

    function: Windowed
    window: int
    shift: int

    def compute(self, values: Values) -> list[Number]:
        numbers = [each[PATH] for each in values]
        known = [each for each in numbers if each is not None]
        found: list[Number] = []
        place = 0
        for number in numbers:
            end = max(0, place + self.shift)
            window = known[max(0, end - self.window) : end]
            found.append(None if number is None else self.function(window))
            place += number is not None
        return found


class Arithmetic(Computed, frozen=True, kw_only=True):
    """An expression of several values of each bucket; None where one is missing."""

    script: Script

    def compute(self, values: Values) -> list[Number]:
        return [run_script(self.script, each) for each in values]


class Normalised(Computed, frozen=True, kw_only=True):
    """All numbers on another scale."""

    method: Callable[[list[float]], Callable[[float], float]]

    def compute(self, values: Values) -> list[Number]:
        numbers = [each[PATH] for each in values]
        known = [each for each in numbers if each is not None]
        if not known:
            return numbers
        rescale = self.method(known)
        return [None if each is None else divide(rescale, each) for each in numbers]


def divide(rescale: Callable[[float], float], number: float) -> Number:
    try:
        return rescale(number)
    except ZeroDivisionError:
        return None


def run_script(script: Script, values: Mapping[str, Any]) -> Any:
    known = {name: value for name, value in values.items() if isinstance(value, int | float)}
    return script(known) if len(known) == len(values) else None


def spread_to(top: float) -> Callable[[list[float]], Callable[[float], float]]:
    """Return the scale from 0 to `top`, between the smallest and the largest number."""

    def method(numbers: list[float]) -> Callable[[float], float]:
        low, high = min(numbers), max(numbers)
        return lambda number: top * (number - low) / (high - low)

    return method


def share(numbers: list[float]) -> Callable[[float], float]:
    total = math.fsum(numbers)
    return lambda number: number / total


def centre(numbers: list[float]) -> Callable[[float], float]:
    mean, width = fmean(numbers), max(numbers) - min(numbers)
    return lambda number: (number - mean) / width


def standardise(numbers: list[float]) -> Callable[[float], float]:
    mean, deviation = fmean(numbers), pstdev(numbers)
    return lambda number: (number - mean) / deviation


def soften(numbers: list[float]) -> Callable[[float], float]:
    total = math.fsum(map(math.exp, numbers))
    return lambda number: math.exp(number) / total


METHODS = {
    "rescale_0_1": spread_to(1),
    "rescale_0_100": spread_to(100),
    "percent_of_sum": share,
    "mean": centre,
    "z-score": standardise,
    "softmax": soften,
}


def read_path(options: Members, kind: str) -> dict[str, str]:
    path = options.get("buckets_path")
    if isinstance(path, list) and len(path) == 1:
        [path] = path
    if not isinstance(path, str):
        raise malformed(f"[{kind}] aggregation, expected buckets_path to be a text")
    return {PATH: path}


def read_gap(options: Members) -> str:
    gap = read_text(options, "gap_policy", "skip").lower()
    if gap not in GAPS:
        raise unsupported(f"[gap_policy] is {show(gap)}, expected one of {', '.join(GAPS)}")
    return gap


def read_derivative(kind: str, options: Members) -> Pipeline:
    paths = read_path(options, kind)
    is_first = kind == "derivative"
    unit = options.get("unit") if is_first else None
    return Derivative(
        type="derivative" if is_first else "simple_value",
        paths=paths if unit is None else {**paths, KEY: NUMBER_KEY},
        gap=read_gap(options),
        lag=1 if is_first else read_whole(options.get("lag", 1), "lag", 1, MOST_WINDOW),
        unit_ms=None if unit is None else read_unit(unit),
    )


def read_unit(unit: object) -> float:
    """Return how many milliseconds a unit of time has."""
    span = read_interval(None, None, unit, UTC, None).span
    if span is None:
        raise unsupported(f"[unit] is {show(unit)}, expected a unit of a fixed length")
    return float(span.scaled) / NS_PER_MS


def read_cumulative_sum(kind: str, options: Members) -> Pipeline:
    return CumulativeSum(type="simple_value", paths=read_path(options, kind), gap=read_gap(options))


def read_normalised(kind: str, options: Members) -> Pipeline:
    method = read_text(options, "method", "")
    if method not in METHODS:
        raise unsupported(f"[method] is {show(method)}, expected one of {', '.join(METHODS)}")
    return Normalised(
        type="simple_value",
        paths=read_path(options, kind),
        gap=read_gap(options),
        method=METHODS[method],
    )


def read_moving(kind: str, options: Members) -> Pipeline:
    """`moving_fn`, and `moving_avg` of earlier releases, whose window includes the bucket itself."""
    is_average = kind == "moving_avg"
    return Moving(
        type="simple_value",
        paths=read_path(options, kind),
        gap=read_gap(options),
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
    paths, script = read_script(kind, options)
    return Arithmetic(type="simple_value", paths=paths, gap=read_gap(options), script=script)


def read_script(kind: str, options: Members) -> tuple[dict[str, str], Script]:
    """Return a script and the paths of its values."""
    written = options.get("buckets_path")
    paths = (
        {"_value": written} if isinstance(written, str) else read_object(written, "buckets_path")
    )
    if not paths or not all(isinstance(each, str) for each in paths.values()):
        raise malformed(f"[{kind}] aggregation, expected buckets_path to be an object of texts")
    script = options.get("script")
    params = script.get("params", {}) if isinstance(script, dict) else {}
    source = script.get("source", script.get("inline")) if isinstance(script, dict) else script
    if not isinstance(source, str):
        raise malformed(f"[{kind}] aggregation, expected a script")
    constants = {
        name: read_number(each, name) for name, each in read_object(params, "params").items()
    }
    run = parse_script(source, frozenset({*paths, *constants}))
    return dict(paths), lambda values: run({**constants, **values})


COMPUTED: dict[str, Callable[[str, Members], Pipeline]] = {
    "derivative": read_derivative,
    "serial_diff": read_derivative,
    "cumulative_sum": read_cumulative_sum,
    "moving_fn": read_moving,
    "moving_avg": read_moving,
    "bucket_script": read_bucket_script,
    "normalize": read_normalised,
}
ORDERED = frozenset({"derivative", "serial_diff", "cumulative_sum", "moving_fn", "moving_avg"})
"""Those that need the order of a histogram."""
