"""Saved queries: each has an owner, and is private or shared with everybody."""

from collections.abc import Mapping

from logboom.base.clock import Clock
from logboom.base.ids import make_ulid
from logboom.control.access.principal import Principal
from logboom.control.documents.records import apply_changes
from logboom.control.documents.store import Documents
from logboom.control.saved.questions import (
    Quota,
    SavedQuestion,
    Settle,
    check_length,
    check_question,
    check_quota,
    check_texts,
    measure_texts,
)
from logboom.control.saved.shared import SharedRecords

MOST_OF_AN_OWNER = 1_000
MOST_BYTES_OF_AN_OWNER = 4 << 20
MOST_BYTES = 32 << 20
MOST_COLUMNS = 200

Moment = str | int | float | None

CHANGEABLE = frozenset(
    {
        "name",
        "query",
        "filters",
        "description",
        "env",
        "index",
        "from_",
        "to",
        "columns",
        "is_shared",
    }
)


class SavedQuery(SavedQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A query with its environment, index and time range; `columns` are the columns to show."""

    from_: Moment = None
    to: Moment = None
    columns: tuple[str, ...] = ()
    is_shared: bool = False

    @property
    def size_bytes(self) -> int:
        """Approximate size when stored."""
        return super().size_bytes + measure_texts(self.columns)


class SavedQueries(SharedRecords[SavedQuery]):
    """All saved queries. Callers must check that the text can be parsed."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        super().__init__(documents, "queries", SavedQuery, check_queries, noun="saved query")
        self._clock = clock

    def create(
        self, owner: Principal, members: Mapping[str, object], settle: Settle[SavedQuery]
    ) -> SavedQuery:
        """Create a query; raise Conflict if the owner has another of that name."""
        now_ns = self._clock()
        blank = SavedQuery(
            id=make_ulid(now_ns),
            owner_id=owner.id,
            owner=owner.name,
            created_ns=now_ns,
            updated_ns=now_ns,
        )
        requested = change_query(blank, members)
        query = check_query(settle(None, requested))
        self._add(query)
        return query

    def update(
        self,
        writer: Principal,
        query_id: str,
        changes: Mapping[str, object],
        settle: Settle[SavedQuery],
        expected_generation: int | None = None,
    ) -> SavedQuery:
        """Replace the members named in `changes`; only the owner may unshare it."""

        def change(query: SavedQuery) -> SavedQuery:
            return check_query(settle(query, change_query(query, changes)))

        return self._change_by(writer, query_id, change, expected_generation)


def change_query(query: SavedQuery, changes: Mapping[str, object]) -> SavedQuery:
    return check_query(apply_changes(query, changes, CHANGEABLE))


def check_query(query: SavedQuery) -> SavedQuery:
    """Return the query; raise Invalid if a part of it is too long."""
    check_question("query", query)
    for name in ("from_", "to"):
        check_length(name.rstrip("_"), str(getattr(query, name)))
    check_texts("columns", query.columns, MOST_COLUMNS)
    return query


def check_queries(queries: Mapping[str, SavedQuery]) -> None:
    quota = Quota(
        "saved query", "saved queries", MOST_OF_AN_OWNER, MOST_BYTES_OF_AN_OWNER, MOST_BYTES
    )
    check_quota(queries, quota)
