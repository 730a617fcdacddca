"""What bounds a query is named in its answer, and what was found until then is answered."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.engine.stored import NOW_NS, Stored

from logboom.base.errors import DeadlineExceeded, OverBudget
from logboom.base.process.deadline import Deadline
from logboom.engine.answers import search
from logboom.engine.answers.engine import Engine
from logboom.engine.answers.search import SearchAnswer
from logboom.engine.execution.gate import Gate
from logboom.engine.rows.table import Table
from logboom.engine.terms.limits import Limits
from logboom.engine.terms.request import Request, decode_cursor
from logboom.lang.parse import parse

BLOCKS, ROWS = 4, 50


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    return fill(wide, BLOCKS)


def fill(wide: Stored, blocks: int) -> str:
    env = wide.make_env()
    for block in range(blocks):
        first = block * ROWS
        events = [
            {"timestamp": NOW_NS + number, "n": number, "text": f"{number:0100d}"}
            for number in range(first, first + ROWS)
        ]
        wide.keep(env, events)
    return env


def ask(wide: Stored, env: str, query: str, limits: Limits, **options: Any) -> SearchAnswer:
    with ThreadPoolExecutor(2) as pool:
        engine = Engine(wide.store, pool, limits, Gate(1, 0, 0.0), 0)
        return engine.search(Request(parse(query), (env,), limit=1000), **options)


def get_codes(answer: SearchAnswer) -> list[object]:
    return [warning["code"] for warning in answer.warnings]


@pytest.mark.parametrize("query", ["* | sort n", "* | streamstats count", "* | dedup n"])
def test_more_rows_than_may_be_held_are_an_incomplete_answer(
    wide: Stored, env: str, query: str
) -> None:
    answer = ask(wide, env, query, Limits(max_rows=ROWS + 10))
    assert not answer.complete
    assert get_codes(answer) == ["max_rows"]
    assert ROWS <= len(answer.rows) < BLOCKS * ROWS


def test_more_memory_than_a_query_may_take_is_an_incomplete_answer(wide: Stored) -> None:
    env = fill(wide, 5 * BLOCKS)
    answer = ask(wide, env, "* | stats sum(n) by text", Limits(memory_bytes=160_000))
    assert not answer.complete
    assert set(get_codes(answer)) == {"memory"}
    assert "stats needs" in str(answer.warnings[0]["message"])
    assert ROWS <= len(answer.rows) < 5 * BLOCKS * ROWS


def test_what_cannot_be_answered_in_part_is_refused(wide: Stored, env: str) -> None:
    doubled = ", ".join(["text = text & text"] * 24)
    with pytest.raises(OverBudget, match=r"eval needs .* expected at most 1 MB for one query"):
        ask(wide, env, f"* | eval {doubled} | stats count", Limits(memory_bytes=1 << 20))


@pytest.mark.parametrize("query", ["", "* | stats count by n", "* | sort n | limit 5", "* | top n"])
def test_what_stays_small_needs_no_limit(wide: Stored, env: str, query: str) -> None:
    limits = Limits(max_rows=BLOCKS * ROWS, memory_bytes=1_000_000)
    assert ask(wide, env, query, limits).complete


@pytest.mark.parametrize("query", ["", "* | stats sum(n) by text"])
def test_a_cancelled_query_ends(wide: Stored, env: str, query: str) -> None:
    cancelled = Deadline()
    cancelled.set()
    answer = ask(wide, env, query, Limits(), deadline=cancelled)
    assert not answer.complete
    assert get_codes(answer)[0] == "cancelled"


def test_pipes_that_need_all_rows_are_not_begun_for_nobody(wide: Stored, env: str) -> None:
    cancelled = Deadline()
    cancelled.set()
    with pytest.raises(DeadlineExceeded, match="the client went away"):
        ask(wide, env, "* | streamstats count", Limits(), deadline=cancelled)


class LateEvent(Deadline):
    """Set once it was asked for some times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize(
    "query",
    [
        " or ".join(f'text=~"{place}[^0-4]"' for place in range(50)),
        "*" + "".join(f" | eval t{place} = n + {place}" for place in range(100)),
    ],
)
def test_work_on_a_block_ends_with_its_query(wide: Stored, query: str) -> None:
    env = wide.make_env()
    wide.keep(env, [{"n": number, "text": f"text {number}"} for number in range(5000)])
    cancelled = LateEvent(10)
    answer = ask(wide, env, query, Limits(), deadline=cancelled)
    assert not answer.complete
    assert get_codes(answer) == ["cancelled"]
    assert answer.rows == []
    assert cancelled.left > -10, "nearly all tests and pipes are left"


def test_progress_is_told_block_by_block(wide: Stored, env: str) -> None:
    heard: list[tuple[int, int]] = []
    ask(
        wide,
        env,
        "* | stats sum(n) by text",
        Limits(),
        on_progress=lambda done, total: heard.append((done, total)),
    )
    assert heard == [(done, BLOCKS) for done in range(1, BLOCKS + 1)]


@pytest.mark.parametrize("raw", [True, False])
def test_events_that_do_not_fit_into_memory_are_left_for_the_next_page(
    wide: Stored, *, raw: bool
) -> None:
    env = wide.make_env()
    numbers = range(40)
    wide.keep(env, [{"timestamp": NOW_NS + n, "n": n, "text": f"{n}" * 50_000} for n in numbers])
    limits = Limits(memory_bytes=5_000_000)
    with ThreadPoolExecutor(2) as pool:
        engine = Engine(wide.store, pool, limits, Gate(1, 0, 0.0), 0)
        request = Request(parse(""), (env,), limit=1000, raw=raw)
        found: list[object] = []
        pages = 0
        while True:
            answer = engine.search(request)
            found += [row["n"] for row in answer.rows]
            pages += 1
            if answer.cursor is None:
                break
            assert get_codes(answer)[0] == "memory"
            assert not answer.complete
            request = replace(request, after=decode_cursor(answer.cursor))
    assert found == list(reversed(numbers))
    assert 1 < pages < 20
    assert engine.pool.used_bytes == 0


def test_fewer_events_are_not_tried_after_the_client_has_gone(
    wide: Stored, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancelled = Deadline()
    tries = []

    def find_no_room(table: Table, *_: object, **__: object) -> None:
        tries.append(table.height)
        cancelled.set()
        raise OverBudget("no room")

    monkeypatch.setattr(search, "read_events", find_no_room)
    with ThreadPoolExecutor(2) as pool:
        engine = Engine(wide.store, pool, Limits(), Gate(1, 0, 0.0), 0)
        with pytest.raises(OverBudget):
            engine.search(Request(parse(""), (env,), limit=100), cancelled)
    assert tries == [100]


def test_long_names_of_columns_count_in_each_row(wide: Stored) -> None:
    env, limit_bytes = wide.make_env(), 4_000_000
    wide.keep(
        env,
        [{"timestamp": NOW_NS + hour * 3600 * 10**9, "long": "x" * 50_000} for hour in (0, 500)],
    )
    answer = ask(wide, env, "* | timechart 1h count by long", Limits(memory_bytes=limit_bytes))
    assert get_codes(answer) == ["memory"]
    assert answer.rows
    assert len(msgspec.json.encode(answer.rows)) < limit_bytes
