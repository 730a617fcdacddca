"""How much of a text is of a kind."""

from collections.abc import Callable, Sequence

ENOUGH = 0.5
"""A few foreign lines, such as a banner, do not make it another kind."""


def share_of(is_one: Callable[[str], object], lines: Sequence[str]) -> float:
    return sum(map(bool, map(is_one, lines))) / max(1, len(lines))
