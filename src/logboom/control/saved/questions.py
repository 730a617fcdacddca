"""What saved queries, alerts and dashboards have in common, and limits on their number and size."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias, TypeVar

from logboom.base.errors import Conflict, Invalid, TooLarge
from logboom.control.documents.records import Record, check_label
from logboom.control.registry.environments import DEFAULT_ENVIRONMENT

LONGEST_NAME = 200
LONGEST_QUERY_BYTES = 64 << 10
LONGEST_TEXT = 2_000
MOST_FILTERS = 100


class Owned(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A record with an owner; `owner` is the owner's last known name."""

    owner_id: str
    owner: str
    created_ns: int
    updated_ns: int
    name: str = ""

    @property
    def is_shared(self) -> bool:
        """Whether everybody may see it."""
        return False

    @property
    def size_bytes(self) -> int:
        """Approximate size when stored."""
        return measure_texts((self.name,))


class SavedQuestion(Owned, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A stored query and where it searches. Events must match `filters` as well.

    It grants nobody access. Query and filters are canonical, unless an earlier release stored them as typed.
    """

    query: str = ""
    filters: tuple[str, ...] = ()
    description: str = ""
    env: str = DEFAULT_ENVIRONMENT
    index: str = "*"
    is_canonical: bool = False

    @property
    def size_bytes(self) -> int:
        """Approximate size when stored."""
        texts = (self.name, self.query, self.description, self.env, self.index, *self.filters)
        return measure_texts(texts)


Kind = TypeVar("Kind", bound=Owned)

Settle: TypeAlias = Callable[[Kind | None, Kind], Kind]
"""Turns what a user wants to save into what is stored, given the previous version; raises to refuse it."""


class Quota(NamedTuple):
    """Limits on the number and size of an owner's records."""

    noun: str
    plural: str
    most_of_an_owner: int
    most_bytes_of_an_owner: int
    most_bytes: int


def measure_texts(texts: tuple[str, ...]) -> int:
    return sum(len(text.encode()) for text in texts)


def check_question(noun: str, question: SavedQuestion) -> None:
    """Raise Invalid if a part of it is too long."""
    check_label(noun, question.name, LONGEST_NAME)
    size_bytes = len(question.query.encode())
    if size_bytes > LONGEST_QUERY_BYTES:
        raise Invalid(
            f"the query has {size_bytes} bytes, expected at most {LONGEST_QUERY_BYTES}",
            field="query",
        )
    for name in ("description", "env", "index"):
        check_length(name, getattr(question, name))
    check_texts("filters", question.filters, MOST_FILTERS)


def check_texts(field: str, texts: tuple[str, ...], most: int) -> None:
    if len(texts) > most:
        raise Invalid(f"there are {len(texts)} {field}, expected at most {most}", field=field)
    for text in texts:
        check_length(field, text)


def check_length(field: str, text: str) -> None:
    if len(text) > LONGEST_TEXT:
        raise Invalid(
            f"{field} has {len(text)} characters, expected at most {LONGEST_TEXT}", field=field
        )


def check_quota(records: Mapping[str, Owned], quota: Quota) -> None:
    """Raise Conflict if an owner has a name twice or too many records, TooLarge if they take too much space."""
    names: set[tuple[str, str]] = set()
    counts: Counter[str] = Counter()
    sizes_bytes: Counter[str] = Counter()
    for record in records.values():
        key = (record.owner_id, record.name.lower())
        if key in names:
            raise Conflict(f"{quota.noun} {record.name!r} exists already", field="name")
        names.add(key)
        counts[record.owner_id] += 1
        sizes_bytes[record.owner_id] += record.size_bytes
    if max(counts.values(), default=0) > quota.most_of_an_owner:
        raise Conflict(f"you have {quota.most_of_an_owner} {quota.plural}, the maximum")
    if max(sizes_bytes.values(), default=0) > quota.most_bytes_of_an_owner:
        raise TooLarge(
            f"your {quota.plural} are too large together, expected at most {quota.most_bytes_of_an_owner} bytes"
        )
    if sizes_bytes.total() > quota.most_bytes:
        raise TooLarge(
            f"all {quota.plural} are too large together, expected at most {quota.most_bytes} bytes"
        )
