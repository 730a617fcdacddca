"""The search service: one method for each kind of question about events."""

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
import polars as pl

from logboom.base.clock import Clock
from logboom.base.errors import Invalid, about
from logboom.base.process.deadline import Deadline
from logboom.control.access.principal import Principal
from logboom.engine.answers.context import Surroundings, find_surroundings
from logboom.engine.answers.difference.compare import Difference, compute_difference
from logboom.engine.answers.engine import Engine
from logboom.engine.answers.export import FORMATS
from logboom.engine.answers.fields.complete import Suggestion, suggest
from logboom.engine.answers.fields.listing import (
    FieldPage,
    NamePage,
    WantedFields,
    list_fields,
    list_names,
)
from logboom.engine.answers.fields.panel import ValueCount
from logboom.engine.answers.fields.tally import count_values
from logboom.engine.answers.fields.types import FieldTypes, list_types
from logboom.engine.answers.figures import Meter
from logboom.engine.answers.histogram import Bars, Histogram, compute_histogram
from logboom.engine.answers.indexes import IndexSummary, list_indexes
from logboom.engine.answers.known import find_fields, find_indexes
from logboom.engine.answers.search import SearchAnswer
from logboom.engine.answers.tail import Tail
from logboom.engine.answers.windows import list_groups
from logboom.engine.blocks.losses import Warning_
from logboom.engine.execution.find import Finder
from logboom.engine.pipes.groups.windows import Sliding
from logboom.engine.terms.limits import OnProgress
from logboom.engine.terms.request import Request
from logboom.lang import ast
from logboom.lang.complete import find_site
from logboom.lang.dump import dump
from logboom.lang.format import format_query
from logboom.search.idle import IdleCaches
from logboom.search.question import Question
from logboom.search.saved import make_canonical
from logboom.search.scope import Resources, make_request, read_words
from logboom.search.streams import Streams
from logboom.search.views import View, Views
from logboom.store.catalog.snapshot import Snapshot

T = TypeVar("T")


class ParseAnswer(msgspec.Struct, frozen=True):
    """The query in canonical form, its syntax tree, and notices where it was ambiguous."""

    query: str
    ast: Any
    notices: list[dict[str, str]]


class Listed(NamedTuple, Generic[T]):
    """A result, and warnings about what could not be read."""

    found: T
    warnings: list[Warning_]


