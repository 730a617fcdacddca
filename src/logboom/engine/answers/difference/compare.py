"""Compares selected events with the others, and ranks fields by how well their values separate them.

Fields that the selection itself tests are left out, because they would only repeat it, and so is the message. Fields
with few values are counted from the indexes of blocks if possible. Of other fields the most frequent values of the
selected events are compared, and numbers by ranges.
"""

from collections import defaultdict

import msgspec
import polars as pl
from msgspec import field
from msgspec.structs import replace

from logboom.base.structs import InternalStruct
from logboom.engine.answers.difference.frequent import Frequent
from logboom.engine.answers.difference.shares import (
    MIN_SCORE,
    Compared,
    Counts,
    FieldDifference,
    Groups,
    Key,
    compare_field,
    make_key,
)
from logboom.engine.answers.fields.listing import COUNTED, rank_names
from logboom.engine.answers.fields.panel import Panel
from logboom.engine.answers.rowwise import COUNT, check_rowwise
from logboom.engine.blocks.losses import Warning_
from logboom.engine.execution.find import Finder
from logboom.engine.pipes.choose.page import Page
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.terms.needs import need_node
from logboom.engine.terms.request import Request
from logboom.lang import ast
from logboom.model.columns import MESSAGE

MAX_FIELDS = 50
CANDIDATES = 64
"""How many values of a field with very many are compared."""
MIN_RARE = 0.2
"""The minimum score of a field with very many values: above what trace ids and the like reach by chance."""


class Difference(msgspec.Struct, frozen=True):
    """The fields with the highest scores first; `selected` and `rest` are the sizes of the two groups."""

    selected: int
    rest: int
    fields: list[FieldDifference]
    complete: bool = True
    warnings: list[Warning_] = []


class Tally(InternalStruct, frozen=True):
    """Counts of one group of events; `uncounted` fields have too many values, or lists."""

    events: int = 0
    present: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    values: dict[str, dict[Key, int]] = field(default_factory=lambda: defaultdict(dict))
    distinct: dict[str, int] = field(default_factory=dict)
    uncounted: set[str] = field(default_factory=set)

    def count(self, name: str) -> Counts:
        """Return the number of events for each value of the field; that of None is for events without one."""
        absent = max(self.events - self.present.get(name, 0), 0)
        return {**self.values.get(name, {}), **({None: absent} if absent else {})}


def compute_difference(finder: Finder, selected: Request) -> Difference:
    """Compare the events of `selected` with the others of the finder's request, which must include them."""
    whole, part = (prepare(finder, each) for each in (finder.request, selected))
    only = choose_fields(finder, whole, part)
    everything, chosen = (tally_fields(finder, each, only) for each in (whole, part))
    own = list_fields(selected) - list_fields(finder.request) | {MESSAGE.field}
    names = everything.present.keys() - own
    groups = Groups(chosen.events, max(everything.events - chosen.events, 0))
    if finder.stops or not groups.selected or not groups.rest:
        return answer(finder, groups, [])
    few = names - everything.uncounted - chosen.uncounted
    fields = compare_fields(few, chosen, everything, groups)
    if many := frozenset(names - few):
        add_frequent(finder, (whole, part), (everything, chosen), many)
        if not finder.stops:
            fields += compare_fields(many, chosen, everything, groups)
    return answer(finder, groups, fields, only)


def prepare(finder: Finder, request: Request) -> Request:
    prepared = finder.prepare(request)
    check_rowwise(finder, prepared, "a difference")
    return prepared


def list_fields(request: Request) -> frozenset[str]:
    return frozenset(need_node(request.query.filter).fields)


def choose_fields(finder: Finder, whole: Request, part: Request) -> frozenset[str] | None:
    """Return the fields to compare if there are very many: those first that the selected events may have."""
    ranked = rank_names(finder, whole, finder.list_blocks(whole))
    if len(ranked) <= COUNTED:
        return None
    near = rank_names(finder, part, finder.list_blocks(part))
    return frozenset(list(dict.fromkeys([*near, *ranked]))[:COUNTED])


