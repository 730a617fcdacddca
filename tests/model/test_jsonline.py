"""Lines of JSON: what is accepted, and that nothing of it is forgotten."""

import json

from hypothesis import HealthCheck, given, settings
from tests.model import oracle
from tests.model.strategies import lines, nest, wild_events
from tests.properties import examples
from tests.together import together

from logboom.model.jsonline import (
    MAX_NESTING,
    MAX_VALUES,
    Members,
    Number,
    clean_text,
    encode_value,
    keeps_digits,
    parse_object,
    read_number,
)
from logboom.model.names import parse_template
from logboom.model.shredder import open_shredder


def test_order_repetition_and_spelling_are_kept() -> None:
    event = parse_object(b' {"b":1.50,"a":[true,null],"b":{"":-0}}\r\n')
    assert event == Members(
        [("b", Number("1.50")), ("a", [True, None]), ("b", Members([("", Number("-0"))]))]
    )


@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lines)
def test_lines_are_events_exactly_when_they_are_json_objects(line: bytes) -> None:
    assert (parse_object(line) is None) == (oracle.parse(line.strip(b" \t\r\n")) is None)


@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(wild_events)
def test_encoding_forgets_nothing(text: str) -> None:
    event = parse_object(text.encode())
    assert event is not None
    assert parse_object(encode_value(event).encode(errors="surrogatepass")) in (event, None)
    assert encode_value(event) == oracle.write_json(oracle.parse(text.encode()))


@together(
    "line",
    [
        *(b"", b"null", b"1", b"[]", b'"{}"', b"{} {}", b"{}x", b'{"a":NaN}', b'{"a":-Infinity}'),
        *(b'{"a":01}', b'{"a":1.}', b'{"a":1,}', b"{'a':1}", b'{"a":"\x00"}', b'{"a":"\xff"}', b"\xef\xbb\xbf{}"),
        *(b'{"a":"\xed\xa0\x80"}', b'{"a":"\\x"}', b'{"a":"\n"}', b'{a:1}', b'{"a":tru}'),
    ],
)  # fmt: skip
def test_what_is_no_event(line: bytes) -> None:
    assert parse_object(line) is None


def test_nesting_has_a_limit() -> None:
    assert parse_object(nest(MAX_NESTING, "1").encode()) is not None
    assert parse_object(nest(MAX_NESTING + 1, "1").encode()) is None
    assert parse_object(nest(10_000, "1").encode()) is None
    assert parse_object(b'{"a":' + b"[" * 100_000) is None


def test_the_number_of_values_has_a_limit_that_commas_in_texts_do_not_reach() -> None:
    assert parse_object(b'{"a":[%b1]}' % (b"1," * (MAX_VALUES - 1))) is not None
    assert parse_object(b'{"a":"%b","b":1}' % (b"," * 2 * MAX_VALUES)) is not None
    assert parse_object(b'{"a":"%b","b":1}' % (b',\\"' * MAX_VALUES)) is not None
    for values in (b"1,", b"[],", b'{"b":","},', b'"",'):
        line = b'{"a":[%b1]}' % (values * MAX_VALUES)
        assert parse_object(line) is None
        assert open_shredder().shredder.scan_lines(line, 0, parse_template("default")).errors == 1


@together(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775808", 9.223372036854775808e18),
        ("-9223372036854775809", -9.223372036854775808e18),
        ("1.0", 1.0),
        ("1e5", 1e5),
        ("1e-400", 0.0),
        ("1e400", "1e400"),
        ("-1e400", "-1e400"),
        ("9" * 400, "9" * 400),
    ],
)
def test_numbers_are_int64_else_float_else_text(text: str, value: float | str) -> None:
    number = read_number(Number(text))
    assert number == value
    assert type(number) is type(value)


@together(
    ("text", "kept"),
    [
        *(("1.10", True), ("1E5", True), ("0.30000000000000004", True), ("1e22", True), ("0e5", True)),
        *(("0.1234567890123456789", False), ("1e-400", False), ("4.9e-324", False), ("5e-324", True)),
        *(("1e-99999999999999999999", False), ("1700000000.123456789", False)),
    ],
)  # fmt: skip
def test_floats_that_say_all_their_digits(text: str, kept: bool) -> None:
    assert keeps_digits(text, float(text)) == kept


def test_lone_surrogates_are_replaced() -> None:
    assert clean_text("a\ud800b\udfffé\U0001f600") == "a\ufffdb\ufffdé\U0001f600"
    assert clean_text(json.loads('"\\ud83d\\ude00"')) == "\U0001f600"
