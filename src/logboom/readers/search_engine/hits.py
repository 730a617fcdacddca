"""Events as hits."""

from collections.abc import Iterable
from typing import Any

from logboom.readers.search_engine.body import Wanted
from logboom.readers.search_engine.dsl.members import Members
from logboom.readers.search_engine.sorting import SCORE
from logboom.readers.search_engine.sources import list_fields, make_source

ALIKE = 1.0
"""The score of every event."""


def make_hits(rows: Iterable[Members], wanted: Wanted) -> list[dict[str, Any]]:
    score = find_score(wanted)
    return [make_hit(row, wanted, score) for row in rows]


def find_score(wanted: Wanted) -> float | None:
    """Hits that are sorted by something else have no score."""
    keys = wanted.order.keys
    return ALIKE if not keys or any(key.field == SCORE for key in keys) else None


def make_hit(row: Members, wanted: Wanted, score: float | None) -> dict[str, Any]:
    hit: dict[str, Any] = {"_index": row["_index"], "_id": row["_id"]}
    if wanted.has_version:
        hit["_version"] = 1
    hit["_score"] = score
    if wanted.source.is_shown:
        hit["_source"] = wanted.source.choose(make_source(row))
    if wanted.fields:
        hit["fields"] = list_fields(row, wanted.fields)
    if wanted.order.keys:
        hit["sort"] = wanted.order.list_values(row)
    return hit
