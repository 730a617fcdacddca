"""Generates the samples: story after story in order of time, as lines of JSON."""

import random
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from logboom.base.clock import NS_PER_S, format_time
from logboom.base.errors import Invalid
from logboom.samples.background import make_last_event, make_remark
from logboom.samples.incident import Incident
from logboom.samples.journeys import Story, make_journey
from logboom.samples.symptoms import list_landmarks, make_symptom
from logboom.samples.topology import Event
from logboom.samples.traffic import NS_PER_HOUR, Period, weigh

BOUNDS = {"events": (1_000, 200_000), "hours": (1, 168), "seed": (0, 2**53 - 1)}
"""The smallest and largest value of each member of an order."""

BURST = 0.08
"""The share of all events that the incident alone produces."""
CUSTOMERS = 0.4
"""The share of customers among the other stories."""
PIECE_EVENTS = 5_000


class Order(NamedTuple):
    """How many events, over how many hours, until when; the same order always gives the same events."""

    events: int
    hours: int
    to_ns: int
    seed: int

    @property
    def period(self) -> Period:
        return Period(self.to_ns - self.hours * NS_PER_HOUR, self.to_ns)


def check_bounds(**values: int) -> None:
    """Raise Invalid, with the member's name as `field`, for a value out of range."""
    for name, value in values.items():
        least, most = BOUNDS[name]
        if not least <= value <= most:
            raise Invalid(f"{name} {value}, expected {least} to {most}", field=name)


def write_lines(order: Order) -> Iterator[bytes]:
    """Yield the ordered number of events, as pieces of whole lines; roughly in order of time, none after its end."""
    encoder = msgspec.json.Encoder()
    piece: list[Event] = []
    for event in list_events(order):
        event["timestamp"] = format_time(event["timestamp"])
        piece.append(event)
        if len(piece) == PIECE_EVENTS:
            yield encoder.encode_lines(piece)
            piece = []
    if piece:
        yield encoder.encode_lines(piece)


def list_events(order: Order) -> Iterator[Event]:
    """Yield the events, their times in nanoseconds."""
    rng = random.Random(order.seed)  # noqa: S311 - a story, no secret
    incident = Incident.within(order.period)
    fixed = list_landmarks(rng, incident, order.period)
    fixed.append(make_last_event(rng, incident, order.to_ns - NS_PER_S))
    made = len(fixed)
    for stretch, due, burst in plan(order, incident):
        while fixed and fixed[0]["timestamp"] < stretch.to_ns:
            yield fixed.pop(0)
        while made < due:
            time_ns = stretch.from_ns + int(rng.random() * stretch.length_ns)
            story = pick_story(rng, burst if incident.is_on(time_ns) else 0)
            told = [
                event
                for event in story(rng, incident, time_ns)
                if event["timestamp"] <= order.to_ns
            ][: order.events - made]
            made += len(told)
            yield from told


def pick_story(rng: random.Random, burst: float) -> Story:
    if rng.random() < burst:
        return make_symptom
    return make_journey if rng.random() < CUSTOMERS else make_remark


def plan(order: Order, incident: Incident) -> Iterator[tuple[Period, int, float]]:
    """Yield each slice of the period: the number of events up to its end, and the share that the incident produces."""
    slices = order.period.list_slices()
    usual = [weigh(each.from_ns) for each in slices]
    # If the incident covers only a part of a slice, that part counts.
    touched = [overlap(each, incident.window) for each in slices]
    height = sum(usual) * BURST / (1 - BURST) / sum(touched)
    extra = [height * share for share in touched]
    total = sum(usual) + sum(extra)
    due = 0.0
    for each, plain, more in zip(slices, usual, extra, strict=True):
        due += (plain + more) / total * order.events
        yield each, round(due), more / (plain + more)


def overlap(one: Period, other: Period) -> float:
    """Return the share of one period that overlaps the other."""
    common_ns = min(one.to_ns, other.to_ns) - max(one.from_ns, other.from_ns)
    return max(common_ns, 0) / one.length_ns
