"""Random events: few names and values, of every type, near every limit, often missing."""

from random import Random
from typing import Any

from tests.engine.reference.values import Row

START_NS = 1_700_000_000_000_000_000
STEP_NS = 10**9
TEXTS = (
    "a",
    "A",
    "b",
    "ab",
    "Ab",
    "error",
    "Err",
    "x y",
    "",
    "1",
    "2.5",
    " 7 ",
    "true",
    "9007199254740993",
)
INTEGERS = (0, 1, 2, -3, 7, 500, 503, 2**53 + 1, 2**63 - 1, -(2**63))
FLOATS = (0.5, -2.25, 1.0, 2.5, 1000.0, float(2**53))
MESSAGES = ("error a", "b ab", "x y 1", "true 2.5", "done 7")
STATUSES: tuple[Any, ...] = (200, 404, 500, 503, "500", None)
SIZES = (0, 1, 5, 30, 60)


def make_events(random: Random) -> list[dict[str, Any]]:
    """Return random events, each newer than the one before, with their places as `id`."""
    return [make_event(random, place) for place in range(random.choice(SIZES))]


def make_event(random: Random, place: int) -> dict[str, Any]:
    drawn: dict[str, Any] = {
        "n": random.choice(INTEGERS),
        "f": random.choice(FLOATS),
        "s": random.choice(TEXTS),
        "m": random.choice((*INTEGERS, *FLOATS, *TEXTS, True, False)),
        "flag": random.choice((True, False)),
        "tags": random.choices(TEXTS, k=random.randint(0, 3)),
        "sizes": random.choices(INTEGERS, k=random.randint(1, 3)),
        "http": {"status": random.choice(STATUSES)},
        "message": random.choice(MESSAGES),
    }
    kept = {name: value for name, value in drawn.items() if random.random() < 0.7}
    return {"id": place, "timestamp": START_NS + place * STEP_NS, **kept}


def make_row(event: dict[str, Any]) -> Row:
    """Return the fields of an event; nested ones by their path, empty lists are no value."""
    row = {name: value for name, value in event.items() if name not in ("http", "timestamp")}
    row["http.status"] = event.get("http", {}).get("status")
    return {name: value for name, value in row.items() if value not in (None, [])}
