"""When things happen: load follows the day and the week, in slices of equal length."""

import math
from typing import NamedTuple

from logboom.base.clock import NS_PER_DAY, NS_PER_S

NS_PER_HOUR = 3600 * NS_PER_S
SLICES = 288

NIGHT = 0.2
PEAKS = ((12.5, 2.2, 0.55), (19.5, 2.6, 0.95))
"""The hour, width in hours and height of each peak: a lunch break and an evening."""
WEEKEND = 1.2
FIRST_MONDAY = 4
"""The first day of the epoch was a Thursday."""


class Period(NamedTuple):
    """The time that the samples cover, both ends included."""

    from_ns: int
    to_ns: int

    @property
    def length_ns(self) -> int:
        return self.to_ns - self.from_ns

    def find(self, share: float) -> int:
        """Return the time at this share of the period."""
        return self.from_ns + int(self.length_ns * share)

    def list_slices(self) -> list["Period"]:
        borders = [self.find(number / SLICES) for number in range(SLICES)] + [self.to_ns]
        return list(map(Period, borders, borders[1:]))


def weigh(time_ns: int) -> float:
    """Return how busy the shop is at a time, relative to other times."""
    day, rest_ns = divmod(time_ns, NS_PER_DAY)
    hour = rest_ns / NS_PER_HOUR
    level = NIGHT
    for peak, width, height in PEAKS:
        away = min(abs(hour - peak), 24 - abs(hour - peak))
        level += height * math.exp(-((away / width) ** 2) / 2)
    is_weekend = (day - FIRST_MONDAY) % 7 >= 5
    return level * WEEKEND if is_weekend else level
