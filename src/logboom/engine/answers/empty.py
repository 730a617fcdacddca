"""Explains why an answer has no rows: which part of the query finds nothing, and what is similar.

It uses a few counts and block indexes, within a short time limit; what it does not reach is left out.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import msgspec
from msgspec.structs import replace

from logboom.base.errors import Invalid, LogboomError
from logboom.base.structs import InternalStruct
from logboom.base.wording import say_events
from logboom.engine.answers.rowwise import COUNT
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.losses import Losses
from logboom.engine.execution.find import Finder
from logboom.engine.filters.skip import check_elsewhere, prepare
from logboom.engine.pipes.choose.page import Page
from logboom.engine.terms.bound import Filter
from logboom.engine.terms.limits import Budget
from logboom.engine.terms.needs import need_node
from logboom.engine.terms.request import END_NS, MIN_NS, Request, compile_globs
from logboom.engine.terms.tree import rebuild
from logboom.engine.terms.written import write_node
from logboom.lang import ast
from logboom.model.names import CORE_FIELDS, fold_name
from logboom.store.block.info import BlockInfo

log = logging.getLogger(__name__)

TIMEOUT_S = 2.0
MAX_CLAUSES = 10
MAX_TESTS = 20
"""For at most this many values of the query similar ones are searched."""
MAX_BLOCKS = 200
"""How many of the newest blocks have their indexes searched for names and values."""
MAX_NEAR = 3
INDEX = "_index"

CountBuffered = Callable[[str], int]
"""How many events of an environment are not in blocks yet."""


class Clause(msgspec.Struct, frozen=True):
    """A part of the filter that is joined to the others by AND, and how many events match it alone."""

    query: str
    hits: int


class NearFields(msgspec.Struct, frozen=True):
    """A field that no event has, and similar ones."""

    name: str
    near: list[str]


class NearValues(msgspec.Struct, frozen=True):
    """A value that the field never has, and similar ones."""

    field: str
    value: str
    near: list[str]


class Explanation(msgspec.Struct):
    """Why an answer has no rows.

    `outside_range` events match at other times, `any_field` events have the words in some field.
    These are None if they do not apply or time ran out; `buffered` events will be searchable soon.
    """

    clauses: list[Clause]
    fields: list[NearFields]
    values: list[NearValues]
    outside_range: int | None
    any_field: int | None
    buffered: int
    hint: str = ""


def is_blank(rows: Sequence[Mapping[str, object]]) -> bool:
    """Return whether an answer shows nothing: no rows, or a table or chart in which nothing was counted."""
    return all(
        value is None or value == 0
        for row in rows
        for name, value in row.items()
        if name != "_time"
    )


def explain_empty(
    finder: Finder, request: Request, count_buffered: CountBuffered, *, has_rows: bool = False
) -> Explanation | None:
    """Return why a prepared request was answered without rows, or with blank ones.

    Blank rows are explained only if no event matches: otherwise they describe the events.

    None if no explanation could be computed, which is logged: the answer is right without one.
    """
    try:
        explanation, matched = explain(finder, request, count_buffered)
    except LogboomError as error:
        log.info("an empty answer could not be explained", extra={"reason": error.message})
        return None
    except Exception:
        log.exception("an empty answer could not be explained")
        return None
    return None if has_rows and matched else explanation


def explain(
    finder: Finder, request: Request, count_buffered: CountBuffered
) -> tuple[Explanation, int | None]:
    """Return the explanation, and how many events match the filter."""
    limits = replace(finder.budget.limits, timeout_s=TIMEOUT_S)
    budget = Budget(limits, finder.budget.deadline, memory=finder.budget.memory)
    quick = replace(finder, budget=budget, runs=[], losses=Losses())
    search = EmptySearch(quick, request)
    # Without pipes it is already known that nothing matches.
    matched = search.count(request.query.filter) if request.query.pipes else 0
    values = {
        (each.field, each.value): each for each in (*search.list_indexes(), *search.list_values())
    }
    explanation = Explanation(
        fields=search.list_fields(),
        values=list(values.values()),
        outside_range=search.count_outside(),
        any_field=search.count_anywhere(matched),
        clauses=list(search.list_clauses(matched)),
        buffered=search.count_buffered(count_buffered),
    )
    explanation.hint = choose_hint(explanation, matched, has_events=bool(search.infos))
    return explanation, matched


class EmptySearch(InternalStruct, frozen=True, dict=True):
    """A prepared request that finds nothing."""

    finder: Finder
    request: Request

    @property
    def _filter(self) -> Filter:
        return self.request.query.filter

    def count(self, filter_: Any, **changes: Any) -> int | None:
        """Return how many events match a filter, or None if time is up, or if a part alone cannot be computed."""
        query = ast.Query(filter_, (COUNT,))
        request = replace(self.request, query=query, after=None, **changes)
        if not self.finder.is_complete or self.finder.budget.check_time():
            return None
        try:
            count: int = self.finder.find(request, Page(0)).read_column("count")[0]
        except Invalid:
            return None
        return None if self.finder.stops or self.finder.losses else count

    def list_clauses(self, matched: int | None) -> Iterator[Clause]:
        terms = self._filter.terms if isinstance(self._filter, ast.And) else (self._filter,)
        for term in terms[:MAX_CLAUSES]:
            hits = self.count(term) if len(terms) > 1 else matched
            if hits is not None:
                yield Clause(write_node(term), hits)

    def count_outside(self) -> int | None:
        """Count the events that match before and after the time range; return None without a range."""
        ranges = [
            (from_ns, to_ns)
            for from_ns, to_ns in ((MIN_NS, self.request.from_ns), (self.request.to_ns, END_NS))
            if from_ns < to_ns
        ]
        counts = [self._count_between(*each) for each in ranges]
        known = [count for count in counts if count is not None]
        return sum(known) if ranges and len(known) == len(counts) else None

    def _count_between(self, from_ns: int, to_ns: int) -> int | None:
        there = replace(self.request, after=None, from_ns=from_ns, to_ns=to_ns)
        if not self.finder.list_blocks(there):
            return 0
        return self.count(self._filter, from_ns=from_ns, to_ns=to_ns)

    def count_anywhere(self, matched: int | None) -> int | None:
        """Count the events that have the words in any field, given how many have them where they were searched."""
        widened = rebuild(self._filter, widen_word)
        if widened == self._filter:
            return None
        if isinstance(widened, ast.AnyField) and matched == 0:
            may_match = check_elsewhere(widened, ast.MESSAGE)
        else:
            may_match = prepare(widened)
        # Indexes tell about events at whatever time, which takes less than a search.
        is_known = len(self.blocks) == len(self.infos) < MAX_BLOCKS
        is_ruled_out = is_known and not any(map(may_match, self.blocks))
        return 0 if is_ruled_out else self.count(widened)

    @cached_property
    def infos(self) -> list[BlockInfo]:
        """The newest blocks at any time."""
        request = replace(self.request, from_ns=MIN_NS, to_ns=END_NS, after=None)
        return self.finder.list_blocks(request)[:MAX_BLOCKS]

    @cached_property
    def blocks(self) -> list[Block]:
        """Those blocks; none if they may contain names and values that the user must not see."""
        if not self.request.allowed.is_unlimited:
            return []
        blocks = [block for info in self.infos if (block := self.finder.try_open(info))]
        indexes = {name for block in blocks for name in block.index.indexes}
        return blocks if all(map(self.request.allowed.covers, indexes)) else []

    def count_buffered(self, count: CountBuffered) -> int:
        """Count the events that are not searchable yet, if the user may see all of them."""
        envs = self.request.envs if self.request.allowed.is_unlimited else ()
        return sum(map(count, envs))

    def list_fields(self) -> list[NearFields]:
        """Return the fields of the filter that no block has; empty if some fields may be hidden from the user."""
        if len(self.blocks) in (0, MAX_BLOCKS) or any(block.has_overflow for block in self.blocks):
            return []
        asked = need_node(self._filter).fields - {*CORE_FIELDS, ast.MESSAGE, "env", "index"}
        # `@f` also stands for `f`, so both are searched.
        asked -= {f"@{name}" for name in asked}
        missing = [
            name for name in sorted(asked) if not any(name in each.fields for each in self.blocks)
        ]
        known = Counter({name for block in self.blocks for name in block.fields} if missing else ())
        return [NearFields(name, find_near(name, known)) for name in missing]

    def list_indexes(self) -> list[NearValues]:
        """Return the requested indexes if none of them exists, as far as is known."""
        globs = self.request.indexes
        if len(self.blocks) in (0, MAX_BLOCKS) or "*" in globs:
            return []
        is_asked = compile_globs(globs).match
        if any(is_asked(name) for block in self.blocks for name in block.index.indexes):
            return []
        known = self._count_indexes()
        return [NearValues(INDEX, glob, find_near(glob, known)) for glob in globs]

    def _count_indexes(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for block in self.blocks:
            counts.update({name: part.events for name, part in block.index.indexes.items()})
        return counts

    def list_values(self) -> Iterator[NearValues]:
        """Yield values of the filter that their fields do not have, although they have others."""
        for field, text in dict.fromkeys(list_tests(self._filter)[:MAX_TESTS]):
            known = self._count_values(field, text)
            if known and not any(fold_name(value) == fold_name(text) for value in known):
                yield NearValues(field, text, find_near(text, known))

    def _count_values(self, field: str, text: str) -> Counter[str]:
        """Return the field's counted values; empty if the text may be among the others."""
        counts = self._count_indexes() if fold_name(field) == INDEX else Counter[str]()
        others = []
        for block in self.blocks:
            for column in block.find_columns(field):
                summary = block.summarise(column)
                if summary.values is None:
                    others.append(summary)
                else:
                    counts.update({str(value): count for value, count in summary.values})
        return Counter() if counts and any(each.may_hold(text) for each in others) else counts


