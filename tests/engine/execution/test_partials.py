"""Partial results: blocks in pieces give what whole blocks give, and what is remembered pins nothing else."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest
from tests.engine.stored import NOW_NS, Stored
from tests.together import together

from logboom.engine.answers.engine import Engine
from logboom.engine.answers.search import SearchAnswer
from logboom.engine.execution.gate import Gate
from logboom.engine.execution.partials import LARGE_BYTES, Partial, PartialCache
from logboom.engine.execution.run import Cost
from logboom.engine.rows.table import Table
from logboom.engine.terms.limits import Limits
from logboom.engine.terms.request import Request
from logboom.lang.parse import parse

ROWS = 3000
SMALL_BYTES = 1 << 20
TEXT_BYTES = 1000
TURNS, COLUMN_ROWS = 60, 10_000
PINNED_BYTES = TURNS * COLUMN_ROWS * TEXT_BYTES
QUERIES = [
    "text:*number*",
    "text:*number*17*",
    "text:*number* n:3 | fields n, text, id",
    "text:*number* | stats count, sum(n), values(level) by level",
    "text:*number* | stats first(id), last(id), list(n) by level",
    "text:*number* | sort -id | limit 20 | fields id",
    "text:*number* | dedup 2 n | fields id, n",
    "text:*number* | eval m = n * 2, k = upper(level) | where m > 4 | stats count by k",
    "text:*number* | top 3 n by level",
    "text:*number* | timechart 1s count by level",
    "text:*number* | eventstats values(level) as v by n | where n = 3 | fields id, v",
    "text:*number* | streamstats sum(n) as s by level | limit 50",
    "text:*number* | patterns text",
    "text:*number* | tail 30",
    "text:*number* id:in(n:4 | fields id) | stats count",
]


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    return fill(wide)


def fill(stored: Stored) -> str:
    env = stored.make_env()
    levels = ("info", "warn", "error")
    stored.keep(
        env,
        [
            {
                "timestamp": NOW_NS + number * 10**6,
                "id": number,
                "n": number % 7,
                "level": levels[number % 3],
                "text": f"number {number} " + chr(97 + number % 26) * TEXT_BYTES,
            }
            for number in range(ROWS)
        ],
    )
    return env


def ask(stored: Stored, env: str, query: str, memory_bytes: int) -> SearchAnswer:
    with ThreadPoolExecutor(2) as pool:
        limits = Limits(memory_bytes=memory_bytes)
        engine = Engine(stored.store, pool, limits, Gate(1, 0, 0.0), SMALL_BYTES)
        answer = engine.search(Request(parse(query), (env,), limit=50, count=True))
        assert engine.pool.used_bytes == 0
        return answer


@together("query", QUERIES)
def test_a_block_in_pieces_gives_what_the_whole_one_does(
    wide: Stored, env: str, query: str
) -> None:
    whole, pieces = (ask(wide, env, query, size) for size in (1 << 30, 8 * SMALL_BYTES))
    assert pieces.complete
    assert pieces.rows == whole.rows
    assert (pieces.total, pieces.columns) == (whole.total, whole.columns)


def test_values_without_a_column_are_read_in_pieces_too(narrow: Stored) -> None:
    env = fill(narrow)
    for query in (
        "n:3 | fields n, text, id",
        "* | stats count by n",
        "text:*number* | sort id | limit 9",
    ):
        whole, pieces = (ask(narrow, env, query, size) for size in (1 << 30, 32 * SMALL_BYTES))
        assert (pieces.rows, pieces.complete) == (whole.rows, True)


def test_a_count_is_remembered_whatever_it_is_called(wide: Stored, env: str) -> None:
    wide.reopen_engine()
    first = wide.search(env, "text:*number*17* | stats count() as one")
    again = wide.search(env, "text:*number*17* | stats count() as two, count() as three")
    ((one,), (two, three)) = ([*row.values()] for row in (first.rows[0], again.rows[0]))
    assert (list(first.rows[0]), list(again.rows[0])) == (["one"], ["two", "three"])
    assert one == two == three != 0
    assert isinstance(again.stats, Cost)
    assert again.stats.rows_scanned == 0


def test_what_is_remembered_pins_nothing_but_itself() -> None:
    cache = PartialCache(1 << 30)
    before_bytes = read_resident_bytes()
    for turn in range(TURNS):
        texts = pl.Series("text", ["x" * TEXT_BYTES] * COLUMN_ROWS) + str(turn)
        few = pl.DataFrame([texts]).head(5)
        cache.keep((str(turn), "", ""), Partial(Table(few), 5, COLUMN_ROWS))
    assert read_resident_bytes() - before_bytes < PINNED_BYTES / 2
    kept = cache.find(("7", "", ""))
    assert kept is not None
    assert kept.table is not None
    assert kept.table.frame["text"].to_list() == ["x" * TEXT_BYTES + "7"] * 5


def test_a_large_one_is_remembered_the_second_time() -> None:
    cache = PartialCache(1 << 30)
    frame = pl.DataFrame({"n": list(range(LARGE_BYTES // 8 + 1))})
    large, small = Partial(Table(frame), 1, 1), Partial(Table(frame.head(10)), 1, 1)
    cache.keep(("small", "", ""), small)
    cache.keep(("large", "", ""), large)
    assert cache.find(("small", "", "")) is not None
    assert cache.find(("large", "", "")) is None
    cache.keep(("large", "", ""), large)
    found = cache.find(("large", "", ""))
    assert found is not None
    assert found.table is not None
    assert found.table.frame.equals(frame)


def read_resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
