"""What sets some events apart from the rest: values that are more, or less, frequent among them.

Fields with more values than are counted in passing are left out, and so are the fields that the selection itself
tests, which would only repeat it.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import msgspec

from logboom.engine.answers.fields.panel import Panel
from logboom.engine.answers.rowwise import COUNT, check_complete, check_rowwise
from logboom.engine.execution.find import Finder
from logboom.engine.pipes.choose.page import Page
from logboom.engine.terms.needs import need_node
from logboom.engine.terms.request import Request
from logboom.lang import ast
from logboom.model.columns import Scalar

MAX_FIELDS = 50
MAX_VALUES = 10
DECIMALS = 6


class ValueShare(msgspec.Struct, frozen=True):
    """How many events have a value among the selected ones and among the rest; null stands for having none."""

    value: Scalar | None
    selected: int
    rest: int
    selected_share: float
    rest_share: float


class FieldDifference(msgspec.Struct, frozen=True):
    """A field that tells the two groups apart: `score` is 0 if it does not at all, and 1 if it does perfectly."""

    field: str
    score: float
    values: list[ValueShare]


class Difference(msgspec.Struct, frozen=True):
    """The fields with the highest scores first; `selected` and `rest` are the sizes of the two groups."""

    selected: int
    rest: int
    fields: list[FieldDifference]


@dataclass(frozen=True)
class Tally:
    """Counts of one group of events; `uncounted` fields have too many values."""

    events: int
    present: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    values: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    uncounted: set[str] = field(default_factory=set)

    def count(self, name: str) -> dict[str | None, int]:
        """Events by the field's value as JSON; None counts those that have no value."""
        counts: dict[str | None, int] = {}
        counts.update(self.values.get(name, {}))
        counts[None] = max(self.events - self.present.get(name, 0), 0)
        return counts


def compute_difference(finder: Finder, selected: Request) -> Difference:
    """Compare the events of `selected` with the others of the finder's request, which must include them."""
    everything = tally_fields(finder, finder.request)
    chosen = tally_fields(finder, selected)
    own = list_fields(selected) - list_fields(finder.request)
    names = everything.present.keys() - everything.uncounted - own
    compared = (compare_field(name, chosen, everything) for name in names)
    ranked = sorted(
        (each for each in compared if each.score > 0), key=lambda each: (-each.score, each.field)
    )
    rest = max(everything.events - chosen.events, 0)
    return Difference(chosen.events, rest, ranked[:MAX_FIELDS])


def list_fields(request: Request) -> frozenset[str]:
    return frozenset(need_node(request.query.filter).fields)


def tally_fields(finder: Finder, request: Request) -> Tally:
    """Count the values of every field that has few, among the events of a request."""
    prepared = finder.prepare(request)
    check_rowwise(finder, prepared, "a difference")
    tally = Tally(count_events(finder, prepared))
    table = finder.start(prepared, Panel()).reduce(finder.list_blocks(prepared))
    check_complete(finder)
    for name, _, value, count, is_counted in table.frame.iter_rows():
        if value is None:
            tally.present[name] += count
            if not is_counted:
                tally.uncounted.add(name)
        else:
            tally.values[name][value] = count
    return tally


def count_events(finder: Finder, request: Request) -> int:
    query = ast.Query(request.query.filter, (*request.query.pipes, COUNT))
    counted: int = finder.find(replace(request, query=query), Page(0)).read_column("count")[0]
    return counted


def compare_field(name: str, chosen: Tally, everything: Tally) -> FieldDifference:
    of_all, of_chosen = everything.count(name), chosen.count(name)
    scored = sorted(
        score_values(of_chosen, of_all, chosen.events, everything.events),
        key=lambda pair: (-pair[0], str(pair[1].value)),
    )
    values = [value for score, value in scored[:MAX_VALUES] if score > 0]
    return FieldDifference(name, round(scored[0][0], DECIMALS), values)


def score_values(
    chosen: Mapping[str | None, int],
    everything: Mapping[str | None, int],
    selected: int,
    total: int,
) -> Iterator[tuple[float, ValueShare]]:
    rest = max(total - selected, 0)
    chance = expect_by_chance(selected, rest, len(everything))
    for text, of_all in everything.items():
        of_chosen = chosen.get(text, 0)
        of_rest = max(of_all - of_chosen, 0)
        shares = share(of_chosen, selected), share(of_rest, rest)
        value = None if text is None else msgspec.json.decode(text)
        score = max(diverge(*shares) - chance, 0.0)
        yield score, ValueShare(value, of_chosen, of_rest, *shares)


def share(part: int, whole: int) -> float:
    return round(min(part / whole, 1.0), DECIMALS) if whole else 0.0


def diverge(one: float, other: float) -> float:
    """The Jensen-Shannon divergence of two shares: 0 if they are equal, 1 if it is all against none."""
    middle = (one + other) / 2
    return measure_entropy(middle) - (measure_entropy(one) + measure_entropy(other)) / 2


def measure_entropy(part: float) -> float:
    return -sum(each * math.log2(each) for each in (part, 1 - part) if each > 0)


def expect_by_chance(selected: int, rest: int, values: int) -> float:
    """About how much the most different of so many values differs between two random groups of these sizes.

    Without it small groups and fields of many values would always rank high.
    """
    if not selected or not rest:
        return 1.0
    return (1 / selected + 1 / rest) / (8 * math.log(2)) * (1 + math.log(values))