def list_tests(node: Filter) -> list[tuple[str, str]]:
    """Return the fields and plain values that events must have, or one of them."""
    match node:
        case ast.And(terms) | ast.Or(terms):
            return [test for term in terms for test in list_tests(term)]
        case ast.Match(field, pattern) if field != ast.MESSAGE and pattern.text:
            return [(field, pattern.text)]
        case ast.Exact(field, text) if field != ast.MESSAGE:
            return [(field, text)]
        case ast.OneOf(field, patterns):
            return [(field, pattern.text) for pattern in patterns if pattern.text]
        case ast.ScopeFilter("index", pattern) if pattern.text:
            return [(INDEX, pattern.text)]
        case _:
            return []


def widen_word(node: Any) -> Any:
    is_word = isinstance(node, ast.Word) and node.text
    return ast.AnyField(ast.Pattern.literal(node.text)) if is_word else node


def find_near(text: str, known: Counter[str]) -> list[str]:
    """Return the known texts with a similar spelling, the closest first."""
    spellings = {fold_name(each): each for each, _ in reversed(known.most_common())}
    return [spellings[each] for each in get_close_matches(fold_name(text), spellings, n=MAX_NEAR)]


def choose_hint(found: Explanation, matched: int | None, *, has_events: bool) -> str:
    """Return the sentence that is most likely to help."""
    hints = [
        *hint_at_time(found, matched, has_events=has_events),
        *hint_at_names(found),
        *hint_at_clauses(found),
    ]
    return (*hints, "nothing matches the query")[0]