def answer(
    finder: Finder,
    groups: Groups,
    fields: list[Compared],
    only: frozenset[str] | None = None,
) -> Difference:
    kept = [each for each in fields if each.field.score >= MIN_SCORE]
    ranked = sorted(kept, key=lambda each: each.order)[:MAX_FIELDS]
    warnings: list[Warning_] = [
        {"code": stop.code, "message": f"{stop.message}; expected a shorter time range"}
        for stop in finder.stops
    ]
    if only is not None:
        message = f"there are very many fields: only the {COUNTED} most frequent were compared"
        warnings.append({"code": "many_fields", "count": COUNTED, "message": message})
    warnings += finder.losses.list_warnings()
    return Difference(*groups, [each.field for each in ranked], finder.is_complete, warnings)


def compare_fields(
    names: frozenset[str] | set[str], chosen: Tally, everything: Tally, groups: Groups
) -> list[Compared]:
    return [
        compare_field(
            name,
            chosen.count(name),
            counts := everything.count(name),
            groups,
            everything.distinct.get(name, len(counts)),
        )
        for name in names
    ]


def tally_fields(finder: Finder, prepared: Request, only: frozenset[str] | None) -> Tally:
    """Count the values of every field that has few, among the events of a request."""
    tally = Tally(count_events(finder, prepared))
    for name, _, value, count, is_counted in run(finder, prepared, Panel(only)).iter_rows():
        if value is not None:
            tally.values[name][value] = count
            continue
        tally.present[name] += count
        if not is_counted:
            tally.uncounted.add(name)
    return tally


def run(finder: Finder, prepared: Request, pipe: MergePipe) -> pl.DataFrame:
    """Return the result of a pipe on the events of a request, which is not cached: there are too many such requests."""
    running = finder.start(prepared, pipe)
    if not isinstance(pipe, Panel) or pipe.only is not None:
        running.plan = replace(running.plan, text="")
    return running.reduce(finder.list_blocks(prepared)).frame


def count_events(finder: Finder, request: Request) -> int:
    query = ast.Query(request.query.filter, (*request.query.pipes, COUNT))
    counted: int = finder.find(replace(request, query=query), Page(0)).read_column("count")[0]
    return counted


def add_frequent(
    finder: Finder,
    requests: tuple[Request, Request],
    tallies: tuple[Tally, Tally],
    names: frozenset[str],
) -> None:
    """Count the most frequent values of the selected events, for fields with very many values."""
    everything, chosen = tallies
    for name in names:
        everything.values.pop(name, None)
        chosen.values.pop(name, None)
    found = Tally(chosen.events)
    read_frequent(run(finder, requests[1], Frequent(names)), found)
    groups = Groups(chosen.events, everything.events - chosen.events)
    telling = frozenset(name for name in found.values if may_be_significant(name, found, groups))
    among = {name: choose_candidates(found.values[name]) for name in telling}
    for request, tally in zip(requests, tallies, strict=True):
        read_frequent(run(finder, request, Frequent(telling, among)), tally)


def may_be_significant(name: str, found: Tally, groups: Groups) -> bool:
    """Return whether values of the selected events would be significant even if no other event had them.

    This excludes most ids before all other events are searched for them.
    """
    counts = found.values[name]
    return compare_field(name, counts, counts, groups, found.distinct[name]).field.score > MIN_RARE


def choose_candidates(values: Counts) -> frozenset[str | bool]:
    texts = sorted(
        (key for key in values if isinstance(key, str)), key=lambda key: (-values[key], key)
    )
    decoded = (msgspec.json.decode(key) for key in texts[:CANDIDATES])
    return frozenset(each for each in decoded if isinstance(each, str | bool))


def read_frequent(frame: pl.DataFrame, tally: Tally) -> None:
    for name, value, place, count in frame.iter_rows():
        if value is None and place is None:
            tally.distinct[name] = tally.distinct.get(name, 0) + count
            continue
        key = make_key(place) if value is None else value
        tally.values[name][key] = tally.values[name].get(key, 0) + count
