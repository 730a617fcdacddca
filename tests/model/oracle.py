"""A naive implementation of the rules for events: one value at a time, without regard to speed.

Written from the specification's "Event" and "Index name templating", not from the code.
"""

import json
import re
from collections.abc import Iterator
from datetime import datetime
from fractions import Fraction
from typing import NamedTuple

TIME_KEYS = [
    *("timestamp", "ts", "time", "@timestamp", "Timestamp"),
    *("eventTime", "datetime", "@t", "asctime"),
    *("_SOURCE_REALTIME_TIMESTAMP", "__REALTIME_TIMESTAMP"),
]
MESSAGE_KEYS = ["message", "msg", "Body", "body", "event", "Msg", "log.body", "@m", "@mt"]
SOURCE_KEYS = ["source", "log.source", "_source"]
CONTAINER_KEYS = ["Attributes", "Resource", "attributes", "resource"]
TIME_FORMS = ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%d/%b/%Y:%H:%M:%S")
LEVELS = 16
LONGEST_PATH = 1024
SHREDDED_ELEMENTS = 1000

Place = tuple[int, ...]
Names = tuple[str, ...]


class Pairs(list[tuple[str, object]]):
    """A JSON object with its keys in order, including repeated ones."""


class Numeral(str):
    """A JSON number as it was spelled."""


class Field(NamedTuple):
    """All that an event holds under one name."""

    spelling: str
    values: list[str | bool]
    many: bool


class Expected(NamedTuple):
    """The expected event of a line; fields by their name in lower case."""

    parsed: bool
    time_ns: int | None
    fields: dict[str, Field]


def read_event(line: bytes, source: str | None = None) -> Expected:
    event = parse(line)
    if event is None:
        message = line.decode(errors="backslashreplace")
        fields = {"message": Field("message", [message], many=False)}
        expected = Expected(parsed=False, time_ns=None, fields=fields)
    else:
        expected = map_and_flatten(event)
    if source:
        expected.fields.setdefault("source", Field("source", [source], many=False))
    return expected


def parse(line: bytes) -> Pairs | None:
    """Return the JSON object on a line."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        event = json.loads(
            line.decode(),
            object_pairs_hook=Pairs,
            parse_int=Numeral,
            parse_float=Numeral,
            parse_constant=refuse,
        )
    except ValueError:
        return None
    return event if isinstance(event, Pairs) else None


def map_and_flatten(event: Pairs) -> Expected:
    namespace = lift_containers(event)
    time_place = choose(namespace, "timestamp", TIME_KEYS)
    time_ns = None if time_place is None else read_time(look_up(namespace, time_place))
    core = {
        choose(namespace, name, keys): name
        for name, keys in (("message", MESSAGE_KEYS), ("source", SOURCE_KEYS))
    }
    fields: dict[str, Field] = {}
    listed = [place for place in core if place and is_bytes(*namespace[place[0]])]
    for (number,) in listed:
        numbers = namespace[number][1]
        assert isinstance(numbers, list)
        text = bytes(map(int, numbers)).decode(errors="backslashreplace")
        fields["message"] = Field("message", [text], many=False)
    for place, names, value, in_array in walk(namespace, (), (), in_array=False):
        if place[:1] in listed:
            continue
        if place == time_place and time_ns is not None:
            continue
        if place in core:
            text = write_json(value) if isinstance(value, bool) else str(value)
            add(fields, core[place], text, many=False)
            fields[core[place]] = fields[core[place]]._replace(spelling=core[place])
        else:
            add(fields, ".".join(names), value, many=in_array)
    return Expected(parsed=True, time_ns=time_ns, fields=fields)


def add(fields: dict[str, Field], name: str, value: str | bool, *, many: bool) -> None:
    name = clean(name)
    known = fields.get(name.lower())
    if known is None:
        fields[name.lower()] = Field(name, [value], many)
    else:
        fields[name.lower()] = Field(known.spelling, [*known.values, value], many=True)


def lift_containers(event: Pairs) -> Pairs:
    """Open the containers; the event's own keys win, then attributes, then resource."""

    def is_container(key: str, value: object) -> bool:
        return key in CONTAINER_KEYS and isinstance(value, Pairs)

    taken = {key.lower() for key, value in event if not is_container(key, value)}
    opened: dict[int, Pairs] = {}
    for name in ("attributes", "resource"):
        for number, (key, value) in enumerate(event):
            if key.lower() == name and is_container(key, value):
                assert isinstance(value, Pairs)
                opened[number] = Pairs(pair for pair in value if pair[0].lower() not in taken)
                taken |= {inner.lower() for inner, _ in value}
    lifted = Pairs()
    for number, pair in enumerate(event):
        lifted.extend(opened.get(number, [pair]))
    return lifted


def choose(namespace: Pairs, name: str, keys: list[str]) -> Place | None:
    """Return the place of the first alias that is present with a plain value."""
    for key in keys:
        outer, dot, inner = key.partition(".")
        for number, pair in enumerate(namespace):
            if pair[0] == key and is_plain(pair[1]):
                return (number,)
        for number, pair in enumerate(namespace):
            if dot and pair[0] == outer and isinstance(pair[1], Pairs):
                for place, nested in enumerate(pair[1]):
                    if nested[0] == inner and is_plain(nested[1]):
                        return number, place
    for number, pair in enumerate(namespace):
        if pair[0].lower() == name and (is_plain(pair[1]) or is_bytes(*pair)):
            return (number,)
    return None


def is_bytes(key: str, value: object) -> bool:
    """Return whether a value is a message as bytes, as the journal writes messages that are not plain text."""
    if key != "MESSAGE" or not isinstance(value, list) or isinstance(value, Pairs):
        return False
    return bool(value) and all(
        isinstance(item, Numeral) and item.isdigit() and str(int(item)) == item and int(item) < 256
        for item in value
    )


