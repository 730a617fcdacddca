"""`inputlookup`: the rows of a stored table."""

from pathlib import Path

import polars as pl
import pytest
from tests.engine.stored import Stored, find_cost

from logboom.base.errors import Invalid

TABLES = {"owners": pl.DataFrame({"host": ["a", "b"], "Owner": ["ann", None]})}


@pytest.fixture
def stored(tmp_path: Path) -> Stored:
    return Stored(tmp_path)


def test_a_table_stands_in_place_of_events_or_after_rows(stored: Stored) -> None:
    try:
        env = stored.make_env()
        stored.keep(env, [{"host": "a", "n": 1}, {"host": "b", "n": 2}])
        answer = stored.search(env, "| inputlookup owners.csv", tables=TABLES)
        assert answer.rows == [{"host": "a", "Owner": "ann"}, {"host": "b", "Owner": None}]
        assert find_cost(answer).rows_scanned == 0
        filtered = stored.search(env, "| inputlookup owners where owner=ann", tables=TABLES)
        assert filtered.rows == [{"host": "a", "Owner": "ann"}]
        query = "* | stats sum(n) as n | inputlookup append=t owners"
        assert stored.search(env, query, tables=TABLES).rows == [
            {"n": 3, "host": None, "Owner": None},
            {"n": None, "host": "a", "Owner": "ann"},
            {"n": None, "host": "b", "Owner": None},
        ]
        found = stored.search(
            env, "[| inputlookup owners | where owner=* | fields host]", tables=TABLES
        )
        assert [row["host"] for row in found.rows] == ["a"]
        with pytest.raises(Invalid, match="inputlookup: table 'zz', expected one of owners"):
            stored.search(env, "| inputlookup zz", tables=TABLES)
    finally:
        stored.close()