class SearchService:
    """Answers questions on behalf of a principal. Thread-safe.

    Each method counts as one query against the concurrency limit: Overloaded if there is no room. A question that is
    invalid, or not allowed for this principal, is an error that names its member.
    """

    def __init__(self, engine: Engine, resources: Resources, clock: Clock) -> None:
        self._engine = engine
        self._caches = IdleCaches(engine)
        self._resources = resources
        self._clock = clock
        self.views = Views()
        self.streams = Streams()

    @property
    def timeout_s(self) -> float:
        """How long a question may take."""
        return self._engine.limits.timeout_s

    def rest(self) -> bool:
        """Drop views and caches that were not used for a while; return whether caches were dropped."""
        now_ns = self._clock()
        self.views.drop_expired(now_ns)
        return self._caches.give_up(now_ns)

    def search(
        self,
        principal: Principal,
        question: Question,
        deadline: Deadline | None = None,
        on_progress: OnProgress | None = None,
        *,
        view: View | None = None,
        explains: bool = True,
    ) -> SearchAnswer:
        """Return rows, of a view or of the newest events; with `explains` an empty first page has an explanation."""
        request = self._make_request(question, principal)
        snapshot = None if view is None else view.snapshot
        return self._engine.search(
            request, deadline, on_progress, explains=explains, snapshot=snapshot
        )

    def take_view(self) -> View:
        """Return a view of the events as they are now."""
        return View(self._engine.store.snapshot())

    def histogram(
        self, principal: Principal, question: Question, bars: Bars, deadline: Deadline | None = None
    ) -> Histogram:
        """Return the number of events over time."""
        return self._ask(
            principal, question, lambda finder: compute_histogram(finder, bars), deadline
        )

    def tail(
        self,
        principal: Principal,
        question: Question,
        after: str | None = None,
        deadline: Deadline | None = None,
    ) -> Tail:
        """Return events as they become searchable, from now on or after the token of an earlier tail."""
        return self._ask(principal, question, lambda finder: Tail(finder, after), deadline)

    def snapshot(self) -> Snapshot:
        """Return the live blocks, which a tail compares with those that it has seen."""
        return self._engine.store.snapshot()

    def export(
        self,
        principal: Principal,
        question: Question,
        format_: str,
        columns: tuple[str, ...] | None,
        stopped: Deadline,
        deadline: Deadline | None = None,
    ) -> Generator[bytes, None, None]:
        """Return everything that matches, in pieces. The first rows are found now; later `stopped` ends the export."""

        def begin(finder: Finder) -> Generator[bytes, None, None]:
            pieces = FORMATS[format_].write(finder, columns)
            finder.budget.deadline = stopped
            return pieces

        return self._ask(principal, question, begin, deadline)

    def context(
        self,
        principal: Principal,
        question: Question,
        event_id: str,
        wanted: ast.Context,
        deadline: Deadline | None = None,
    ) -> Surroundings:
        """Return an event and those around it; raise NotFound if the question's environments have no such event."""
        return self._ask(
            principal,
            question,
            lambda finder: find_surroundings(finder, event_id, wanted),
            deadline,
        )

    def fields(
        self,
        principal: Principal,
        question: Question,
        wanted: WantedFields,
        deadline: Deadline | None = None,
    ) -> Listed[FieldPage]:
        """Return a page of the events' fields with exact counts."""
        return self._list(principal, question, lambda finder: list_fields(finder, wanted), deadline)

    def field_names(
        self,
        principal: Principal,
        question: Question,
        wanted: WantedFields,
        deadline: Deadline | None = None,
    ) -> Listed[NamePage]:
        """Return a page of field names only; some may belong to other events."""
        return self._list(principal, question, lambda finder: list_names(finder, wanted), deadline)

    def field_types(
        self, principal: Principal, question: Question, deadline: Deadline | None = None
    ) -> Mapping[str, FieldTypes]:
        """Return the types of the fields of each index; some may belong to other events."""
        return self._ask(principal, question, list_types, deadline)

    def known_fields(
        self,
        principal: Principal,
        question: Question,
        names: frozenset[str],
        deadline: Deadline | None = None,
    ) -> frozenset[str]:
        """Return which of these fields, given folded, exist."""
        return self._ask(principal, question, lambda finder: find_fields(finder, names), deadline)

    def known_indexes(
        self,
        principal: Principal,
        question: Question,
        names: frozenset[str],
        deadline: Deadline | None = None,
    ) -> frozenset[str]:
        """Return which of these indexes have events."""
        return self._ask(principal, question, lambda finder: find_indexes(finder, names), deadline)

    def values(
        self,
        principal: Principal,
        question: Question,
        field: str,
        prefix: str = "",
        deadline: Deadline | None = None,
    ) -> Listed[list[ValueCount]]:
        """Return the `limit` most frequent values of a field that start with a prefix."""
        return self._list(
            principal,
            question,
            lambda finder: count_values(finder, field, prefix, question.limit),
            deadline,
        )

    def difference(
        self,
        principal: Principal,
        question: Question,
        selection: str,
        deadline: Deadline | None = None,
    ) -> Difference:
        """Return what distinguishes the events that match `selection` from the question's other events."""
        narrowed = msgspec.structs.replace(question, filter=selection)
        selected = self._make_request(narrowed, principal)
        return self._ask(
            principal, question, lambda finder: compute_difference(finder, selected), deadline
        )

    def indexes(
        self,
        principal: Principal,
        question: Question,
        by_env: bool = False,
        deadline: Deadline | None = None,
    ) -> Listed[list[IndexSummary]]:
        """Return the indexes of the question's environments."""
        return self._list(
            principal, question, lambda finder: list_indexes(finder, by_env=by_env), deadline
        )

    def complete(
        self,
        principal: Principal,
        question: Question,
        typed: str,
        position: int,
        deadline: Deadline | None = None,
    ) -> list[Suggestion]:
        """Return completions at a position of a query; the question says where to look."""
        site = find_site(typed, position)
        return self._ask(principal, question, lambda finder: suggest(finder, site), deadline)

    def measure(
        self,
        principal: Principal,
        question: Question,
        work: Callable[[Meter], T],
        deadline: Deadline | None = None,
    ) -> T:
        """Run work that evaluates the question over one or more time ranges."""
        request = self._make_measurable(question, principal)
        return self._engine.ask(lambda finder: work(Meter(finder)), request, deadline)

    def list_groups(
        self,
        principal: Principal,
        question: Question,
        sliding: Sliding,
        keys: Sequence[str],
        figure: str,
        deadline: Deadline | None = None,
    ) -> Listed[pl.DataFrame]:
        """Return the groups that the question's `stats` makes in many windows: keys, by their numbers, and one figure."""
        return self._list(
            principal,
            question,
            lambda finder: list_groups(finder, sliding, keys, figure),
            deadline,
        )

    def parse(self, principal: Principal, question: Question) -> ParseAnswer:
        """Return how the query is parsed; nothing is run."""
        with about("env"):
            self._resources.choose_envs(question.env, principal)
        reading = read_words(question)
        notices = [notice.to_dict() for notice in reading.notices]
        return ParseAnswer(format_query(reading.query), dump(reading.query), notices)

    def check(self, principal: Principal, question: Question) -> None:
        """Raise what any other method would raise about the question itself."""
        self._make_request(question, principal)

    def keep(
        self, principal: Principal, question: Question, before: Question | None = None
    ) -> Question:
        """Return the question in canonical form, to be stored; an error if it is not valid.

        `before` is what was stored so far: if nothing changes, nothing is checked.
        """
        if question == before:
            return question
        canonical = make_canonical(question, before)
        self.check(principal, canonical)
        return canonical

    def keep_measurable(
        self, principal: Principal, question: Question, before: Question | None = None
    ) -> Question:
        """Do what `keep` does, for a question that must be measurable; this is always checked."""
        canonical = make_canonical(question, before)
        self._make_measurable(canonical, principal)
        return canonical

    def _make_measurable(self, question: Question, principal: Principal) -> Request:
        with about("query"):
            request = self._make_request(question, principal)
            if any(isinstance(pipe, ast.Explain) for pipe in request.query.pipes):
                raise Invalid("explain shows a plan, expected a query that finds events")
        return request

    def _make_request(self, question: Question, principal: Principal) -> Request:
        now_ns = self._clock()
        self._caches.note_question(now_ns)
        return make_request(question, principal, self._resources, now_ns)

    def _ask(
        self,
        principal: Principal,
        question: Question,
        work: Callable[[Finder], T],
        deadline: Deadline | None,
    ) -> T:
        return self._engine.ask(work, self._make_request(question, principal), deadline)

    def _list(
        self,
        principal: Principal,
        question: Question,
        work: Callable[[Finder], T],
        deadline: Deadline | None,
    ) -> Listed[T]:
        return self._ask(
            principal,
            question,
            lambda finder: Listed(work(finder), finder.losses.list_warnings()),
            deadline,
        )
