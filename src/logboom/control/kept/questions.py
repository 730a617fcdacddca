"""What somebody keeps, as saved queries, alerts and dashboards are: what they share, and how much room they have."""

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
    """What belongs to somebody; `owner` is the name that the owner had last."""

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
        """About what it takes to keep it."""
        return measure_texts((self.name,))


class KeptQuestion(Owned, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is asked and where. `filters` stand beside the query: events must match each of them too.

    It gives nobody the right to see anything. Query and filters are canonical, unless an earlier release has kept them
    as they were typed.
    """

    query: str = ""
    filters: tuple[str, ...] = ()
    description: str = ""
    env: str = DEFAULT_ENVIRONMENT
    index: str = "*"
    is_canonical: bool = False

    @property
    def size_bytes(self) -> int:
        """About what it takes to keep it."""
        texts = (self.name, self.query, self.description, self.env, self.index, *self.filters)
        return measure_texts(texts)


Kind = TypeVar("Kind", bound=Owned)

Settle: TypeAlias = Callable[[Kind | None, Kind], Kind]
"""Makes of what somebody wishes to keep what is kept, given what was there before; raises to refuse it."""


class Room(NamedTuple):
    """How many there may be of an owner, and how much they may take."""

    noun: str
    plural: str
    most_of_an_owner: int
    most_bytes_of_an_owner: int
    most_bytes: int


def measure_texts(texts: tuple[str, ...]) -> int:
    return sum(len(text.encode()) for text in texts)


def check_question(noun: str, question: KeptQuestion) -> None:
    """Invalid when a part of it is too long."""
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


def check_room(records: Mapping[str, Owned], room: Room) -> None:
    """Conflict when an owner has a name twice or too many of them, TooLarge when they take too much."""
    names: set[tuple[str, str]] = set()
    counts: Counter[str] = Counter()
    sizes_bytes: Counter[str] = Counter()
    for record in records.values():
        key = (record.owner_id, record.name.lower())
        if key in names:
            raise Conflict(f"{room.noun} {record.name!r} exists already", field="name")
        names.add(key)
        counts[record.owner_id] += 1
        sizes_bytes[record.owner_id] += record.size_bytes
    if max(counts.values(), default=0) > room.most_of_an_owner:
        raise Conflict(
            f"there are {room.most_of_an_owner} {room.plural} of yours, expected no more"
        )
    if max(sizes_bytes.values(), default=0) > room.most_bytes_of_an_owner:
        raise TooLarge(
            f"your {room.plural} together, expected at most {room.most_bytes_of_an_owner} bytes"
        )
    if sizes_bytes.total() > room.most_bytes:
        raise TooLarge(f"all {room.plural} together, expected at most {room.most_bytes} bytes")
