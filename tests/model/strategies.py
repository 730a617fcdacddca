"""Lines to test the model with: ordinary events, unusual ones, broken ones and garbage."""

import json
from random import Random

from hypothesis import strategies as st
from tests.model.oracle import CONTAINER_KEYS, MESSAGE_KEYS, SOURCE_KEYS, TIME_KEYS

ALIASES = [*TIME_KEYS, *MESSAGE_KEYS, *SOURCE_KEYS]
OTHER_CASES = [
    *("TIMESTAMP", "TimeStamp", "MESSAGE", "Message", "SOURCE", "Source"),
    *("MSG", "TS", "RESOURCE"),
]
ORDINARY = [
    *("a", "A", "b", "a.b", "a.b.c", "c", "", ".", "log", "k1", "k2", "k3", "k4"),
    *("_time", "x:int", "é", "É", "İ", "ΑΣ"),
]
TEXTS = [
    *(
        "",
        "x",
        "Hello world",
        "true",
        "null",
        "1.5",
        "İstanbul ΣΑΣ",
        "\U0001f600",
        "a\nb\t",
        '"',
        "\\",
    ),
    *("\x00", "\x7f\x80", "{}", "x" * 7, "x" * 8, "x" * 9 + "é", "\ufeff\u2028"),
]
COMMON_TIMES = [
    '"2024-02-29T12:30:45Z"', '"1999-12-31T23:59:59.123456789+05:30"', '"2024-02-29 12:30:45,123"',
    '"2200-12-31T00:00:00.000-00:00"', '"1700-03-01 00:00:00"', "1", "1700000000", "1700000000123",
    "1700000000123456", "170000000012345678",
]  # fmt: skip
OTHER_TIMES = [
    '"2024-02-29T12:30:45.5-23:59"', '"29/Feb/2024:12:30:45 +0200"', '"2023-02-29T12:30:45Z"',
    '"2024-13-01T00:00:00Z"', '"0001-01-01T00:00:00Z"', '"yesterday"', '""', '"1700000000"',
    '"1700000000.5"', "1700000000.123456789", "1700000000123456789", "0", "-1", "-1.5",
    "99999999999", "100000000000", "9300000000", "true",
]  # fmt: skip
NUMBERS = [
    "-0", "-0.0", "0.0", "1.10", "1E5", "1e5", "1e-5", "1e9", "1e000005", "0e99999", "1e400", "-1e400",
    "1e-400", "4.9e-324", "5e-324", "2.2250738585072011e-308", "1.7976931348623157e308", "1e22", "1e23",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
    "999999999999999999", "1000000000000000000", "1180591620717411303424", "9007199254740993",
    "9007199254740993.0", "0.1234567890123456789", "0.30000000000000004", "123456789012345e22",
    "1152921504606846976.0", "0.12345678901234560", "8.41e21", "1" + "0" * 400,
]  # fmt: skip
ESCAPED = [
    '"\\u0041"', '"\\ud800"', '"\\udc00x"', '"\\ud83d\\ude00"', '"\\ud83d\\u0041"', '"\\/\\b\\f\\n"',
    '"\\u0000"', '"\\u00e9\\u20ac"',
]  # fmt: skip
BROKEN = [
    "01", "1.", ".5", "+1", "NaN", "-Infinity", "-", "tru", "1e", "'a'", '"', '"\\x"', '"\\u12"', "[", "{",
    "[1,]", "{,}", '{"a"}', "\x00", '"\x00"', "\ufeff1", "\xa0",
]  # fmt: skip
SNIPPETS = (
    b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\\u", b"\\ud800", b" ", b"\r", b"\x00", b"0", b"-",
    b"e5", b".", b"null", b"true", b'"a":', b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
)  # fmt: skip

Layout = tuple[str, str, str, str]
Texts = st.SearchStrategy[str]

COMPACT: Layout = ("", ":", ",", "")
LAYOUTS: list[Layout] = [COMPACT, (" ", " : ", " , ", " "), ("\t", ":\t", ",\r", "\r")]


def quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def write_object(members: list[tuple[str, str]], layout: Layout) -> str:
    before, colon, comma, after = layout
    return "{" + before + comma.join(f"{key}{colon}{value}" for key, value in members) + after + "}"


def write_array(items: list[str]) -> str:
    return "[" + ",".join(items) + "]"


def nest(depth: int, value: str) -> str:
    return '{"k":' * depth + value + "}" * depth


def fold_key(member: tuple[str, str]) -> str:
    return member[0].lower()


def build_objects(keys: Texts, values: Texts, layouts: list[Layout], *, unique: bool) -> Texts:
    members = st.lists(st.tuples(keys, values), max_size=5, unique_by=fold_key if unique else None)
    return st.builds(write_object, members, st.sampled_from(layouts))


def build_values(keys: Texts, scalars: Texts, layouts: list[Layout], *, unique: bool) -> Texts:
    """Return a strategy for scalars, and for arrays and objects of them."""
    alike = st.sampled_from(
        [
            ["1", "-2"],
            ['"x"', '"Y"', '"é"'],
            ["true", "false"],
            ["0.5", "-0.0"],
            ["1", "2.5", "null"],
        ]
    ).flatmap(lambda items: st.lists(st.sampled_from(items), max_size=9))

    def extend(inner: Texts) -> Texts:
        objects = build_objects(keys, inner, layouts, unique=unique)
        return alike.map(write_array) | st.lists(inner, max_size=4).map(write_array) | objects

    return st.recursive(scalars, extend, max_leaves=8)


