"""Timestamps: every form of the specification, to the nanosecond, and back to the very text."""

import re
from datetime import UTC, datetime, timedelta, timezone
from random import Random

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.model.strategies import mutate
from tests.model.twins import ARRIVAL_NS, open_native, scan_both
from tests.properties import examples
from tests.together import together

from logboom.model.timestamps import MAX_TIME_NS, MIN_TIME_NS, parse_time, render_time

SECOND_NS = 10**9
NOON_NS = 1_709_208_000 * SECOND_NS
"""2024-02-29T12:00:00Z"""


@together(
    ("text", "time_ns"),
    [
        ("2024-02-29T12:00:00Z", NOON_NS),
        ("2024-02-29T12:00:00z", NOON_NS),
        ("2024-02-29t12:00:00Z", NOON_NS),
        ("2024-02-29T12:00:00", NOON_NS),
        ("2024-02-29 12:00:00", NOON_NS),
        ("2024-02-29 12:00:00Z", NOON_NS),
        ("2024-02-29 12:00:00 UTC", NOON_NS),
        ("2024-02-29 12:00:00 +0000", NOON_NS),
        ("2024-02-29T12:00", NOON_NS),
        ("2024-02-29", NOON_NS - 12 * 3600 * SECOND_NS),
        ("20240229T120000Z", NOON_NS),
        ("2024-02-29T17:30:00+05:30", NOON_NS),
        ("2024-02-29T17:30:00+0530", NOON_NS),
        ("2024-02-29T07:00:00-05", NOON_NS),
        ("2024-02-28T12:01:00-23:59", NOON_NS),
        ("2024-02-29T12:00:00.5Z", NOON_NS + 500_000_000),
        ("2024-02-29T12:00:00.123456789Z", NOON_NS + 123_456_789),
        ("2024-02-29T12:00:00.1234567899Z", NOON_NS + 123_456_789),
        ("2024-02-29T12:00:00.000000001+00:00", NOON_NS + 1),
        ("2024-02-29 12:00:00,123", NOON_NS + 123_000_000),
        ("29/Feb/2024:12:00:00 +0000", NOON_NS),
        ("29/Feb/2024:14:00:00 +0200", NOON_NS),
        ("29/Feb/2024:12:00:00", NOON_NS),
        ("2016-12-31T23:59:60Z", 1_483_228_800 * SECOND_NS),
        ("1969-12-31T23:59:59.999999999Z", -1),
        ("1709208000", NOON_NS),
        ("1709208000.5", NOON_NS + 500_000_000),
        ("1709208000123", NOON_NS + 123_000_000),
    ],
)
def test_texts(text: str, time_ns: int) -> None:
    parsed = parse_time(text, quoted=True)
    assert parsed is not None
    assert parsed.time_ns == time_ns


@together(
    ("text", "time_ns"),
    [
        ("0", 0),
        ("1709208000", NOON_NS),
        ("1709208000.123456789", NOON_NS + 123_456_789),
        ("1709208000.1234567899999", NOON_NS + 123_456_789),
        ("1709208000.99999999999999999999999999", NOON_NS + 999_999_999),
        ("1709208000123", NOON_NS + 123_000_000),
        ("1709208000123.456789", NOON_NS + 123_456_789),
        ("1709208000123456", NOON_NS + 123_456_000),
        ("1709208000123456.789", NOON_NS + 123_456_789),
        ("1709208000123456789", NOON_NS + 123_456_789),
        ("1.709208e9", NOON_NS),
        ("-1.5", -1_500_000_000),
        ("9223372036.854775807", MAX_TIME_NS),
        ("-9223372036.854775808", MIN_TIME_NS),
        ("100000000000", 100_000_000 * SECOND_NS),
        ("100000000000000", 100_000_000 * SECOND_NS),
        ("100000000000000000", 100_000_000 * SECOND_NS),
        ("1e-999999999", 0),
        ("0E30", 0),
        ("1709208000." + "0" * 200, NOON_NS),
    ],
)
def test_numbers_by_their_magnitude(text: str, time_ns: int) -> None:
    parsed = parse_time(text, quoted=False)
    assert parsed is not None
    assert parsed.time_ns == time_ns


