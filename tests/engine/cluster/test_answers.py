"""A cluster answers what one node does."""

import json
import pickle
from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest
from tests.engine.cluster.running import Machines, asking, machines
from tests.engine.execution.test_executors import EVENTS, QUERIES, describe
from tests.engine.questions import Questions, make_events
from tests.engine.stored import NOW_NS, Stored
from tests.properties import every_third

from logboom.base.errors import LogboomError
from logboom.engine.answers.engine import Engine
from logboom.engine.cluster import counts
from logboom.engine.cluster.job import INLINE_BYTES
from logboom.engine.terms.request import Request
from logboom.lang.parse import parse
from logboom.status.service import count

QUESTIONS = [range(start, start + 25) for start in range(1000, 1150, 25)]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    with machines(tmp_path_factory.mktemp("cluster"), workers=2) as started:
        yield started


@pytest.fixture(scope="module")
def engine(running: Machines, wide: Stored) -> Iterator[Engine]:
    with asking(running, wide, workers=2) as (engine, _):
        yield engine


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    """Sixty events in six blocks that overlap in time."""
    env = wide.make_env()
    for start in range(6):
        wide.keep(env, EVENTS[start::6])
    return env


def test_the_golden_queries(engine: Engine, wide: Stored, env: str) -> None:
    sent_before = count(counts.tasks_sent)
    for query in QUERIES:
        there = engine.search(Request(parse(query), (env,), limit=50, count=True))
        here = wide.search(env, query, limit=50, count=True)
        assert describe(there) == describe(here), query
        assert there.rows
        assert there.stats == here.stats
    # A few are answered by what indexes tell, or by the newest block.
    assert count(counts.tasks_sent) > sent_before + 2 * len(QUERIES)


@pytest.mark.parametrize("numbers", every_third(QUESTIONS))
def test_any_question(engine: Engine, wide: Stored, numbers: range) -> None:
    env = wide.make_env()
    events = make_events()
    for start in range(0, len(events), 9):
        wide.keep(env, events[start : start + 9])
    for number in numbers:
        query = Questions(number).write_query()
        assert ask(engine, env, query) == ask(wide.engine, env, query), query


def ask(engine: Engine, env: str, query: str) -> Any:
    try:
        request = Request(parse(query), (env,), limit=1000, now_ns=NOW_NS + 10**14)
        answer = engine.search(request)
    except LogboomError as error:
        return str(error)
    return json.loads(json.dumps(describe(answer), default=str))


def test_a_large_lookup_table_goes_to_the_cluster_once(
    engine: Engine, wide: Stored, env: str
) -> None:
    numbers = range(2000)
    racks = pl.DataFrame(
        {
            "host": [f"web-{number}" for number in numbers],
            "rack": [f"rack {n}" * 9 for n in numbers],
        }
    )
    assert len(pickle.dumps(racks)) > INLINE_BYTES
    query = parse("* | lookup racks host | stats count by rack")
    request = Request(query, (env,), limit=50, tables={"racks": racks})
    there, here = engine.search(request), wide.engine.search(request)
    assert describe(there) == describe(here)
    assert len(there.rows) == 4
    assert not there.warnings


@pytest.mark.parametrize(
    "query",
    ["n>1", "level:error | stats avg(n) by host", "* | sort n | limit 7", "n>1 | top 3 host"],
)
def test_a_single_block_is_divided_among_workers(engine: Engine, wide: Stored, query: str) -> None:
    env = wide.make_env()
    wide.keep(env, EVENTS[7:])
    assert len(wide.open_blocks(env)) == 1
    sent_before = count(counts.tasks_sent)
    there = engine.search(Request(parse(query), (env,), limit=50))
    here = wide.search(env, query, limit=50)
    assert describe(there) == describe(here)
    assert there.rows
    assert count(counts.tasks_sent) - sent_before > 1
