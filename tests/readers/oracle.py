"""The results of Loki's range functions, computed event by event in plain Python."""

import itertools
import statistics
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

Labels = dict[str, str]
Key = tuple[tuple[str, str], ...]
Series = dict[Key, dict[int, float]]
"""The values of each series by step."""


class Event(NamedTuple):
    time_ns: int
    line: str
    labels: Labels
    values: dict[str, float]


class Steps(NamedTuple):
    first_ns: int
    step_ns: int
    length: int

    def list_times(self) -> list[int]:
        return [self.first_ns + step * self.step_ns for step in range(self.length)]


Reduce = Callable[[list[Event]], float]


def key(labels: Mapping[str, str]) -> Key:
    return tuple(sorted(labels.items()))


def evaluate(
    events: Iterable[Event],
    steps: Steps,
    range_ns: int,
    reduce: Reduce,
    names: Iterable[str],
    offset_ns: int = 0,
) -> Series:
    """Return the values of a function of the events in `(t - range, t]`, by some labels."""
    found: Series = {}
    wanted = list(names)
    known = sorted(events, key=lambda event: event.time_ns)
    times = [event.time_ns for event in known]
    for step, time_ns in enumerate(steps.list_times()):
        groups: dict[Key, list[Event]] = {}
        end_ns = time_ns - offset_ns
        for event in known[bisect_right(times, end_ns - range_ns) : bisect_right(times, end_ns)]:
            labels = {name: event.labels[name] for name in wanted if name in event.labels}
            groups.setdefault(key(labels), []).append(event)
        for labels_, group in groups.items():
            found.setdefault(labels_, {})[step] = reduce(group)
    return found


def quantile(share: float, numbers: list[float]) -> float:
    """Return a quantile, interpolated between the two nearest numbers."""
    ordered = sorted(numbers)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def of_values(name: str, reduce: Callable[[list[float]], float]) -> Reduce:
    """Return a function of the values of the events, the oldest first."""

    def work(events: list[Event]) -> float:
        return reduce([event.values[name] for event in events])

    return work


def grow(numbers: list[float]) -> float:
    """From the first to the last; after a reset the counter begins at zero."""
    pairs = itertools.pairwise(numbers)
    return sum(after if after < before else after - before for before, after in pairs)


OF_VALUES: dict[str, Callable[[list[float]], float]] = {
    "sum_over_time": sum,
    "avg_over_time": statistics.fmean,
    "min_over_time": min,
    "max_over_time": max,
    "first_over_time": lambda numbers: numbers[0],
    "last_over_time": lambda numbers: numbers[-1],
    "stddev_over_time": statistics.pstdev,
    "stdvar_over_time": statistics.pvariance,
}
