"""Events of the next page that are read with the current one."""

from collections.abc import Iterator

import pytest
from tests.engine.stored import NOW_NS, Stored

from logboom.engine.terms.request import decode_cursor

EVENTS = 4000
LIMIT = 10


def keep_some(stored: Stored, every: int, text: str = "done") -> str:
    """A block in which one event in `every` is an error."""
    env = stored.make_env()
    stored.keep(
        env,
        (
            {"id": row, "timestamp": NOW_NS + row, "bad": row % every == 0, "text": text}
            for row in range(EVENTS)
        ),
    )
    return env


def list_cached(stored: Stored, env: str) -> list[int]:
    """The rows of the environment's block whose events are cached."""
    (block,) = stored.open_blocks(env)
    return [row for row in range(EVENTS) if block.events.has_all(block.info.path, [row])]


def list_pages(stored: Stored, env: str, query: str) -> Iterator[list[object]]:
    after = None
    while True:
        page = stored.search(env, query, limit=LIMIT, after=after)
        yield [row["id"] for row in page.rows]
        if page.cursor is None:
            return
        after = decode_cursor(page.cursor)


def test_the_next_page_is_read_with_scattered_events(wide: Stored) -> None:
    env = keep_some(wide, every=40)
    answer = wide.search(env, "bad:true", limit=LIMIT)
    assert len(answer.rows) == LIMIT
    assert answer.warnings == []
    assert len(list_cached(wide, env)) == 2 * LIMIT


def test_pages_are_the_same_whether_they_were_read_ahead_or_not(wide: Stored) -> None:
    env = keep_some(wide, every=40)
    pages = list(list_pages(wide, env, "bad:true"))
    assert [len(page) for page in pages] == [LIMIT] * 10 + [0]
    assert [each for page in pages for each in page] == list(range(EVENTS - 40, -1, -40))


@pytest.mark.parametrize(
    ("every", "text"), [(1, "done"), (40, "long" * 4000)], ids=["adjacent", "large"]
)
def test_events_that_cost_more_are_not_read_ahead(wide: Stored, every: int, text: str) -> None:
    env = keep_some(wide, every, text)
    wide.search(env, "bad:true", limit=LIMIT)
    assert len(list_cached(wide, env)) == LIMIT


def test_a_count_of_the_page_does_not_include_the_next_one(wide: Stored) -> None:
    env = keep_some(wide, every=40)
    answer = wide.search(env, "bad:true", limit=LIMIT, count=True)
    assert (len(answer.rows), answer.total, answer.warnings) == (LIMIT, 100, [])
