"""Numbers in sentences."""

SINGULAR = {"match": "matches", "have": "has"}


def count(number: int, noun: str) -> str:
    """Return a number with its noun, such as `1 block` or `2 blocks`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def count_events(number: int) -> str:
    return count(number, "event")


def say_events(number: int, verb: str) -> str:
    """Return how many events do something, such as `1 event matches` or `2 events match`."""
    return f"{count_events(number)} {SINGULAR[verb] if number == 1 else verb}"
