"""Figures: the table of each time range, events counted."""

from pathlib import Path

import pytest
from tests.engine.stored import Stored
from tests.store.integrity.damaging import flip

from logboom.base.clock import NS_PER_S
from logboom.base.errors import DeadlineExceeded, Invalid
from logboom.base.process.deadline import Deadline
from logboom.engine.answers.figures import Meter
from logboom.engine.terms.request import Request
from logboom.lang.parse import parse

EVENTS = [{"timestamp": 1_000 + n, "host": "ab"[n % 2]} for n in range(10)]


def at(second: int) -> int:
    return (1_000 + second) * NS_PER_S


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    env = wide.make_env()
    wide.keep(env, EVENTS)
    return env


def test_each_range_has_its_own_figures(wide: Stored, env: str) -> None:
    meter = Meter(wide.make_finder(env, "host:a"))
    measured = [meter.measure(at(start), at(start + 4), 10) for start in (0, 4, 8, 12)]
    assert [figures.rows for figures in measured] == [[{"count": n}] for n in (2, 2, 1, 0)]
    assert {figures.columns for figures in measured} == {("count",)}


def test_now_is_the_end_of_the_range(wide: Stored, env: str) -> None:
    meter = Meter(wide.make_finder(env, "_time:2s | stats count by host"))
    figures = meter.measure(at(0), at(5), 10)
    assert figures.rows == [{"host": "a", "count": 1}, {"host": "b", "count": 1}]


def test_a_table_has_a_bounded_number_of_rows(wide: Stored, env: str) -> None:
    meter = Meter(wide.make_finder(env, "* | stats count by host"))
    assert len(meter.measure(at(0), at(10), 2).rows) == 2
    with pytest.raises(Invalid, match="the answer has 2 rows, expected at most 1"):
        meter.measure(at(0), at(10), 1)


def test_what_is_cut_short_is_an_error(wide: Stored, env: str) -> None:
    cancelled = Deadline()
    meter = Meter(wide.engine.make_finder(Request(parse('host=~"a"'), (env,)), cancelled))
    before = meter.is_out_of_time
    cancelled.set()
    assert (before, meter.is_out_of_time) == (False, True)
    with pytest.raises(DeadlineExceeded):
        meter.measure(at(0), at(10), 10)


def test_figures_name_what_their_own_range_lacks(tmp_path: Path) -> None:
    stored = Stored(tmp_path)
    stored.keep("env", EVENTS[:5])
    stored.keep("env", EVENTS[5:])
    older = min(stored.store.snapshot().list_blocks(), key=lambda info: info.first_ns)
    flip(Path(stored.store.objects.locate(older.path)), 100)
    finder = stored.make_finder("env", 'host=~"a"')
    meter = Meter(finder)
    before, after = meter.measure(at(0), at(5), 10), meter.measure(at(5), at(10), 10)
    assert [warning["block"] for warning in before.warnings] == [older.path]
    assert (after.rows, after.warnings) == ([{"count": 2}], [])
    assert finder.losses, "the query as a whole knows, and is run again when the block is only gone"
    stored.close()
