"""Stars: which saved queries each user has marked as favourites."""

from collections.abc import Collection

from logboom.base.errors import Conflict
from logboom.control.documents.records import MOST_RECORDS, Record, Records
from logboom.control.documents.store import Documents

MOST_OF_A_USER = 200


class Starred(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ids of what one user has starred; its own id is that of the user."""

    queries: tuple[str, ...] = ()


class Stars(Records[Starred]):
    """The stars of every user, in a document of their own: to star a query does not change it."""

    def __init__(self, documents: Documents) -> None:
        super().__init__(documents, "stars", Starred, noun="star")

    def list_of(self, user_id: str) -> frozenset[str]:
        """Return the ids of the queries that a user has starred."""
        starred = self.find(user_id)
        return frozenset(starred.queries) if starred else frozenset()

    def set(self, user_id: str, query_id: str, is_starred: bool, known: Collection[str]) -> None:
        """Add or remove the star of a query; stars of queries that are not `known` any more are dropped.

        Raise Conflict when the user has too many.
        """
        if is_starred == (query_id in self.list_of(user_id)):
            return

        def change(records: dict[str, Starred]) -> dict[str, Starred]:
            before = records.get(user_id, Starred(id=user_id)).queries
            kept = [each for each in before if each != query_id and each in known]
            after = (*kept, query_id) if is_starred else tuple(kept)
            if len(after) > MOST_OF_A_USER or len(records) >= MOST_RECORDS:
                raise Conflict(f"{len(before)} queries are starred, expected no more")
            return {**records, user_id: Starred(id=user_id, queries=after)}

        self._edit(change)

    def drop(self, user_id: str) -> None:
        """Forget the stars of a user who is gone."""
        if self.find(user_id) is None:
            return
        self._edit(lambda records: {key: each for key, each in records.items() if key != user_id})
