"""Logboom as a library: a data directory searched in place."""

import itertools
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.running import RunningService, encode_lines

import logboom
from logboom import library
from logboom.base.errors import Invalid, NotFound
from logboom.engine.rows.frames import make_frame
from logboom.lang.errors import InvalidQuery
from logboom.library import Logs

EVENTS = [
    {"timestamp": 1_700_000_000, "level": "info", "service": "shop", "ms": 5},
    {"timestamp": 1_700_000_060, "level": "error", "service": "pay", "ms": 7.5, "tags": ["a", "b"]},
    {"timestamp": 1_700_000_120, "level": "error", "service": "pay", "ms": "slow"},
]


@pytest.fixture
def logs(service: RunningService, env: str) -> Iterator[Logs]:
    service.keep(encode_lines(EVENTS), {"env": env})
    with logboom.open(service.root) as opened:
        yield opened


def test_rows_are_what_the_service_answers(logs: Logs, service: RunningService, env: str) -> None:
    for query in ("", "level:error", "* | stats count by service", "* | fields ms", "nothing"):
        results, answer = logs.search(query, env=env), service.search(query, env=env)
        assert list(results) == results.rows == answer["rows"]
        assert (results.columns, results.query) == (answer["columns"], answer["query"])
        assert (results.warnings, results.complete) == (answer["warnings"], answer["complete"])
        assert results.hint == answer.get("explanation", {}).get("hint", "")
        assert len(results) == len(answer["rows"])


def test_results_are_a_frame(logs: Logs, env: str) -> None:
    frame = logs.search("* | fields _time, ms, tags, service", env=env).to_polars()
    assert frame.schema == {
        "_time": pl.Datetime("ns", "UTC"),
        "ms": pl.String(),
        "tags": pl.List(pl.String()),
        "service": pl.String(),
    }
    assert frame["_time"][0] == datetime(2023, 11, 14, 22, 15, 20, tzinfo=UTC)
    assert frame["ms"].to_list() == ["slow", "7.5", "5"]
    assert frame["tags"].to_list() == [None, ["a", "b"], None]
    counts = logs.search("* | stats count, avg(ms) a by service", env=env).to_polars()
    assert counts.rows() == [("pay", 2, 7.5), ("shop", 1, 5.0)]
    assert logs.search("nothing", env=env).to_polars().height == 0


values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**80), 2**80),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.lists(st.one_of(st.integers(), st.text(st.characters(exclude_categories=["Cs"])))),
)


@given(st.lists(values))
def test_any_values_make_a_column(cells: list[object]) -> None:
    frame = make_frame(["a"], [{"a": cell} for cell in cells])
    column = frame["a"].to_list()
    assert [cell is None for cell in column] == [cell is None for cell in cells]
    if {type(cell) for cell in cells} in ({str}, {bool}, {float}):
        assert column == cells


def test_numbers_stay_exact_if_they_can() -> None:
    rows: list[dict[str, object]] = [
        {"a": 2**62 + 1, "b": 1, "c": True},
        {"a": 1, "b": 0.5, "c": 1},
    ]
    frame = make_frame(["a", "b", "c"], rows)
    assert frame.rows() == [(2**62 + 1, 1.0, "true"), (1, 0.5, "1")]


def test_huge_numbers_are_texts() -> None:
    frame = make_frame(["a"], [{"a": 10**400}, {"a": 1}, {"a": 0.5}])
    assert frame["a"].to_list() == [str(10**400), "1", "0.5"]


def test_times_that_are_none_stay_as_they_are() -> None:
    frame = make_frame(["_time"], [{"_time": "2023-11-14T22:13:20Z"}, {"_time": "later"}])
    assert frame["_time"].to_list() == ["2023-11-14T22:13:20Z", "later"]


def test_options_choose_what_is_found(logs: Logs, service: RunningService, env: str) -> None:
    service.keep(encode_lines([{"ms": 1}]), {"env": env, "index": "other"})
    assert len(logs.search(env=env, index="Oth*,none")) == 1
    assert len(logs.search(env=f"{env[:-3]}*, missing", end="2023-11-14T22:15:20Z")) == 2
    assert len(logs.search(env=env, start=1_700_000_060, end=1_700_000_120)) == 1
    assert logs.search(env=env, limit=1, count=True).total == 4
    assert "_raw" in logs.search(env=env, raw=True).rows[0]
    assert env in logs.environments


def test_a_cursor_goes_on(logs: Logs, env: str) -> None:
    first = logs.search(env=env, limit=2)
    second = logs.search(env=env, limit=2, cursor=first.cursor)
    assert [row["ms"] for row in (*first, *second)] == ["slow", 7.5, 5]
    assert second.cursor is None


def test_what_is_wrong_is_said(logs: Logs, env: str) -> None:
    with pytest.raises(InvalidQuery, match="col 5"):
        logs.search("* | stast count", env=env)
    for options in ({"limit": -1}, {"limit": 2**40}, {"env": " ,"}, {"index": ""}, {"start": "x"}):
        with pytest.raises(Invalid):
            logs.search(**options)


def test_lookups_use_the_tables_given(logs: Logs, service: RunningService, env: str) -> None:
    owners = pl.DataFrame({"service": ["pay"], "owner": ["ann"]})
    with logboom.open(service.root, tables={"owners": owners}) as with_tables:
        results = with_tables.search("* | lookup owners service | stats count by owner", env=env)
    assert results.rows == [{"owner": "ann", "count": 2}, {"owner": None, "count": 1}]


def test_a_tail_begins_when_it_is_asked_for(
    logs: Logs, service: RunningService, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "POLL_S", 0.01)
    tail = logs.tail("n>0", env=env)
    service.keep(encode_lines([{"n": 0}, {"n": 1}]), {"env": env})
    assert next(tail)["n"] == 1
    service.keep(encode_lines([{"n": 2}]), {"env": env})
    assert next(tail)["n"] == 2


def test_a_new_environment_can_be_followed(
    service: RunningService, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "POLL_S", 0.01)
    with logboom.open(service.root) as logs:
        tail = logs.tail(env=env)
        service.keep(encode_lines([{"n": 1}]), {"env": env})
        assert next(tail)["n"] == 1


def test_searches_agree_with_a_writer_that_goes_on(
    logs: Logs, service: RunningService, env: str
) -> None:
    """While blocks are made every search sees whole ones, and never fewer than before."""
    enough = threading.Event()

    def write() -> None:
        for number in itertools.count():
            if enough.is_set():
                return
            service.keep(encode_lines([{"pair": number}] * 2), {"env": env})

    thread = threading.Thread(target=write)
    thread.start()
    try:
        counts = [logs.search("pair:* | stats count", env=env).rows[0]["count"] for _ in range(30)]
    finally:
        enough.set()
        thread.join()
    assert counts == sorted(counts)
    assert not any(count % 2 for count in counts)


def test_several_threads_share_one(logs: Logs, env: str) -> None:
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(len(logs.search("level:error", env=env))))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2] * 8


def test_progress_is_told(logs: Logs, env: str) -> None:
    told: list[tuple[int, int]] = []
    logs.search("* | stats avg(ms)", env=env, on_progress=lambda *step: told.append(step))
    assert told == [(1, 1)]


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no store at"):
        logboom.open(tmp_path)
