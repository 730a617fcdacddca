"""Events as hits."""

from collections.abc import Iterable
from typing import Any

from logboom.readers.search_engine.dsl.members import Members
from logboom.readers.search_engine.hits.highlight import Highlighter
from logboom.readers.search_engine.hits.page import Page
from logboom.readers.search_engine.hits.sorting import SCORE
from logboom.readers.search_engine.hits.sources import make_source

ALIKE = 1.0
"""The score of every event."""


def make_hits(
    rows: Iterable[Members], page: Page, highlighter: Highlighter | None = None
) -> list[dict[str, Any]]:
    score = find_score(page)
    hits = []
    for row in rows:
        hit = make_hit(row, page, score)
        marked = highlighter.mark(row) if highlighter else {}
        hits.append({**hit, "highlight": marked} if marked else hit)
    return hits


def find_score(page: Page) -> float | None:
    """Return the score of a hit; hits that are sorted by something else have none."""
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
        hit["fields"] = page.fields.list_values(row)
    if page.order.keys:
        hit["sort"] = page.order.list_values(row)
    return hit
