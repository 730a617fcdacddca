"""Records by id in one control document: accounts, API keys, ingest tokens, sources, saved queries."""

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import msgspec

from logboom.base.decoding_errors import explain_decoding_error
from logboom.base.errors import Conflict, Invalid, NotFound
from logboom.control.documents.snapshot import Snapshot
from logboom.control.documents.store import Documents

MOST_RECORDS = 10_000
LONGEST_LABEL = 100


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A record; its id never changes and sorts by creation time."""

    id: str


Kind = TypeVar("Kind", bound=Record)


class RecordsDocument(msgspec.Struct, Generic[Kind], frozen=True, forbid_unknown_fields=True):
    """Every record by its id."""

    records: dict[str, Kind] = {}


Allow = Callable[[Kind], object]
"""Raises Forbidden if the caller may not create, change or delete a record."""


def allow_all(_record: Record) -> None:
    """Allow every change."""


def accept_all(_records: Mapping[str, Record]) -> None:
    """Accept any set of records."""


class Records(Generic[Kind]):
    """Stores the records of one kind; subclasses say how one is created and changed.

    Reads come from memory; edits are durable on return. Thread-safe. `check` refuses an invalid set of records; it is
    called with the newest state before every write.
    """

    def __init__(
        self,
        documents: Documents,
        name: str,
        kind: type[Kind],
        check: Callable[[Mapping[str, Kind]], None] = accept_all,
        noun: str = "",
    ) -> None:
        document_kind = RecordsDocument[kind]  # type: ignore[valid-type]
        self._noun = noun or name.removesuffix("s")
        self._check = check
        self._snapshot: Snapshot[RecordsDocument[Kind]] = Snapshot(
            documents, name, RecordsDocument(), document_kind
        )

    @property
    def generation(self) -> int:
        """0 until the first record is created; increases with every change."""
        return self._snapshot.generation

    def refresh(self) -> None:
        """Load changes made by other nodes."""
        self._snapshot.refresh()

    def list(self) -> tuple[Kind, ...]:
        """Return all records, oldest first."""
        records = self._snapshot.body.records
        return tuple(records[key] for key in sorted(records))

    def find(self, record_id: str) -> Kind | None:
        return self._snapshot.body.records.get(record_id)

    def get(self, record_id: str) -> Kind:
        """Return a record; raise NotFound if there is none."""
        return self._pick(self._snapshot.body.records, record_id)

    def _create_first(self, record: Kind) -> None:
        """Create the first record ever; raise Conflict if there was one."""
        self._snapshot.create(RecordsDocument({record.id: record}))

    def _add(self, record: Kind, allow: Allow[Kind] = allow_all) -> None:
        allow(record)

        def change(records: dict[str, Kind]) -> dict[str, Kind]:
            if len(records) >= MOST_RECORDS:
                raise Conflict(f"{self._noun}: the maximum of {len(records)} is reached")
            return {**records, record.id: record}

        self._edit(change)

    def _replace(
        self,
        record_id: str,
        change: Callable[[Kind], Kind],
        expected_generation: int | None = None,
        allow: Allow[Kind] = allow_all,
    ) -> Kind:
        """Store and return the result of `change` on the newest state; it may be called more than once.

        `allow` is called with the record before and after the change.
        """

        def replace(records: dict[str, Kind]) -> dict[str, Kind]:
            before = self._pick(records, record_id)
            allow(before)
            after = change(before)
            allow(after)
            return {**records, record_id: after}

        return self._edit(replace, expected_generation)[record_id]

    def _replace_all(self, change: Callable[[Kind], Kind]) -> None:
        """Replace every record by the result of `change`, in one step."""
        self._edit(lambda records: {key: change(record) for key, record in records.items()})

    def delete(
        self,
        record_id: str,
        expected_generation: int | None = None,
        allow: Allow[Kind] = allow_all,
    ) -> Kind:
        """Delete a record and return it, unless `allow` refuses; raise NotFound if there is none."""
        removed: list[Kind] = []

        def remove(records: dict[str, Kind]) -> dict[str, Kind]:
            removed[:] = [self._pick(records, record_id)]
            allow(removed[0])
            return {key: record for key, record in records.items() if key != record_id}

        self._edit(remove, expected_generation)
        return removed[0]

    def _edit(
        self,
        change: Callable[[dict[str, Kind]], dict[str, Kind]],
        expected_generation: int | None = None,
    ) -> dict[str, Kind]:
        def apply(document: RecordsDocument[Kind]) -> RecordsDocument[Kind]:
            records = change(document.records)
            self._check(records)
            return RecordsDocument(records)

        return self._snapshot.edit(apply, expected_generation).records

    def _pick(self, records: Mapping[str, Kind], record_id: str) -> Kind:
        return self.check_found(records.get(record_id), record_id)

    def check_found(self, record: Kind | None, record_id: str) -> Kind:
        """Return the record; raise NotFound for None."""
        if record is None:
            raise NotFound(f"no {self._noun} {record_id[:80]!r}")
        return record


def apply_changes(record: Kind, changes: Mapping[str, object], changeable: frozenset[str]) -> Kind:
    """Return the record with some members replaced; raise Invalid for an unknown name or a bad value."""
    unknown = sorted(changes.keys() - changeable)
    if unknown:
        raise Invalid(
            f"unknown member {unknown[0][:80]!r}, expected any of {sorted(changeable)}",
            field=unknown[0],
        )
    try:
        return msgspec.convert(msgspec.to_builtins({**to_members(record), **changes}), type(record))
    except msgspec.ValidationError as error:
        raise explain_decoding_error(error) from error


def to_members(record: Record) -> dict[str, object]:
    return {name: getattr(record, name) for name in record.__struct_fields__}


def check_label(noun: str, name: str, longest: int = LONGEST_LABEL) -> None:
    if not 0 < len(name) <= longest or not name.isprintable() or name != name.strip():
        raise Invalid(
            f"{noun} name {name[:80]!r} is not valid, expected 1 to {longest} printable characters "
            "without blanks around them",
            field="name",
        )
