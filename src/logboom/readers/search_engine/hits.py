"""Events as hits."""

from collections.abc import Iterable
from typing import Any

from logboom.readers.search_engine.dsl.members import Members
from logboom.readers.search_engine.page import Page
from logboom.readers.search_engine.sorting import SCORE
from logboom.readers.search_engine.sources import list_fields, make_source

ALIKE = 1.0
"""The score of every event."""


def make_hits(rows: Iterable[Members], page: Page) -> list[dict[str, Any]]:
    score = find_score(page)
    return [make_hit(row, page, score) for row in rows]


def find_score(page: Page) -> float | None:
    """Hits that are sorted by something else have no score."""
    keys = page.order.keys
    return ALIKE if not keys or any(key.field == SCORE for key in keys) else None


def make_hit(row: Members, page: Page, score: float | None) -> dict[str, Any]:
    hit: dict[str, Any] = {"_index": row["_index"], "_id": row["_id"]}
    if page.has_version:
        hit["_version"] = 1
    hit["_score"] = score
    if page.source.is_shown:
        hit["_source"] = page.source.choose(make_source(row))
    if page.fields:
        hit["fields"] = list_fields(row, page.fields)
    if page.order.keys:
        hit["sort"] = page.order.list_values(row)
    return hit
