"""How much of a text is of a kind."""

from collections.abc import Callable, Sequence

from logboom.formats.auto.reading import anchor, compile_begins
from logboom.formats.multiline import Fold

ENOUGH = 0.5
"""A few foreign lines, such as a banner, do not make it another kind."""

MAX_LINES = 500


def share_of(is_one: Callable[[str], object], lines: Sequence[str]) -> float:
    return sum(map(bool, map(is_one, lines))) / max(1, len(lines))


def share_with(sign: str, is_one: Callable[[str], object], lines: Sequence[str]) -> float:
    """Do the same as `share_of`, but only for lines that have the sign, which is faster to look for."""
    return share_of(is_one, lines) if any(sign in line for line in lines) else 0.0


def fold_events(begins: str, lines: list[str]) -> list[str]:
    """Return the events that some lines are, if each starts with a line like this."""
    find_begins = compile_begins(anchor(begins))
    fold = Fold(find_begins, MAX_LINES)
    return fold.feed(lines) + fold.finish()
