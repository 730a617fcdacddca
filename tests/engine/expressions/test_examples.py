"""Every function and operator by example."""

import re
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.engine.expressions.evaluation import compute, evaluate
from tests.engine.pipes.tables import make_table

from logboom.base.errors import Invalid, TooLarge
from logboom.engine.expressions import FUNCTIONS
from logboom.engine.expressions.operators import OPERATORS
from logboom.lang import ast
from logboom.lang.functions import FUNCTIONS as SIGNATURES
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.expressions import parse_expression

ROW: dict[str, Any] = {
    "n": 7,
    "big": 2**63 - 1,
    "f": 2.5,
    "whole": 4.0,
    "digits": " 42 ",
    "t": "Hello",
    "empty": "",
    "yes": True,
    "tags": ["a", "B", "c"],
    "sizes": [3, 1],
    "_time": 1_700_000_000_123_456_789,
    "ip": "10.1.2.3",
    "line": "user=bob took 12ms",
    "json": '{"a":{"b":[1,2.5,{"c":"x"}]},"d":null,"e":true,"f":["p","q"]}',
}

EXAMPLES: list[tuple[str, Any]] = [
    ("n + 1", 8),
    ("n + f", 9.5),
    ("digits + n", 49),
    ("big + 1", float(2**63)),
    ("big * big", float(2**63 - 1) ** 2),
    ("n - 10", -3),
    ("-n", -7),
    ("-(f)", -2.5),
    ("-(0 - big - 1)", float(2**63)),
    ("n / 2", 3.5),
    ("8 / 2", 4.0),
    ("n / 0", None),
    ("n % 0", None),
    ("n % 4", 3),
    ("-7 % 4", 1),
    ("7.5 % 2", 1.5),
    ("n ^ 2", 49),
    ("2 ^ 62", 2**62),
    ("2 ^ 64", 2.0**64),
    ("2 ^ -1", 0.5),
    ("0 ^ -1", None),
    ("(0 - 8) ^ 0.5", None),
    ("yes + 1", None),
    ("nothing + 1", None),
    ("t + t", "HelloHello"),
    ("t + n", None),
    ('"1" + "2"', 3),
    ('"1" + "b"', "1b"),
    ("t & n & f", "Hello72.5"),
    ("t & nothing", None),
    ("n == 7.0", True),
    ('n == "7"', True),
    ("yes == 1", False),
    ("yes == true", True),
    ('t == "hELLO"', True),
    ('t != "x"', True),
    ("nothing == 1", None),
    ("nothing != 1", None),
    ("n < 10", True),
    ('"9" < "10"', True),
    ('"b" < "A"', False),
    ("big > 9223372036854775806", True),
    ("big == 9223372036854775807", True),
    ("big < 9.223372036854775807e18", True),
    ('tags == "b"', True),
    ('"C" == tags', True),
    ('tags == "x"', False),
    ("sizes == 1", True),
    ("sizes > 2", True),
    ('_time > "2023-11-14"', True),
    ('_time < "2023-11-14T22:13:21Z"', True),
    ("_time < 1700000001", True),
    ('_time == "never"', False),
    ("true AND nothing", None),
    ("false AND nothing", False),
    ("true OR nothing", True),
    ("NOT nothing", None),
    ("NOT yes", False),
    ('line =~ "us.r"', True),
    ('line !~ "^took"', True),
    ('tags =~ "B"', True),
    ('nothing =~ "a"', None),
    ('if(n > 1, "a", 5)', "a"),
    ('if(n > 9, "a", 5)', 5),
    ("if(nothing, 1)", None),
    ('case(n > 9, "big", n > 5, "middle", "small")', "middle"),
    ('case(n > 9, "big", n > 8, "middle")', None),
    ("coalesce(nothing, tags, 1)", ["a", "B", "c"]),
    ("nullif(n, 7)", None),
    ("nullif(n, 8)", 7),
    ("lower(t)", "hello"),
    ("upper(t)", "HELLO"),
    ('len("añ")', 2),
    ("len(n)", 1),
    ('trim("  a ")', "a"),
    ('trim("xxaxx", "x")', "a"),
    ('ltrim("xxa", "x")', "a"),
    ('rtrim("a  ")', "a"),
    ("substr(t, 2)", "ello"),
    ("substr(t, 2, 3)", "ell"),
    ("substr(t, -2)", "lo"),
    ("substr(t, -9, 2)", "He"),
    ("substr(t, 0, 1)", "H"),
    ("substr(t, 1, -1)", ""),
    ("substr(t, nothing)", None),
    (r'replace(line, "[0-9]+(m)", "<$1>")', "user=bob took <m>s"),
    (r'replace(line, "(b)ob", "\\1ill")', "user=bill took 12ms"),
    ('split("a,b", ",")', ["a", "b"]),
    ('split("ab", "")', ["a", "b"]),
    ('join(tags, "-")', "a-B-c"),
    ('join(sizes, "-")', "3-1"),
    ('join(n, "-")', "7"),
    ('concat(t, " ", nothing, n)', "Hello 7"),
    ("concat(nothing)", None),
    ('startswith(t, "he")', True),
    ('endswith(t, "LO")', True),
    ('contains(t, "LL")', True),
    ('contains(t, ".")', False),
    ('index_of(t, "L")', 3),
    ('index_of(t, "x")', 0),
    ('index_of(t, "")', 1),
    ("lpad(n, 3)", "  7"),
    ('lpad(n, 3, "0")', "007"),
    ('rpad(t, 7, ".")', "Hello.."),
    ("reverse(t)", "olleH"),
    ('urldecode("a%20b+c%C3%A4")', "a b cä"),
    ('urlencode("a b/ä")', "a%20b%2F%C3%A4"),
    ('match(line, "[0-9]ms$")', True),
    ('capture(line, "user=(\\\\w+)")', "bob"),
    ('capture(line, "[0-9]+ms")', "12ms"),
    ('capture(line, "(?<who>b\\\\w+) (\\\\w+)", "who")', "bob"),
    ('capture(line, "(?<who>b\\\\w+) (\\\\w+)", 2)', "took"),
    ('capture(line, "(zzz)")', None),
    ('like(t, "h%O")', True),
    ('like(t, "h_l")', False),
    (r'like("50%", "50\\%")', True),
    (r'like("500", "50\\%")', False),
    ("now()", "2026-09-21T14:13:20Z"),
    ("time()", "2026-09-21T14:13:20Z"),
    ("now() - 20", "2026-09-21T14:13:00Z"),
    ("now() + 0.5", "2026-09-21T14:13:20.5Z"),
    ("1.5 + now()", "2026-09-21T14:13:21.5Z"),
    ("_time - time(1700000000)", 0.123456789),
    ("now() * 1", 1.79e9),
    ('strftime(_time, "%Y-%m-%d %H:%M:%S.%3N")', "2023-11-14 22:13:20.123"),
    ('strptime("14/Nov/2023 22:13:20", "%d/%b/%Y %H:%M:%S")', "2023-11-14T22:13:20Z"),
    ('strptime("2023-11-14 22:13:20 +0100", "%Y-%m-%d %H:%M:%S %z")', "2023-11-14T21:13:20Z"),
    ('strptime("2023-11-14", "%Y-%m-%d")', "2023-11-14T00:00:00Z"),
    ('strptime("Nov 14 22:13:20", "%b %d %H:%M:%S")', "2026-11-14T22:13:20Z"),
    ('strptime("0999-11-14", "%Y-%m-%d")', None),
    ('strptime("x", "%Y")', None),
    ("time(1700000000)", "2023-11-14T22:13:20Z"),
    ("time(1700000000.25)", "2023-11-14T22:13:20.25Z"),
    ("time(1700000000123)", "2023-11-14T22:13:20.123Z"),
    ("time(1700000000123456789)", "2023-11-14T22:13:20.123456789Z"),
    ('time("2023-11-14T22:13:20+01:00")', "2023-11-14T21:13:20Z"),
    ('time("nonsense")', None),
    ("bucket(_time, 5m)", "2023-11-14T22:10:00Z"),
    ('bucket(_time, "1h")', "2023-11-14T22:00:00Z"),
    ("bucket(_time, 1w)", "2023-11-13T00:00:00Z"),
    ("bucket(n, 5)", 5),
    ("bucket(f, 2)", 2.0),
    ("bucket(-1, 5)", -5),
    ('relative_time(_time, "-1d@d")', "2023-11-13T00:00:00Z"),
    ('relative_time(_time, "nonsense")', None),
    ("year(_time)", 2023),
    ("month(_time)", 11),
    ("day(_time)", 14),
    ("hour(_time)", 22),
    ("minute(_time)", 13),
    ("second(_time)", 20),
    ("weekday(_time)", 2),
    ('cidrmatch("10.0.0.0/8", ip)', True),
    ('cidrmatch(ip, "11.0.0.0/8")', False),
    ('cidrmatch("10.0.0.0/8", t)', False),
    ('cidrmatch("10.0.0.0/8", "::ffff:10.0.0.1")', True),
    ('cidrmatch("2001:db8::/32", "2001:DB8::1")', True),
    ('cidrmatch("10.1.9.9/16", ip)', True),
    ('cidrmatch("10.1.2.3", ip)', True),
    ('cidrmatch("10.0.0.0/8", nothing)', None),
    ("ipprefix(ip, 24)", "10.1.2.0/24"),
    ('ipprefix("2001:db8::1", 32)', "2001:db8::/32"),
    ("ipprefix(t, 24)", None),
    ("is_ipv4(ip)", True),
    ("is_ipv4(t)", False),
    ('is_ipv6("::1")', True),
    ("is_private(ip)", True),
    ('is_private("8.8.8.8")', False),
    ("typeof(t)", "string"),
    ("typeof(n)", "number"),
    ("typeof(f)", "number"),
    ("typeof(yes)", "boolean"),
    ("typeof(_time)", "time"),
    ("typeof(tags)", "list"),
    ("typeof(nothing)", "null"),
    ("tonumber(digits)", 42),
    ('tonumber("2.50")', 2.5),
    ('tonumber("ff", 16)', 255),
    ('tonumber("zz", 16)', None),
    ("tonumber(t)", None),
    ("toint(f)", 2),
    ('toint("-2.9")', -2),
    ("toint(1e300)", 1e300),
    ('len_bytes("größe")', 7),
    ("len_bytes(nothing)", None),
    ('duration("1h30m")', 5400),
    ('duration("250ms")', 0.25),
    ("duration(n)", 7),
    ("duration(digits)", 42),
    ("duration(t)", None),
    ('bytes("10KB")', 10_000),
    ('bytes("1.5KiB")', 1536),
    ("bytes(n)", 7),
    ("bytes(yes)", None),
    ("tostring(f)", "2.5"),
    ("tostring(yes)", "true"),
    ("tostring(_time)", "2023-11-14T22:13:20.123456789Z"),
    ('tobool("TRUE")', True),
    ("tobool(0)", False),
    ('tobool("1")', True),
    ("tobool(t)", None),
    ("isnull(nothing)", True),
    ("isnull(t)", False),
    ("isnotnull(empty)", True),
    ("isnum(digits)", True),
    ("isnum(t)", False),
    ("isnum(nothing)", False),
    ("isstr(t)", True),
    ("isstr(n)", False),
    ("isbool(yes)", True),
    ("isbool(t)", False),
    ('n IN (1, "7")', True),
    ('tags IN ("x", "C")', True),
    ("n IN (1, 2)", False),
    ("nothing IN (1, 2)", None),
    ("abs(-7)", 7),
    ("abs(0 - big - 1)", float(2**63)),
    ("abs(-2.5)", 2.5),
    ("ceil(f)", 3),
    ("ceil(n)", 7),
    ("floor(f)", 2),
    ("floor(big)", 2**63 - 1),
    ("round(f)", 3),
    ("round(-2.5)", -3),
    ("round(2.345, 1)", 2.3),
    ("round(1234, -2)", 1200),
    ("round(n, 2)", 7),
    ("sqrt(16)", 4.0),
    ("sqrt(-1)", None),
    ("pow(2, 10)", 1024),
    ("exp(0)", 1.0),
    ("exp(1000)", None),
    ("ln(1)", 0.0),
    ("ln(0)", None),
    ("log10(1000)", pytest.approx(3.0)),
    ("log(100)", pytest.approx(2.0)),
    ("log(8, 2)", pytest.approx(3.0)),
    ("least(n, f, t)", 2.5),
    ("greatest(n, f)", 7),
    ("greatest(n, t, nothing)", "Hello"),
    ("least(nothing, t)", "Hello"),
    ("sign(-2.5)", -1),
    ("sign(0)", 0),
    ("mod(7, 4)", 3),
    ("mvindex(tags, 0)", "a"),
    ("mvindex(tags, -1)", "c"),
    ("mvindex(tags, 5)", None),
    ("mvindex(tags, 1, 2)", ["B", "c"]),
    ("mvindex(tags, -2, -1)", ["B", "c"]),
    ("mvindex(tags, 2, 1)", None),
    ("mvindex(n, 0)", 7),
    ("mvcount(tags)", 3),
    ("mvcount(n)", 1),
    ("mvcount(nothing)", None),
    ("first(tags)", "a"),
    ("last(sizes)", 1),
    ("last(t)", "Hello"),
    ('md5("abc")', "900150983cd24fb0d6963f7d28e17f72"),
    ('sha256("")', "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ('base64decode("w6Q=")', "ä"),
    ('base64decode("w6Q")', "ä"),
    ('base64decode("!")', None),
    ('json_get(json, "a.b.0")', 1),
    ('json_get(json, "a.b.1")', 2.5),
    ('json_get(json, "a.b.2.c")', "x"),
    ('json_get(json, "a.b")', '[1,2.5,{"c":"x"}]'),
    ('json_get(json, "d")', None),
    ('json_get(json, "e")', True),
    ('json_get(json, "f")', ["p", "q"]),
    ('json_get(json, "zz.y")', None),
    ('json_get(t, "a")', None),
]


@pytest.mark.parametrize(("text", "expected"), EXAMPLES, ids=[text for text, _ in EXAMPLES])
def test_an_expression_gives_its_value(text: str, expected: Any) -> None:
    value = evaluate(text, ROW)
    assert value == expected
    assert isinstance(value, type(expected)) or not isinstance(expected, int | float)


def test_the_language_and_the_engine_know_the_same_functions() -> None:
    assert set(FUNCTIONS) == set(SIGNATURES)
    assert set(OPERATORS) == set(ast.OPERATORS)


def test_every_function_has_an_example() -> None:
    texts = " ".join(text for text, _ in EXAMPLES)
    shown = set(re.findall(r"([a-z_0-9]+)\(", texts)) | {"in"}
    assert set(FUNCTIONS) - shown == set()


BERLIN = ZoneInfo("Europe/Berlin")
ZONED: list[tuple[str, Any]] = [
    ("hour(_time)", 23),
    ('strftime(_time, "%H:%M %z")', "23:13 +0100"),
    ('strptime("2023-07-01 12:00", "%Y-%m-%d %H:%M")', "2023-07-01T10:00:00Z"),
    ('time("2023-07-01 12:00:00")', "2023-07-01T10:00:00Z"),
    ("bucket(_time, 1d)", "2023-11-13T23:00:00Z"),
    ('bucket(time("2023-10-29T12:00:00Z"), 1d)', "2023-10-28T22:00:00Z"),
    ('relative_time(_time, "@d")', "2023-11-13T23:00:00Z"),
    ('_time > "2023-11-14 23:13:20"', True),
]


@pytest.mark.parametrize(("text", "expected"), ZONED, ids=[text for text, _ in ZONED])
def test_times_are_those_of_the_zone_of_the_query(text: str, expected: Any) -> None:
    assert evaluate(text, ROW, BERLIN) == expected


REFUSED = [
    'replace(line, "a", t)',
    'lpad(t, 5, "ab")',
    'capture(line, "(a)", 2)',
    "round(f, 99)",
    'strftime(_time, "%!")',
    'bucket(_time, "long")',
    "bucket(_time, 1e300)",
    "bucket(_time, 0)",
    'tonumber("1", 99)',
    'cidrmatch("10.0.0.0/99", ip)',
    "cidrmatch(t, ip)",
    "like(line, t)",
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_computed_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match=r"^\w+: .*expected"):
        evaluate(text, ROW)


def test_one_text_is_split_by_the_separator_of_each_row() -> None:
    table = make_table([{"by": ","}, {"by": ";"}, {}])
    for text, expected in (
        ('split("a,b;c", by)', [["a", "b;c"], ["a,b", "c"], None]),
        ('index_of("a,b;c", by)', [2, 4, None]),
        ("split(nothing, by)", [None, None, None]),
    ):
        assert compute(parse_expression(Cursor(text)), table) == expected


def test_a_bad_regular_expression_is_refused() -> None:
    with pytest.raises(Invalid):
        evaluate('match(t, "(")', ROW)


def test_values_cannot_grow_without_end() -> None:
    expression = parse_expression(Cursor("lpad(t, 10000)"))
    with pytest.raises(TooLarge, match="expected at most"):
        compute(expression, make_table([{"t": "x"}] * 27_000))
