"""Records that are private or shared with everybody, such as saved queries and dashboards."""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from logboom.base.clock import Clock
from logboom.base.errors import Forbidden
from logboom.control.access.principal import Principal
from logboom.control.access.scopes import Scope
from logboom.control.documents.records import Records
from logboom.control.saved.questions import Owned

Kind = TypeVar("Kind", bound=Owned)


class SharedRecords(Records[Kind]):
    """Private records are for their owner; shared ones can be seen by everybody and changed by editors."""

    _clock: Clock
    shared_member = "is_shared"
    """The name of the member that says whether a record is shared."""

    def list_for(self, reader: Principal) -> tuple[Kind, ...]:
        """Return the records that a principal may see, oldest first."""
        return tuple(record for record in self.list() if self.is_visible(record, reader))

    def get_for(self, reader: Principal, record_id: str) -> Kind:
        """Return a record; raise NotFound also for a private record of another user."""
        record = self.find(record_id)
        is_found = record is not None and self.is_visible(record, reader)
        return self.check_found(record if is_found else None, record_id)

    def is_visible(self, record: Kind, reader: Principal) -> bool:
        return record.is_shared or record.owner_id == reader.id

    def delete_by(
        self, writer: Principal, record_id: str, expected_generation: int | None = None
    ) -> Kind:
        """Delete a record and return it."""
        return self.delete(
            record_id, expected_generation, lambda record: self._check_writable(record, writer)
        )

    def detach_owner(self, owner_id: str, owner: str) -> None:
        """Keep what a deleted user has shared, under the user's last name."""
        self.refresh()
        if not any(record.owner_id == owner_id for record in self.list()):
            return

        def keep_shared(records: dict[str, Kind]) -> dict[str, Kind]:
            return {
                key: msgspec.structs.replace(record, owner=owner)
                if record.owner_id == owner_id
                else record
                for key, record in records.items()
                if record.is_shared or record.owner_id != owner_id
            }

        self._edit(keep_shared)

    def _change_by(
        self,
        writer: Principal,
        record_id: str,
        change: Callable[[Kind], Kind],
        expected_generation: int | None,
    ) -> Kind:
        """Replace a record by the result of `change`; only the owner may unshare it."""

        def replace(record: Kind) -> Kind:
            self._check_writable(record, writer)
            changed = change(record)
            if not changed.is_shared and record.owner_id != writer.id:
                raise Forbidden(
                    f"{self._noun} {record.name!r} is shared by {record.owner!r}, expected its owner to unshare it",
                    field=self.shared_member,
                )
            return msgspec.structs.replace(changed, updated_ns=self._clock())

        return self._replace(record_id, replace, expected_generation)

    def _check_writable(self, record: Kind, writer: Principal) -> None:
        """Raise NotFound if the principal may not see it, Forbidden if it may not change it."""
        self.check_found(record if self.is_visible(record, writer) else None, record.id)
        if record.owner_id != writer.id and not writer.may(Scope.EDIT):
            raise Forbidden(
                f"{self._noun} {record.name!r} belongs to {record.owner!r}, expected its owner, an editor or an admin"
            )
