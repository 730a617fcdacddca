"""`from` and `to` of a search: every form, the first included, the second not."""

from datetime import UTC, datetime

import pytest
from tests.running import RunningService, encode_lines
from tests.together import together

from logboom.base.clock import NS_PER_S, system_clock
from logboom.base.errors import Invalid
from logboom.lang.times import find_zone, parse_moment

MOMENT = "2024-05-06T07:08:09.123456789Z"
MOMENT_NS = 1_714_979_289_123_456_789
NOW_NS = MOMENT_NS
MINUTE_NS = 60 * NS_PER_S


@pytest.mark.parametrize(
    "exactly",
    [
        MOMENT,
        "2024-05-06T09:08:09.123456789+02:00",
        "2024-05-06 07:08:09.123456789",
        str(MOMENT_NS),
        MOMENT_NS,
        "1714979289.123456789",
        "1714979289123.456789",
        "1714979289123456.789",
    ],
)
def test_from_is_included_and_to_is_not(
    service: RunningService, env: str, exactly: str | int
) -> None:
    service.keep(encode_lines([{"timestamp": MOMENT, "id": 1}]), {"env": env})
    for params in ({"from": exactly}, {"from": exactly, "to": MOMENT_NS + 1}, {"from": MOMENT_NS}):
        assert service.count("", env=env, **params) == 1, params
    for params in ({"to": exactly}, {"from": exactly, "to": exactly}, {"from": MOMENT_NS + 1}):
        assert service.count("", env=env, **params) == 0, params
    by_address = {"env": env, "from": str(exactly), "to": str(MOMENT_NS + 1)}
    assert len(service.client.get("/api/search", params=by_address).json()["rows"]) == 1


@pytest.mark.parametrize("unit", [1, 1_000, 1_000_000, 1_000_000_000])
def test_numbers_are_read_by_their_magnitude(service: RunningService, env: str, unit: int) -> None:
    service.keep(encode_lines([{"timestamp": MOMENT, "id": 1}]), {"env": env})
    second = 1_714_979_289 * unit
    assert service.count("", env=env, **{"from": second, "to": second + unit}) == 1
    assert service.count("", env=env, **{"from": second + unit}) == 0


def test_relative_times_are_relative_to_now(service: RunningService, env: str) -> None:
    now_ns = system_clock()
    ages = {"new": 0, "hour": 90 * MINUTE_NS, "days": 3 * 24 * 60 * MINUTE_NS}
    events = [{"timestamp": now_ns - age_ns, "id": name} for name, age_ns in ages.items()]
    service.keep(encode_lines(events), {"env": env})

    def find(**scope: str) -> list[str]:
        return [row["id"] for row in service.search("", env=env, **scope)["rows"]]

    assert find(**{"from": "-15m"}) == ["new"]
    assert find(**{"from": "now-2h"}) == ["new", "hour"]
    assert find(**{"from": "-1w", "to": "-1h"}) == ["hour", "days"]
    assert find(to="-1d") == ["days"]
    assert find(**{"from": "now+1h"}) == []
    assert find(**{"from": "-4d/d", "to": "now+1d/d"}) == ["new", "hour", "days"]


@together(
    ("text", "expected"),
    [
        ("now", "2024-05-06T07:08:09.123456789Z"),
        ("now/s", "2024-05-06T07:08:09Z"),
        ("now/m", "2024-05-06T07:08:00Z"),
        ("now/h", "2024-05-06T07:00:00Z"),
        ("now/d", "2024-05-06T00:00:00Z"),
        ("-1h", "2024-05-06T06:08:09.123456789Z"),
        ("now-1h/h", "2024-05-06T06:00:00Z"),
        ("-1d/d", "2024-05-05T00:00:00Z"),
        ("+2d/d", "2024-05-08T00:00:00Z"),
        ("-1w", "2024-04-29T07:08:09.123456789Z"),
        ("-500ms", "2024-05-06T07:08:08.623456789Z"),
        (" now ", "2024-05-06T07:08:09.123456789Z"),
    ],
)
def test_relative_forms(text: str, expected: str) -> None:
    assert parse_moment(text, NOW_NS) == parse_moment(expected, 0)


@together(
    "text",
    ["", " ", "-", "now-", "-15", "-15x", "now/x", "now/ww", "tomorrow", "nan", "inf", "--1h"],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    if text == "-15":
        assert parse_moment(text, NOW_NS) == -15 * NS_PER_S
        return
    with pytest.raises(Invalid, match="expected RFC 3339"):
        parse_moment(text, NOW_NS)


@together(
    ("zone", "text", "expected"),
    [
        ("UTC", "now/d", "2024-05-06T00:00:00Z"),
        ("Europe/Berlin", "now/d", "2024-05-05T22:00:00Z"),
        ("Asia/Kolkata", "now/d", "2024-05-05T18:30:00Z"),
        ("Asia/Kolkata", "now/h", "2024-05-06T06:30:00Z"),
        ("America/Los_Angeles", "now/d", "2024-05-06T07:00:00Z"),
        ("Europe/Berlin", "2024-05-06T00:00:00Z", "2024-05-06T00:00:00Z"),
        ("Europe/Berlin", "+999999999w/d", None),
    ],
)
def test_days_begin_where_the_asker_is(zone: str, text: str, expected: str | None) -> None:
    moment_ns = parse_moment(text, NOW_NS, find_zone(zone))
    if expected is not None:
        assert moment_ns == parse_moment(expected, 0)


def test_a_day_that_began_under_another_clock_begins_at_its_midnight() -> None:
    berlin = find_zone("Europe/Berlin")
    after_change = datetime(2024, 3, 31, 12, tzinfo=UTC)
    moment_ns = parse_moment("now/d", int(after_change.timestamp()) * NS_PER_S, berlin)
    assert moment_ns == parse_moment("2024-03-30T23:00:00Z", 0)


def test_a_search_snaps_in_its_time_zone(service: RunningService, env: str) -> None:
    zone = find_zone("Pacific/Kiritimati")
    midnight_ns = parse_moment("now/d", system_clock(), zone)
    events = [{"timestamp": midnight_ns - 1}, {"timestamp": midnight_ns, "id": "today"}]
    service.keep(encode_lines(events), {"env": env})
    scope = {"from": "now/d", "timezone": "Pacific/Kiritimati"}
    assert [row.get("id") for row in service.search("", env=env, **scope)["rows"]] == ["today"]