def build_events(keys: Texts, scalars: Texts, layouts: list[Layout]) -> Texts:
    """Return events that combine aliases, containers, `log` objects and deep nesting."""
    values = build_values(keys, scalars, layouts, unique=False)
    in_log = st.sampled_from(['"body"', '"source"', '"Body"', '"x"'])
    members = st.one_of(
        st.tuples(keys, scalars),
        st.tuples(keys, values),
        st.tuples(
            st.sampled_from(CONTAINER_KEYS).map(quote),
            build_objects(keys, values, layouts, unique=False),
        ),
        st.tuples(st.just('"log"'), build_objects(in_log, scalars, layouts, unique=False)),
        st.tuples(keys, st.builds(nest, st.integers(13, 17), values)),
    )
    return st.builds(write_object, st.lists(members, max_size=7), st.sampled_from(layouts))


texts = st.sampled_from(TEXTS) | st.text(max_size=5)
plain_keys = st.one_of(
    st.sampled_from(ALIASES),
    st.sampled_from([*OTHER_CASES, *CONTAINER_KEYS]),
    st.sampled_from(ORDINARY),
    texts,
).map(quote)
plain_scalars = st.one_of(
    texts.map(quote),
    st.integers(-(2**63), 2**63 - 1).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(json.dumps),
    st.sampled_from(["true", "false", "null", "0", "1", "[]", "{}"]),
    st.sampled_from([*COMMON_TIMES, *OTHER_TIMES]),
)
plain_events = build_events(plain_keys, plain_scalars, [COMPACT])
"""Compact JSON, spelled as an encoder does."""

wild_keys = plain_keys | st.sampled_from(['"\\u0061"', '"\\ud800"', '"a\\nb"', '"mess\\u0061ge"'])
wild_scalars = st.one_of(
    plain_scalars,
    st.sampled_from(NUMBERS),
    st.sampled_from(ESCAPED),
    st.from_regex(r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,4})?", fullmatch=True),
    texts.map(json.dumps),
)
wild_events = build_events(wild_keys, wild_scalars, LAYOUTS)
"""Every way to spell valid JSON."""

broken_events = build_events(wild_keys, st.sampled_from(BROKEN) | wild_scalars, LAYOUTS)
"""Looks like JSON, and often is not."""

tame_scalars = st.one_of(
    texts.map(quote),
    texts.map(json.dumps),
    st.integers(-(10**18), 10**18).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(json.dumps),
    st.sampled_from(["true", "false", "null", "0", "-0.0", "17.250", "[]", "{}", *COMMON_TIMES]),
)
tame_keys = st.sampled_from(ORDINARY).map(quote)
tame_objects = build_objects(
    tame_keys,
    build_values(tame_keys, tame_scalars, LAYOUTS, unique=True),
    LAYOUTS,
    unique=True,
)


@st.composite
def build_tame_events(draw: st.DrawFn) -> str:
    """Return events with at most one alias of each core field, and each key once."""
    members = draw(
        st.lists(st.tuples(tame_keys, tame_scalars | tame_objects), max_size=6, unique_by=fold_key)
    )
    core = st.sampled_from(COMMON_TIMES), tame_scalars, tame_scalars, tame_objects
    for keys, values in zip(
        (TIME_KEYS, MESSAGE_KEYS, SOURCE_KEYS, CONTAINER_KEYS), core, strict=True
    ):
        key = draw(st.none() | st.sampled_from(keys))
        if key:
            members.insert(draw(st.integers(0, len(members))), (quote(key), draw(values)))
    return write_object(members, draw(st.sampled_from(LAYOUTS)))


tame_events = build_tame_events()
"""Mostly what the compiled parser reads all by itself."""

lines = st.one_of(
    tame_events.map(str.encode),
    plain_events.map(str.encode),
    wild_events.map(str.encode),
    broken_events.map(str.encode),
    st.binary(max_size=20),
    st.sampled_from([b"", b" \t", b"null", b"[]", b"{}", b"{", b'{"a":1}\r', b"\xef\xbb\xbf{}"]),
)
"""Anything that may stand on a line of a request."""


def mutate(line: bytes, chance: Random) -> bytes:
    """Return the line with a few bytes changed, cut, doubled or put in, or without its end."""
    changed = bytearray(line)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        start = chance.randint(0, len(changed))
        end = min(len(changed), start + chance.randint(0, 4))
        letters = [at for at, byte in enumerate(changed) if chr(byte).isalnum() and byte < 128]
        kind = chance.randrange(10)
        if kind == 0 and start < len(changed):
            changed[start] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del changed[start:end]
        elif kind == 2:
            changed[end:end] = changed[start:end]
        elif kind == 3:
            changed[start:end] = chance.choice(SNIPPETS)
        elif kind == 4 and chance.random() < 0.2:
            del changed[start:]
        elif letters:
            at = chance.choice(letters)
            digits = (
                b"0123456789"
                if chr(changed[at]).isdigit()
                else bytes(changed[at : at + 1]).swapcase()
            )
            changed[at] = chance.choice(digits)
    return bytes(changed)
