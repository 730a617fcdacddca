"""The events of the golden directories: every form that an event or a value can have, in a few hundred lines."""

import json
from collections.abc import Iterator

Event = dict[str, object]

SERVICES = ("checkout", "payments", "search")
DAYS = ("2025-03-01", "2025-03-02", "2025-03-03")


def make_requests(day: str, count: int, first: int = 0) -> Iterator[Event]:
    """Plain requests, such as a web shop logs."""
    for number in range(first, first + count):
        yield {
            "timestamp": f"{day}T{number % 24:02d}:{number % 60:02d}:07.{number:03d}456789Z",
            "level": ("info", "warning", "error")[number % 3],
            "service": SERVICES[number % len(SERVICES)],
            "message": f"request {number} took {number % 97} ms",
            "status": 200 + number % 5,
            "duration": number / 8,
            "cached": number % 2 == 0,
        }


SPECIAL: tuple[str, ...] = (
    # Mixed types of one field, in events of one day.
    '{"timestamp":"2025-03-02T10:00:00Z","message":"text code","code":"E42"}',
    '{"timestamp":"2025-03-02T10:00:01Z","message":"integer code","code":42}',
    '{"timestamp":"2025-03-02T10:00:02Z","message":"decimal code","code":4.25}',
    '{"timestamp":"2025-03-02T10:00:03Z","message":"boolean code","code":true}',
    '{"timestamp":"2025-03-02T10:00:04Z","message":"null code","code":null}',
    '{"timestamp":"2025-03-02T10:00:05Z","message":"list code","code":["a","b"]}',
    # Lists of every type, mixed and empty ones.
    '{"timestamp":"2025-03-02T11:00:00Z","message":"lists","texts":["x","y"],"ints":[1,2,3],"floats":[0.5,1.5],"flags":[true,false]}',
    '{"timestamp":"2025-03-02T11:00:01Z","message":"odd lists","mixed":[1,"two",3.5,null],"empty":[],"hollow":{}}',
    '{"timestamp":"2025-03-02T11:00:02Z","message":"objects in a list","items":[{"sku":"A1","n":2},{"sku":"B2","n":1}]}',
    # Nesting, keys that need care.
    '{"timestamp":"2025-03-02T12:00:00Z","message":"nested","http":{"request":{"method":"GET","headers":{"Host":"shop.test"}},"status":404}}',
    '{"timestamp":"2025-03-02T12:00:01Z","message":"deep","a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":{"i":{"j":{"k":{"l":{"m":{"n":{"o":{"p":{"q":1}}}}}}}}}}}}}}}}}',
    '{"timestamp":"2025-03-02T12:00:02Z","message":"keys","Case":"Upper","case":"lower","with:colon":"c","with space":"s","_private":"p","ünïcode":"ü","":"empty key"}',
    # What columns cannot give back: repeated keys, integers beyond 64 bits.
    '{"timestamp":"2025-03-02T13:00:00Z","message":"repeated","key":1,"key":2}',
    '{"timestamp":"2025-03-02T13:00:01Z","message":"huge integer","big":123456789012345678901234567890}',
    '{"timestamp":"2025-03-02T13:00:02Z","message":"limits","least":-9223372036854775808,"most":9223372036854775807,"tiny":5e-324,"large":1.7976931348623157e308}',
    # Texts that need care.
    '{"timestamp":"2025-03-02T14:00:00Z","message":"quotes \\" and \\\\ and \\u0000 and \\ud83d\\ude00 and\\nlines"}',
    '{"timestamp":"2025-03-02T14:00:01Z","message":"","blank":" ","zero":0,"minus":-0.0}',
    # Other forms of the time.
    '{"ts":1740920400123,"message":"milliseconds"}',
    '{"@timestamp":"2025-03-02T13:00:00+02:00","message":"offset"}',
    '{"time":"1740920400.5","msg":"seconds as text"}',
    # Times far away.
    '{"timestamp":"1931-07-01T00:00:00.000000001Z","message":"long ago"}',
    '{"timestamp":"2261-12-31T23:59:59.999999999Z","message":"far ahead"}',
)


def make_wide() -> Event:
    """More fields than a block gives columns to."""
    attributes = {f"attribute_{number:03d}": f"value {number}" for number in range(90)}
    return {"timestamp": "2025-03-03T09:00:00Z", "message": "wide", **attributes}


def encode(events: Iterator[Event] | list[Event]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def make_sparse(day: str, count: int) -> list[Event]:
    """Events of which hardly two have the same fields."""
    return [
        {"timestamp": f"{day}T15:{number // 60:02d}:{number % 60:02d}Z", "number": number}
        | {f"s{bit}": number for bit in range(9) if number >> bit & 1}
        for number in range(count)
    ]