def is_plain(value: object) -> bool:
    return value is not None and not isinstance(value, list)


def look_up(value: object, place: Place) -> object:
    for number in place:
        assert isinstance(value, Pairs)
        value = value[number][1]
    return value


def walk(
    value: object, place: Place, names: Names, *, in_array: bool
) -> Iterator[tuple[Place, Names, str | bool, bool]]:
    """Yield every scalar of an event: its place, its path, its value, and whether an array holds it."""
    if isinstance(value, Pairs) and (len(names) == LEVELS or len("".join(names)) > LONGEST_PATH):
        yield place, names, write_json(value), in_array
    elif isinstance(value, Pairs):
        for number, (key, inner) in enumerate(value):
            yield from walk(inner, (*place, number), (*names, key), in_array=in_array)
    elif isinstance(value, list):
        for number, inner in enumerate(value[:SHREDDED_ELEMENTS]):
            yield from walk(inner, (*place, -1 - number), names, in_array=True)
    elif value is not None:
        assert isinstance(value, str | bool)
        yield place, names, value, in_array


def write_json(value: object) -> str:
    """Return compact JSON, numbers as they were spelled."""
    if isinstance(value, Pairs):
        inner = [f"{write_json(key)}:{write_json(item)}" for key, item in value]
        return "{" + ",".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ",".join(write_json(item) for item in value) + "]"
    return str(value) if isinstance(value, Numeral) else json.dumps(value, ensure_ascii=False)


def clean(text: str) -> str:
    """Replace lone surrogates, which cannot be stored, by the replacement character."""
    return "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in text)


def read_time(value: object) -> int | None:
    """Return the nanoseconds of a time in a specified form; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str):
        return None
    if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", value):
        nanoseconds = scale(Fraction(str(value)))
    else:
        nanoseconds = read_time_text(value)
    return nanoseconds if nanoseconds is not None and -(2**63) <= nanoseconds < 2**63 else None


def scale(number: Fraction) -> int | None:
    """Return seconds until the year 5138, then milliseconds, microseconds, nanoseconds."""
    for limit, unit_ns in ((10**11, 10**9), (10**14, 10**6), (10**17, 10**3)):
        if abs(number) < limit:
            return int(number * unit_ns)
    return int(number)


def read_time_text(text: str) -> int | None:
    text, offset_s = cut_zone(text)
    text, _, fraction = text.replace(",", ".").partition(".")
    for form in TIME_FORMS:
        try:
            moment = datetime.strptime(f"{text} +0000", f"{form} %z")
        except ValueError:
            continue
        return (int(moment.timestamp()) - offset_s) * 10**9 + int(fraction.ljust(9, "0")[:9])
    return None


def cut_zone(text: str) -> tuple[str, int]:
    zone = re.search(r" ?([+-])(\d\d):?(\d\d)$", text)
    if zone is None or ":" not in text:
        return text.removesuffix("Z"), 0
    sign, hours, minutes = zone.groups()
    offset_s = (int(hours) * 60 + int(minutes)) * 60
    return text[: zone.start()], -offset_s if sign == "-" else offset_s


def list_fields(expected: Expected) -> dict[str, object]:
    """Return the event as an answer shows it."""
    row: dict[str, object] = {}
    for field in expected.fields.values():
        shown = [show(value) for value in field.values]
        row[field.spelling] = shown if field.many else shown[0]
    return row


def show(value: str | bool) -> object:
    if not isinstance(value, Numeral):
        return value if isinstance(value, bool) else clean(value)
    return int(value) if re.fullmatch(r"-?\d+", value) else store(value)


def store(value: str | bool) -> str | int | float | bool:
    """Return a scalar as a column holds it: numbers as int64, else as a float, else as they were spelled."""
    if not isinstance(value, Numeral):
        return value if isinstance(value, bool) else clean(value)
    if re.fullmatch(r"-?\d+", value) and -(2**63) <= int(value) < 2**63:
        return int(value)
    return str(value) if abs(float(value)) == float("inf") else float(value)


def list_cells(expected: Expected) -> dict[str, tuple[type, object]]:
    """Return the type and content of the one column that holds each field of the event."""
    return {name: settle(field) for name, field in expected.fields.items()}


def settle(field: Field) -> tuple[type, object]:
    stored = [store(value) for value in field.values]
    if not field.many:
        return type(stored[0]), stored[0]
    types = {type(value) for value in stored}
    if len(types) == 1:
        return types.pop(), stored
    if types == {int, float}:
        return float, [float(value) for value in stored]
    return str, [
        clean(value) if isinstance(value, str) else write_json(value) for value in field.values
    ]


def resolve_index(template: str, line: bytes) -> str:
    """Return the index that an event asks for."""
    event = parse(line) or Pairs()

    def replace(placeholder: re.Match[str]) -> str:
        wanted = placeholder[1].strip()
        found = [
            (len(names), value)
            for names, value in list_values(event)
            if ".".join(names) == wanted and is_plain(value)
        ]
        shortest = min((length for length, _ in found), default=0)
        value = next((value for length, value in found if length == shortest), "")
        return str(value if isinstance(value, str) else write_json(value)) or "unknown"

    name = re.sub(r"\{\{(.*?)\}\}", replace, template).lower()
    return "".join(c if re.match("[a-z0-9_-]", c) else "-" for c in name)[:64] or "unknown"


def list_values(event: Pairs, names: Names = ()) -> Iterator[tuple[Names, object]]:
    for key, value in event:
        yield (*names, key), value
        if isinstance(value, Pairs):
            yield from list_values(value, (*names, key))
