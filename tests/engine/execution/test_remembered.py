"""What an engine remembers of one query is of no harm to the next: each gives what it gives by itself."""

from itertools import product

import pytest
from tests.engine.stored import Stored

FILTERS = ["lvl:warn", "v>1", "*"]
CHOOSING = [
    "limit 3",
    "sort v",
    "sort -v | limit 2",
    "tail 2",
    "offset 1",
    "dedup lvl",
    "eventstats max(v) as m",
    "streamstats count as c",
    "delta v as d",
    "where v>0 | limit 3",
    "context before 1",
]
ENDS = [
    "stats max(v)",
    "stats max(v) by lvl",
    "stats count by lvl",
    "fields lvl",
    "where v>2 | stats count",
    "stats sum(v), avg(v)",
    "stats values(lvl)",
]


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    """Two blocks; every other event is a warning."""
    env = wide.make_env()
    for first in (0, 3):
        wide.keep(
            env,
            [
                {"timestamp": f"2026-06-01T00:00:0{n}Z", "lvl": ["info", "warn"][n % 2], "v": n}
                for n in range(first, first + 3)
            ],
        )
    return env


@pytest.mark.parametrize("filter_", FILTERS)
def test_queries_of_one_filter_do_not_disturb_each_other(
    wide: Stored, env: str, filter_: str
) -> None:
    queries = [f"{filter_} | {choosing} | {end}" for choosing, end in product(CHOOSING, ENDS)]
    wide.reopen_engine()
    together = [wide.search(env, query).rows for query in queries]
    for query, rows in zip(queries, together, strict=True):
        wide.reopen_engine()
        assert rows == wide.search(env, query).rows, query
