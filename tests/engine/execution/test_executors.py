"""Where the map runs makes no difference: threads, or processes that know nothing but what they are sent."""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from typing import Any

import pytest
from tests.engine.stored import CACHE_BYTES, NOW_NS, Stored

from logboom.engine.answers.engine import Engine
from logboom.engine.execution.gate import Gate
from logboom.engine.terms.limits import Limits
from logboom.engine.terms.request import Request
from logboom.lang.parse import parse

QUERIES = [
    "",
    "level:error",
    "fail* OR /er{2}or/",
    "n>3 NOT host:web-1",
    "host:in(level:error | fields host)",
    "* | stats count, avg(n), p95(n), count_uniq(host), values(level) by level",
    "* | timechart 1h count by host",
    "* | top 3 host",
    '* | eval m=n*2, k=if(m>4, "big", "small") | stats sum(m) by k',
    "* | sort -n | limit 5 | fields n, host",
    '* | rex "(?<verb>\\w+)" | dedup verb | fields verb',
    "* | eventstats avg(n) as mean by host | where n>mean | stats count",
    "* | transaction host maxpause=2h",
    "* | patterns",
    "* | stats first(n), last(n), list(n) by host",
]
EVENTS = [
    {
        "timestamp": NOW_NS + at * 10**12,
        "message": f"{('failed', 'started', 'error in')[at % 3]} job {at}",
        "level": ("info", "Error", "warn")[at % 3],
        "host": f"web-{at % 4}",
        "n": at % 7 if at % 5 else str(at),
    }
    for at in range(60)
]


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    """Sixty events in four blocks that overlap in time."""
    env = wide.make_env()
    for start in range(4):
        wide.keep(env, EVENTS[start::4])
    return env


@pytest.mark.parametrize("query", QUERIES)
def test_processes_answer_what_threads_do(
    wide: Stored, processes: Executor, env: str, query: str
) -> None:
    engine = Engine(wide.store, processes, Limits(), Gate(1, 0, 0.0), CACHE_BYTES)
    there = engine.search(Request(parse(query), (env,), limit=50, count=True))
    here = wide.search(env, query, limit=50, count=True)
    assert describe(there) == describe(here)
    assert there.rows


def describe(answer: Any) -> tuple[object, ...]:
    return answer.type, answer.columns, answer.rows, answer.total, answer.complete, answer.warnings
