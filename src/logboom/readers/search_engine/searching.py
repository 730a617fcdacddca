"""One search: its hits, how many events match, and its aggregations."""

from collections.abc import Mapping
from typing import Any

from msgspec import field

from logboom.base.patterns import compile_later
from logboom.base.structs import MutableStruct
from logboom.lang import ast
from logboom.readers.search_engine.aggs import Gatherer, render_aggregations, settle
from logboom.readers.search_engine.asking import Asker
from logboom.readers.search_engine.body import Wanted, join_shown, read_body
from logboom.readers.search_engine.dsl import make_context, read_filter
from logboom.readers.search_engine.dsl.context import (
    EVERYTHING,
    KEYWORD,
    Names,
    join_all,
    unsupported,
)
from logboom.readers.search_engine.dsl.members import Members
from logboom.readers.search_engine.hits.collapse import KEY
from logboom.readers.search_engine.hits.making import find_score, make_hits
from logboom.readers.search_engine.places import Place
from logboom.search.answers import SearchAnswer

NAME = compile_later(rb"[\w.@-]++")
COUNT = ast.Stats((ast.Aggregate("count", name="count"),))


class Outcome(MutableStruct):
    """How long the answers took that make up a result, and why some of them are incomplete."""

    took_ms: float = 0.0
    timed_out: bool = False
    reasons: list[str] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        return not self.timed_out and not self.reasons

    def note(self, answer: SearchAnswer) -> None:
        self.took_ms += answer.took_ms
        if answer.complete:
            return
        for warning in answer.warnings:
            if warning.get("code") == "timeout":
                self.timed_out = True
            else:
                self.reasons.append(str(warning.get("message", "")))

    def describe_shards(self) -> dict[str, Any]:
        """Return the shards: every search has one."""
        shards: dict[str, Any] = {
            "total": 1,
            "successful": int(not self.reasons),
            "skipped": 0,
            "failed": int(bool(self.reasons)),
        }
        if self.reasons:
            reason = {"type": "search_phase_execution_exception", "reason": "; ".join(self.reasons)}
            shards["failures"] = [{"shard": 0, "reason": reason}]
        return shards


def find_names(asker: Asker, place: Place, mentioned: bytes, query: object) -> Names:
    """Return what the fields are called; only a request that mentions `.keyword` needs to look them up.

    Only events of the times of its query matter.
    """
    if KEYWORD.encode() not in mentioned:
        return Names()
    found = (name.decode("utf-8", "replace").lower() for name in NAME.findall(mentioned))
    wanted = frozenset(name for name in found if name.endswith(KEYWORD))
    filter_ = read_filter(query, make_context(asker.now_ns, Names()))
    terms = filter_.terms if isinstance(filter_, ast.And) else (filter_,)
    times = [term for term in terms if isinstance(term, ast.Between)]
    question = place.make_question(ast.Query(join_all(list(times))))
    return Names(asker.search.known_fields(asker.principal, question, wanted, asker.deadline))


class Search:
    """A search in progress."""

    def __init__(self, asker: Asker, place: Place, wanted: Wanted) -> None:
        self._asker = asker
        self._place = place
        self._wanted = wanted
        self.outcome = Outcome()

    def _ask(self, filter_: ast.Filter, *pipes: ast.Pipe, **options: object) -> SearchAnswer:
        part = self._wanted.part
        query = ast.Query(filter_, (part, *pipes) if part else pipes)
        answer = self._asker.ask(self._place.make_question(query, **options))
        self.outcome.note(answer)
        return answer

    def run(self, *, is_typed: bool) -> dict[str, Any]:
        """Run the search and return the whole answer."""
        wanted, page = self._wanted, self._wanted.page
        rows = self._find_rows()
        hits: dict[str, Any] = {}
        if wanted.counts:
            count = self._count(len(rows))
            hits["total"] = {
                "value": count,
                "relation": "eq" if self.outcome.is_complete else "gte",
            }
        shown = rows[page.offset :]
        hits["max_score"] = find_score(page) if shown else None
        hits["hits"] = self._make_hits(shown)
        aggregations = self._aggregate(is_typed=is_typed) if wanted.aggregations else None
        answer = {
            "took": int(self.outcome.took_ms),
            "timed_out": self.outcome.timed_out,
            "_shards": self.outcome.describe_shards(),
            "hits": hits,
        }
        return answer if aggregations is None else {**answer, "aggregations": aggregations}

    def _make_hits(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        wanted, collapse = self._wanted, self._wanted.collapse
        values = [row.pop(KEY, "") for row in rows]
        hits = make_hits(rows, wanted.page, wanted.highlighter)
        if collapse is not None:
            for hit, row in zip(hits, rows, strict=True):
                if shown := {**hit.get("fields", {}), **collapse.describe(row)}:
                    hit["fields"] = shown

            def ask(filter_: ast.Filter, *pipes: ast.Pipe, **options: Any) -> list[dict[str, Any]]:
                return self._ask(filter_, *pipes, **options).rows

            collapse.add_inner(hits, values, join_shown(wanted), ask)
        return hits

    def _find_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the hits, and of those before them that are skipped."""
        wanted, page = self._wanted, self._wanted.page
        if not page.size:
            return []
        filter_ = join_all([join_shown(wanted), wanted.after.filter])
        options = {"limit": page.end, "cursor": wanted.after.cursor, "raw": True}
        pipes = wanted.collapse.make_pipes(page) if wanted.collapse else ()
        return self._ask(filter_, *pipes, *page.order.make_pipes(page.end), **options).rows

    def _count(self, found: int) -> int:
        """Return how many events match, wherever the page starts."""
        wanted = self._wanted
        is_each = wanted.collapse is None
        is_first = is_each and wanted.after.cursor is None and wanted.after.filter == EVERYTHING
        is_all = found < wanted.page.end and self.outcome.is_complete
        if is_first and (is_all or self.outcome.timed_out):
            return found
        return self.count(join_shown(wanted))

    def count(self, filter_: ast.Filter) -> int:
        """Return how many events match a filter."""
        count: int = self._ask(filter_, COUNT).rows[0]["count"]  # type: ignore[assignment]
        return count

    def _aggregate(self, *, is_typed: bool) -> dict[str, Any]:
        """Return the aggregations over all events that match the query."""

        def ask(
            filter_: ast.Filter, pipes: tuple[ast.Pipe, ...], options: Mapping[str, Any]
        ) -> list[dict[str, Any]]:
            return self._ask(filter_, *pipes, **options).rows

        nodes = settle(self._wanted.aggregations, ask, self._wanted.matching)
        level = Gatherer(ask, self._wanted.matching).gather(nodes)
        return render_aggregations(nodes, level, is_typed=is_typed)


def run_search(
    asker: Asker, place: Place, body: Members, names: Names, *, is_typed: bool
) -> dict[str, Any]:
    """Run the search that a body asks for."""
    wanted = read_body(body, make_context(asker.now_ns, names))
    if wanted.part and asker.view is None:
        # Searches see the events of different moments, so that their slices would not fit together.
        raise unsupported("[slice] can only be used with [scroll] or [point-in-time] requests")
    return Search(asker, place, wanted).run(is_typed=is_typed)