@together(
    "text",
    [
        *("", " ", "yesterday", "12:00:00", "2024-02", "1709208000 ", "0x10", "1_000", "\u0661\u0667"),
        *("2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-00-01"),
        *("2024-04-31T00:00:00Z", "2024-01-00T00:00:00Z", "0000-01-01T00:00:00Z"),
        *("2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:61Z"),
        *("2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+00:60", "2024-01-01T00:00:00.Z"),
        *("2024-01-01T00:00:00ZZ", "2024-01-01T00:00:00+1", "2024-1-1T00:00:00Z"),
        *("29/feb/2024:12:00:00 +0000", "29/Xyz/2024:12:00:00 +0000", "31/Jun/2024:12:00:00 +0000"),
        *("1677-09-21T00:12:43Z", "2262-04-11T23:47:17Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
        *("9300000000", "99999999999", "99999999999.99999999999999999999999", "9223372036854775808"),
        *("1e400", "1e99999999999999999999", "-1e-99999999999999999999", "9" * 50, "0." + "0" * 300),
    ],
)  # fmt: skip
def test_what_is_no_time_of_ours(text: str) -> None:
    assert parse_time(text, quoted=True) is None
    assert parse_time(text, quoted=False) is None


def test_the_ends_of_the_range() -> None:
    last = parse_time("2262-04-11T23:47:16.854775807Z", quoted=True)
    first = parse_time("1677-09-21T00:12:43.145224192Z", quoted=True)
    assert last is not None
    assert first is not None
    assert (first.time_ns, last.time_ns) == (MIN_TIME_NS, MAX_TIME_NS)


def test_texts_are_times_only_in_quotes() -> None:
    assert parse_time("2024-02-29T12:00:00Z", quoted=False) is None


moments = st.datetimes(datetime(1678, 1, 1), datetime(2262, 1, 1))  # noqa: DTZ001
zones = st.one_of(
    st.sampled_from([("", 0), ("Z", 0), ("UTC", 0), ("+00:00", 0), ("-00:00", 0)]),
    st.tuples(
        st.sampled_from("+-"), st.integers(0, 23), st.integers(0, 59), st.sampled_from(["", ":"])
    ).map(
        lambda parts: (
            f"{parts[0]}{parts[1]:02d}{parts[3]}{parts[2]:02d}",
            (parts[1] * 60 + parts[2]) * (-1 if parts[0] == "-" else 1),
        )
    ),
)
fractions = st.none() | st.from_regex(r"[.,][0-9]{1,9}", fullmatch=True)


@settings(max_examples=examples(300), deadline=None)
@given(moments, st.sampled_from("T "), fractions, zones)
def test_iso_forms_are_read_exactly_and_written_back(
    moment: datetime, separator: str, fraction: str | None, zone: tuple[str, int]
) -> None:
    text = f"{moment:%Y-%m-%d}{separator}{moment:%H:%M:%S}{fraction or ''}{zone[0]}"
    aware = moment.replace(microsecond=0, tzinfo=timezone(timedelta(minutes=zone[1])))
    seconds = (aware - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    parsed = parse_time(text, quoted=True)
    assert parsed is not None
    assert parsed.time_ns == seconds * SECOND_NS + int((fraction or ".0")[1:].ljust(9, "0"))
    assert parsed.format is not None
    assert render_time(parsed.time_ns, parsed.format) == text


@settings(max_examples=examples(200), deadline=None)
@given(moments, st.sampled_from(["", " +0000", " -0830", " +2359"]))
def test_apache_forms_are_written_back(moment: datetime, zone: str) -> None:
    text = f"{moment:%d/%b/%Y:%H:%M:%S}{zone}"
    parsed = parse_time(text, quoted=True)
    assert parsed is not None
    assert parsed.format is not None
    assert render_time(parsed.time_ns, parsed.format) == text


@settings(max_examples=examples(300), deadline=None)
@given(
    st.integers(MIN_TIME_NS, MAX_TIME_NS),
    st.sampled_from([(9, 0, 10**11), (6, 10**11, 10**14), (3, 10**14, 10**17), (0, 10**17, 2**63)]),
    st.booleans(),
)
def test_numbers_are_written_back(time_ns: int, unit: tuple[int, int, int], quoted: bool) -> None:
    digits, least, limit = unit
    whole, fraction = divmod(abs(time_ns), 10**digits)
    text = f"{'-' if time_ns < 0 else ''}{whole}" + (f".{fraction:0{digits}d}" if digits else "")
    parsed = parse_time(text, quoted=quoted)
    if least <= whole < limit:
        assert parsed is not None
        assert parsed.time_ns == time_ns
    if parsed is not None and parsed.time_ns != 0:
        assert parsed.format is not None
        assert render_time(parsed.time_ns, parsed.format) == text


time_like = st.from_regex(
    re.compile(
        r"-?[0-9]{1,20}(\.[0-9]{1,12})?|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:,.+Z-]{0,25}", re.ASCII
    ),
    fullmatch=True,
)


@settings(max_examples=examples(500), deadline=None)
@given(time_like | st.text(max_size=30), st.booleans())
@example("-0", False)
@example("007", True)
@example("-0.000000000", False)
@example("2016-12-31T23:59:60Z", True)
@example("2024-02-29 12:00:00 ", True)
@example("2024-02-29 12:00:00 Z", True)
@example("2024-02-29T12:00:00.0000000000Z", True)
def test_a_format_always_gives_the_text_back(text: str, quoted: bool) -> None:
    parsed = parse_time(text, quoted=quoted)
    if parsed is not None:
        assert MIN_TIME_NS <= parsed.time_ns <= MAX_TIME_NS
    if parsed is not None and parsed.format is not None:
        assert render_time(parsed.time_ns, parsed.format) == text


def test_compiled_code_reads_the_same_times() -> None:
    chance = Random(1)
    texts = [
        *(
            '"2024-02-29T12:30:45.123456789Z"',
            '"1999-12-31 23:59:59,5"',
            '"2100-02-28T00:00:00+05:30"',
        ),
        *('"29/Feb/2024:12:30:45 +0200"', "1700000000", "1700000000123", "1700000000123456"),
        *("1700000000123456789", "1700000000.25", '"1700000000.25"', "9000000000", "99999999999"),
        *(
            "8999999999999",
            "9000000000000",
            "99999999999999",
            "8999999999999999",
            "99999999999999999",
        ),
    ]
    lines = [b'{"ts":%b}' % text.encode() for text in texts]
    several = lines + [mutate(line, chance) for line in lines for _ in range(300)]
    scan = scan_both(open_native(), b"\n".join(several))
    assert sum(time_ns != ARRIVAL_NS for time_ns in scan.times_ns) > len(several) // 4