def hint_at_time(found: Explanation, matched: int | None, *, has_events: bool) -> Iterator[str]:
    if matched:
        yield f"{say_events(matched, 'match')} the filter, but the pipes after it leave no rows"
    if not has_events and found.buffered:
        yield f"{say_events(found.buffered, 'have')} arrived and will be searchable in a few seconds"
    if not has_events:
        yield "there are no events yet in the environment"
    if found.outside_range:
        yield f"{say_events(found.outside_range, 'match')} outside the time range"


def hint_at_names(found: Explanation) -> Iterator[str]:
    for field in found.fields:
        meant = f", did you mean {field.near[0]}?" if field.near else ""
        yield f"no event has a field {field.name}{meant}"
    for value in found.values:
        meant = f", did you mean {value.near[0]!r}?" if value.near else ""
        # The buffered events may be the first ones of an index.
        if value.field == INDEX and not found.buffered:
            yield f"there is no index {value.value!r}{meant}"
        elif value.field != INDEX and value.near:
            yield f"no event has {value.field} {value.value!r}{meant}"
    if found.any_field:
        yield f"{say_events(found.any_field, 'have')} it in fields other than the message, search for *:word"


def hint_at_clauses(found: Explanation) -> Iterator[str]:
    for clause in found.clauses:
        if not clause.hits and len(found.clauses) > 1:
            yield f"no event in the time range matches {clause.query}"
    if len(found.clauses) > 1:
        yield "each part of the filter matches some events, but none matches all parts"
    if found.buffered:
        yield f"{say_events(found.buffered, 'have')} arrived and will be searchable in a few seconds"
