"""How strongly a value is over- or under-represented in a selection, and how fields are ranked by that.

The strength of a value that is more frequent in the selection grows with the ratio of its shares (in bits) and with
the share of selected events that have it (its square root). A value that is less frequent counts like its opposite:
not having it. Chance is subtracted: naming one of many values costs bits as well, so that a difference counts only as
far as it saves more than that. Nothing is left of ids that only one event has.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import msgspec

from logboom.engine.answers.difference.ranges import NumberRange, find_place, make_range
from logboom.lang import ast
from logboom.lang.format.nodes import format_node
from logboom.model.columns import Scalar

MAX_VALUES = 10
MANY_NUMBERS = 16
"""Numbers with more distinct values are compared by ranges."""
MIN_SCORE = 0.02
DECIMALS = 6
OUTCOME_WEIGHT = 0.25
"""Levels, statuses and number ranges are outcomes, often the reason for the selection; origins explain more."""
NUMBER_WEIGHT = 0.75
"""Numbers are measurements more often than names."""
PRESENCE_WEIGHT = 0.5
"""Whether events have a field often only tells what kind of events they are."""
OUTCOMES = frozenset(
    {"level", "severity", "severity_text", "loglevel", "lvl", "status", "status_code"}
)
"""The last parts of names."""

Key: TypeAlias = str | NumberRange | None
"""A value as JSON, a range, or None for no value."""
Counts: TypeAlias = Mapping[Key, int]


class ValueShare(msgspec.Struct, frozen=True, omit_defaults=True):
    """How many selected and other events have a value; null stands for none.

    For a range of numbers the value is its text, and `low` (included) and `high` are its limits.
    """

    value: Scalar | None
    selected: int
    rest: int
    selected_share: float
    rest_share: float
    filter: str
    """Selects the events with this value."""
    low: float | None = None
    high: float | None = None


class FieldDifference(msgspec.Struct, frozen=True):
    """A field that separates the two groups: `score` is 0 if it does not at all, and near 1 if it does perfectly."""

    field: str
    score: float
    values: list[ValueShare]


class Groups(NamedTuple):
    """How many events are selected, and how many are not."""

    selected: int
    rest: int


class Scored(NamedTuple):
    strength: float
    share: ValueShare


class Compared(NamedTuple):
    """A field with the strengths of its two strongest values, and its number of values."""

    field: FieldDifference
    strengths: tuple[float, ...]
    distinct: int

    @property
    def order(self) -> tuple[tuple[float, ...], int, str]:
        """Among fields that are about as significant, those that are names come first."""
        return tuple(-round(each, 1) for each in self.strengths), -self.distinct, self.field.field


def compare_field(
    name: str, chosen: Counts, everything: Counts, groups: Groups, distinct: int
) -> Compared:
    """Compare one field, given its counts among the selected events and among all, and its number of values."""
    if count_numbers(everything) > MANY_NUMBERS:
        chosen, everything = gather_numbers(chosen), gather_numbers(everything)
    scored = [
        score_value(name, key, Groups(chosen.get(key, 0), of_all), groups, distinct)
        for key, of_all in everything.items()
    ]
    ranked = sorted(scored, key=order_value)
    strengths = tuple(each.strength for each in ranked[:2])
    score = round(1 - 2 ** -max(strengths, default=0.0), DECIMALS)
    kept = [each.share for each in ranked[:MAX_VALUES] if each.strength > 0]
    return Compared(FieldDifference(name, score, kept), strengths, distinct)


def order_value(scored: Scored) -> tuple[float, bool, str]:
    """Return the sort key of a value: over-represented values come before under-represented ones."""
    share = scored.share
    is_rarer = share.selected_share <= share.rest_share
    return -round(scored.strength, DECIMALS), is_rarer, str(share.value)


def score_value(name: str, key: Key, counts: Groups, groups: Groups, distinct: int) -> Scored:
    """Score a value that has these `counts`, of the `groups` of all events."""
    selected = min(counts.selected, groups.selected)
    rest = min(max(counts.rest - selected, 0), groups.rest)
    strength = 0.0
    if selected + rest > 1:
        opposite = Groups(groups.selected - selected, groups.rest - rest)
        strength = max(
            measure_strength(Groups(selected, rest), groups, distinct),
            measure_strength(opposite, groups, distinct),
        )
    value = describe_key(key)
    share = ValueShare(
        *(value, selected, rest),
        *(find_share(selected, groups.selected), find_share(rest, groups.rest)),
        write_filter(name, key),
        *(key if isinstance(key, NumberRange) else (None, None)),
    )
    return Scored(strength * choose_weight(name, key), share)


def measure_strength(counts: Groups, groups: Groups, distinct: int) -> float:
    """Return how much more frequent something is among the selected events, minus chance; never negative."""
    share = counts.selected / groups.selected
    expected = (counts.rest + 0.5) / (groups.rest + 1)
    if share <= max(expected, counts.rest / groups.rest):
        return 0.0
    saved_bits = groups.selected * diverge(share, expected)
    certainty = max(1 - math.log2(max(distinct, 1)) / saved_bits, 0.0) if saved_bits > 0 else 0.0
    return math.sqrt(share) * math.log2(share / expected) * certainty


def diverge(share: float, expected: float) -> float:
    """Return the bits per event that are saved by knowing its share instead of the expected one."""
    terms = ((share, expected), (1 - share, 1 - expected))
    return sum(one * math.log2(one / other) for one, other in terms if one > 0)


def choose_weight(name: str, key: Key) -> float:
    if key is None:
        return PRESENCE_WEIGHT
    if isinstance(key, NumberRange) or name.rpartition(".")[2] in OUTCOMES:
        return OUTCOME_WEIGHT
    return NUMBER_WEIGHT if is_number(key) else 1.0


def count_numbers(counts: Counts) -> int:
    return sum(isinstance(key, str) and is_number(key) for key in counts)


def is_number(key: str) -> bool:
    """Return whether JSON text is a number."""
    return key[:1] == "-" or key[:1].isdigit()


def gather_numbers(counts: Counts) -> dict[Key, int]:
    """Return the counts of ranges instead of single numbers."""
    gathered: dict[Key, int] = {}
    for key, count in counts.items():
        kept = key
        if isinstance(key, str) and is_number(key):
            kept = make_key(find_place(float(msgspec.json.decode(key))))
        gathered[kept] = gathered.get(kept, 0) + count
    return gathered


def make_key(place: int) -> Key:
    found = make_range(place)
    return found if isinstance(found, NumberRange) else str(found)


def describe_key(key: Key) -> Scalar | None:
    if isinstance(key, NumberRange):
        low, high = (None if limit is None else f"{limit:.12g}" for limit in key)
        if low is None:
            return f"below {high}"
        return f"{low} and above" if high is None else f"{low} to {high}"
    value: Scalar | None = None if key is None else msgspec.json.decode(key)
    return value


def write_filter(name: str, key: Key) -> str:
    node: ast.Filter
    if key is None:
        node = ast.Not(ast.Exists(name))
    elif isinstance(key, NumberRange):
        low, high = (None if limit is None else make_quantity(limit) for limit in key)
        node = ast.Range(name, low, high, includes_high=high is None)
    else:
        value = msgspec.json.decode(key)
        node = ast.Exact(name, value if isinstance(value, str) else key)
    return format_node(node)


def make_quantity(limit: float) -> ast.Quantity:
    return ast.Quantity(int(limit) if limit.is_integer() else limit)


def find_share(part: int, whole: int) -> float:
    return round(part / whole, DECIMALS) if whole else 0.0
