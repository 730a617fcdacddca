"""Fields that no event has: whoever names one hears of it, wherever in the query it stands."""

import pytest
from tests.engine.stored import NOW_NS, Stored
from tests.together import together

from logboom.control.access.globs import IndexBounds
from logboom.engine.pipes.named_fields import list_named
from logboom.lang.parse import parse

EVENTS = [
    {"timestamp": NOW_NS + place, "service": "api", "latency": place, "message": f"event {place}"}
    for place in range(5)
]


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    env = wide.make_env()
    wide.keep(env, EVENTS)
    wide.keep(env, [{"timestamp": NOW_NS, "rare_field": 1}])
    return env


def list_unknown(stored: Stored, env: str, query: str) -> dict[object, object]:
    warnings = stored.search(env, query).warnings
    return {each["field"]: each["message"] for each in warnings if each["code"] == "unknown_field"}


@together(
    "query",
    [
        "* | stats count by servce",
        "* | stats count by _time:5m, servce",
        "* | stats by (servce) count()",
        "* | stats count(servce)",
        "* | stats count if (servce:x)",
        "* | timechart 5m count by servce",
        "* | top servce",
        "* | rare servce by service",
        "* | top service by servce",
        "* | sort -servce",
        "* | dedup servce",
        "* | uniq servce",
        "* | where servce:api",
        "* | where len(servce) > 1",
        "* | fields servce",
        "* | rename servce as s",
        "* | eval x = servce",
        "* | eventstats count by servce",
        "* | streamstats sum(latency) by servce",
        '* | rex "(?<n>[0-9]+)" from servce',
        "* | patterns by servce",
        "* | transaction servce",
        "* | delta servce",
        "servce:api",
    ],
)
def test_a_misspelled_field_is_told_of(wide: Stored, env: str, query: str) -> None:
    assert list_unknown(wide, env, query) == {
        "servce": "no event has a field servce, did you mean service?"
    }


@together(
    "query",
    [
        "* | stats count by service, rare_field",
        "* | stats count by Service",
        "* | eval x = latency + 1, y = x | stats avg(y) by x",
        "* | rename service as s | stats count by s",
        '* | rex "(?<n>[0-9]+)" | stats count by n',
        '* | extract "event <n>" | top n',
        "* | unpack json | stats count by anything",
        "* | stats count as c by service | sort -c | where c > 1",
        "* | eventstats avg(latency) as a | where latency > a",
        "* | delta latency as d | sort d",
        "* | fillnull 0 bytes | stats sum(bytes)",
        "* | drop nothing",
        "* | fields no*",
        "* | stats count by _time:5m, _index, _env | sort _time",
        "* | sort @timestamp",
        "index:default env:prod",
    ],
)
def test_what_is_there_or_made_is_not(wide: Stored, env: str, query: str) -> None:
    assert list_unknown(wide, env, query) == {}


def test_only_a_single_slip_is_taken_for_a_misspelling(wide: Stored, env: str) -> None:
    assert list_unknown(wide, env, "* | stats count by serve") == {
        "serve": "no event has a field serve"
    }


def test_the_own_name_of_an_index_is_offered(wide: Stored, env: str) -> None:
    assert list_unknown(wide, env, "* | stats count by index") == {
        "index": "no event has a field index, did you mean _index?"
    }


def test_several_are_told_of_together(wide: Stored, env: str) -> None:
    found = list_unknown(wide, env, "colour:red | stats avg(latncy) by servce")
    assert sorted(map(str, found)) == ["colour", "latncy", "servce"]


def test_nothing_is_said_where_it_is_not_certain(narrow: Stored) -> None:
    """Where fields overflow, or nothing was searched, or blocks hold what the asker may not see."""
    env = narrow.make_env()
    narrow.keep(env, [{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}])
    assert list_unknown(narrow, env, "* | stats count by servce") == {}
    assert list_unknown(narrow, "nowhere", "* | stats count by servce") == {}


def test_names_in_hidden_indexes_are_not_told(wide: Stored) -> None:
    env = wide.make_env()
    wide.add(env, [{"timestamp": NOW_NS, "service": "api"}], "open")
    wide.add(env, [{"timestamp": NOW_NS, "secret": "x"}], "hidden")
    wide.flush()
    bounds = IndexBounds(("open",))
    warnings = wide.search(env, "* | stats count by secre", allowed=bounds).warnings
    assert not [each for each in warnings if "secret" in str(each)]


def test_stops_where_rows_are_no_longer_events() -> None:
    assert list_named(parse("a:1 | stats count by b | sort c | where d:1")) == {"a", "b"}
    assert list_named(parse("* | eval x = y, y = x | fields x, z*")) == {"y"}


@together(
    ("query", "field", "columns"),
    [
        ("* | stats count by service | sort -cnt", "cnt", "service, count"),
        ("* | stats count by service | where cnt>5", "cnt", "service, count"),
        ("* | stats count as n | eval x = n + m", "m", "n"),
        ("* | uniq service | eval n = count | fields hits", "hits", "service, count, n"),
        ("* | top service | where share>1", "share", "service, count, percent"),
        (
            "* | transaction service | where eventcount>2",
            "eventcount",
            "service, _time, duration, count, messages",
        ),
    ],
)
def test_a_table_without_the_column(
    wide: Stored, env: str, query: str, field: str, columns: str
) -> None:
    message = f"the table has no column {field}, it has {columns}"
    assert list_unknown(wide, env, query) == {field: message}


@together(
    "query",
    [
        "* | stats count as n by service, _time:1h | sort -n, _time | eval m = n, k = m | where k>1",
        '* | stats count, avg(latency) by service | rename count as c | where "avg(latency)">1 c>1',
        "* | stats count by service | fillnull size | where size:0 | drop other",
        "* | stats count by service | where service:in(latency:1 | stats count by service)",
        "* | stats count by service | join service (* | uniq service, latency) | where latency>1",
        "* | stats count by service | addtotals count | delta count as d | where Total>0 d>0 word",
        "* | timechart 5m count by service | fields api",
    ],
)
def test_columns_that_the_query_makes_are_known(wide: Stored, env: str, query: str) -> None:
    assert list_unknown(wide, env, query) == {}
