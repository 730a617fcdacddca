"""What the checks of an alert would have found in the past, step by step."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

import msgspec

from logboom.alerts.check import FROM_ABOVE, MOST_ROWS, Outcome, check, judge
from logboom.base.clock import NS_PER_S, format_time
from logboom.base.errors import DeadlineExceeded, Invalid, LogboomError
from logboom.control.saved.alert_states import Number
from logboom.control.saved.alerts import Rule
from logboom.search.answers import Meter, Sliding, Windows, find_windows

MOST_STEPS = 20_000
FEW_STEPS = 120
"""The minimum number of steps of a query that must run separately for each step."""
PATIENCE_S = 5.0
"""How long such a query may run for more steps than the minimum."""


class Times(NamedTuple):
    """Times of checks at a fixed interval."""

    step_secs: int
    times_ns: tuple[int, ...]


class TimedOutcome(NamedTuple):
    time_ns: int
    outcome: Outcome


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one check; `error` says why there is none."""

    time: str
    value: Number | None
    is_met: bool
    error: str | msgspec.UnsetType = msgspec.UNSET


class Firing(msgspec.Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """From the first check that meets the condition to the first that does not; `peak` is the most extreme value."""

    from_: str
    to: str
    peak: Number


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """The results of simulated checks. Not `complete` if time ran out: then it ends with the last finished step."""

    step_secs: int
    steps: list[Step]
    firings: list[Firing]
    seconds_firing: float
    complete: bool
    column: str


def list_times(from_ns: int, to_ns: int, every_secs: int) -> Times:
    """Return the checks in a range, the last at its end; spaced so that there are not too many."""
    if from_ns >= to_ns:
        raise Invalid(
            f"from {format_time(from_ns)} is not before to {format_time(to_ns)}", field="from"
        )
    every_ns = every_secs * NS_PER_S
    step_ns = every_ns * -((from_ns - to_ns) // (every_ns * MOST_STEPS))
    return Times(step_ns // NS_PER_S, tuple(range(to_ns, from_ns, -step_ns))[::-1])


def preview(meter: Meter, rule: Rule, times: Times) -> Preview:
    """Run an alert's checks over the past, as one query: all share its budget and its view of the store."""
    windows = slide(meter, rule, times)
    if windows is None:
        return summarise(rule, *refine(meter, rule, times))
    found = list[TimedOutcome]()
    for place, time_ns in enumerate(times.times_ns):
        outcome = attempt(meter, partial(judge_window, windows, rule, place))
        if outcome is None:
            break
        found.append(TimedOutcome(time_ns, outcome))
    return summarise(rule, times, found)


def slide(meter: Meter, rule: Rule, times: Times) -> Windows | None:
    """Return the results of all checks from one pass over the events, or None if the query must run for each check."""
    window_ns = rule.window_secs * NS_PER_S
    first_ns, count = times.times_ns[0] - window_ns, len(times.times_ns)
    sliding = Sliding(first_ns, window_ns, times.step_secs * NS_PER_S, count)
    try:
        return find_windows(meter, sliding, MOST_ROWS)
    except LogboomError:
        # A single window may still give a result, or the reason why not.
        return None


def refine(meter: Meter, rule: Rule, times: Times) -> tuple[Times, list[TimedOutcome]]:
    """Run the query check by check: first for a few over the whole range, then for twice as many while time permits."""
    known = dict[int, Outcome]()
    checked, found = times, list[TimedOutcome]()
    for level in list_levels(times):
        for time_ns in level.times_ns:
            if time_ns in known:
                continue
            is_late = bool(found) and meter.elapsed_s > PATIENCE_S
            outcome = None if is_late else attempt(meter, partial(check, meter, rule, time_ns))
            if outcome is None:
                return (checked, found) if found else (level, list_known(level, known))
            known[time_ns] = outcome
        checked, found = level, list_known(level, known)
    return checked, found


def list_levels(times: Times) -> Iterator[Times]:
    """Yield every n-th check, counted from the last one, down to all of them."""
    stride = 1
    while len(times.times_ns) > stride * FEW_STEPS:
        stride *= 2
    while stride:
        yield Times(times.step_secs * stride, times.times_ns[::-1][::stride][::-1])
        stride //= 2


def list_known(times: Times, known: Mapping[int, Outcome]) -> list[TimedOutcome]:
    return [TimedOutcome(each, known[each]) for each in times.times_ns if each in known]


def judge_window(windows: Windows, rule: Rule, place: int) -> Outcome:
    return judge(windows.measure(place), rule)


def attempt(meter: Meter, work: Callable[[], Outcome]) -> Outcome | None:
    """Return the result of the work, or None if time ran out."""
    if meter.is_out_of_time:
        return None
    try:
        return work()
    except DeadlineExceeded:
        return None
    except LogboomError as error:
        return Outcome(error=error.message)


def summarise(rule: Rule, times: Times, found: Sequence[TimedOutcome]) -> Preview:
    spans = find_spans(found)
    extreme = max if rule.operator in FROM_ABOVE else min
    return Preview(
        step_secs=times.step_secs,
        steps=[describe_step(each) for each in found],
        firings=[
            Firing(
                from_=format_time(span.from_ns),
                to=format_time(span.to_ns),
                peak=extreme(span.values),
            )
            for span in spans
        ],
        seconds_firing=sum(span.to_ns - span.from_ns for span in spans) / NS_PER_S,
        complete=len(found) == len(times.times_ns),
        column=next((each.outcome.column for each in found if each.outcome.column), rule.column),
    )


class Span(NamedTuple):
    """The values of consecutive checks that meet the condition."""

    from_ns: int
    to_ns: int
    values: list[Number]


def find_spans(found: Sequence[TimedOutcome]) -> list[Span]:
    """Return the spans in which the alert fires; the last one ends with the last check if it still fires then."""
    spans = []
    place = 0
    for is_met, group in groupby(found, key=lambda each: each.outcome.is_met):
        steps = list(group)
        place += len(steps)
        if is_met:
            end = found[min(place, len(found) - 1)]
            values = [each.outcome.value for each in steps if each.outcome.value is not None]
            spans.append(Span(steps[0].time_ns, end.time_ns, values))
    return spans


def describe_step(found: TimedOutcome) -> Step:
    outcome = found.outcome
    return Step(
        time=format_time(found.time_ns),
        value=outcome.value,
        is_met=outcome.is_met,
        error=outcome.error or msgspec.UNSET,
    )
