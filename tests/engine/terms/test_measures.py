"""Durations and sizes in texts."""

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.together import together

from logboom.engine.terms.measures import find_field_unit, read_duration, read_size

NS_PER_S = 10**9


def read(expression: pl.Expr, *texts: str | None) -> list[float | None]:
    frame = pl.DataFrame({"text": texts}, schema={"text": pl.String})
    return frame.select(expression).to_series().to_list()


@together(
    ("text", "duration_ns"),
    [
        ("12ms", 12e6),
        ("1.5s", 1.5e9),
        ("2m", 120e9),
        ("1h30m", 5400e9),
        ("1h 30m 2.5s", 5402.5e9),
        ("-5ms", -5e6),
        ("-1m1s", -61e9),
        ("+3 us", 3e3),
        ("3µs", 3e3),
        ("3μs", 3e3),
        (".5h", 1800e9),
        ("2w1d", 15 * 86400e9),
        (" 7ns ", 7.0),
        ("5", None),
        ("ms", None),
        ("", None),
        ("12mms", None),
        ("12 parsecs", None),
        ("about 12ms", None),
        (None, None),
    ],
)
def test_a_duration_is_read_with_its_units(text: str | None, duration_ns: float | None) -> None:
    assert read(read_duration(pl.col("text"), 1), text) == [duration_ns]


@together(
    ("text", "size_bytes"),
    [
        ("10KB", 10_000.0),
        ("10kb", 10_000.0),
        ("1.5 MiB", 1.5 * 2**20),
        ("7B", 7.0),
        ("2K", 2000.0),
        ("-1GB", -1e9),
        ("3PiB", 3.0 * 2**50),
        ("1Ki", None),
        ("10", None),
        ("KB", None),
        ("", None),
        ("10KB/s", None),
        (None, None),
    ],
)
def test_a_size_is_read_with_its_unit(text: str | None, size_bytes: float | None) -> None:
    assert read(read_size(pl.col("text")), text) == [size_bytes]


@together(
    ("field", "unit_ns"),
    [
        ("took_ms", 10**6),
        ("durationMs", 10**6),
        ("http.request.millis", 10**6),
        ("lag_us", 10**3),
        ("lag_micros", 10**3),
        ("cpu_ns", 1),
        ("cpuNanos", 1),
        ("wait_seconds", NS_PER_S),
        ("wait_s", NS_PER_S),
        ("wait_secs", NS_PER_S),
        ("wait_milliseconds", 10**6),
        ("uptime_hours", 3600 * NS_PER_S),
        ("request_time", NS_PER_S),
    ],
)
def test_the_name_of_a_field_tells_its_unit(field: str, unit_ns: int) -> None:
    assert find_field_unit(field) == unit_ns


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=50))
def test_times_written_as_programs_do_are_read_back(lengths_s: list[int]) -> None:
    texts = [f"{s // 3600}h{s // 60 % 60}m{s % 60}s" for s in lengths_s]
    expected = [float(s * NS_PER_S) for s in lengths_s]
    assert read(read_duration(pl.col("text"), 1), *texts) == expected
