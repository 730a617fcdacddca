"""Sentences about numbers of events."""

SINGULAR = {"match": "matches", "have": "has"}


def count_events(count: int) -> str:
    return "1 event" if count == 1 else f"{count} events"


def say_events(count: int, verb: str) -> str:
    """`1 event matches`, `2 events match`."""
    return f"{count_events(count)} {SINGULAR[verb] if count == 1 else verb}"
