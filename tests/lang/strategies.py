"""Random filters: texts that look like syntax, and every node that can hold them."""

from datetime import date
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import get_args

from hypothesis import strategies as st

from logboom.lang.ast import (
    UNITS,
    And,
    AnyField,
    Between,
    Binary,
    Call,
    Compare,
    Comparison,
    During,
    Everything,
    Exact,
    Exists,
    Field,
    Filter,
    HasPattern,
    InQuery,
    Literal,
    Match,
    Network,
    Not,
    OneOf,
    Or,
    Pattern,
    Quantity,
    Query,
    Range,
    Regex,
    ScopeFilter,
    SomeField,
    Truth,
    Wildcard,
    Word,
)
from logboom.lang.regex import find_fault
from logboom.lang.tokens import append_piece, unescape_slashes

SIGNS = """
    * ? ** - ! -- -> != : :: | ( ) () { } [ ] , " ' ` \\ \\\\ \\" \\n a\\ = ~ # \u201c \u201d \u2018 \u2019 / \\/
    =~ !~ := :~ > >= <
"""
WORDS = """
    AND OR NOT IN TO and or not in to as by if count stats message a:b http://x //x /a+/ /a/ /a/i /a /a/b
    a/ /i 10.0.0.0/8 ::1/8 #x 1 -5 >5 f>5 5m 1KB now env index _env _time @timestamp earliest range in(
    don\u2019t \\u0041 \\ud83d é 日本 😀
"""
BLANK = ["", "a b", "\n", "\t", "\0", "\x7f", "\x85", "\u2028", "\n#x"]
NASTY = [*SIGNS.split(), *WORDS.split(), *BLANK]
TEXTS = st.sampled_from(NASTY) | st.text(max_size=8) | st.lists(st.sampled_from(NASTY)).map("".join)


def build_pattern(pieces: list[str | Wildcard]) -> Pattern:
    parts: list[str | Wildcard] = []
    for piece in pieces:
        if parts and isinstance(parts[-1], str) and isinstance(piece, str):
            parts[-1] += piece
        else:
            append_piece(parts, piece)
    return Pattern(tuple(parts))


def is_not_alone(pattern: Pattern) -> bool:
    return pattern.parts not in ((), (Wildcard.ANY,))


PATTERNS = st.lists(TEXTS | st.sampled_from(Wildcard), max_size=5).map(build_pattern)
FIELD_PATTERNS = PATTERNS.filter(is_not_alone)
NUMBERS = st.integers(-(10**40), 10**40) | st.floats(-1e200, 1e200)
QUANTITIES = st.builds(Quantity, NUMBERS, st.sampled_from(list(UNITS)))
LIMITS = QUANTITIES | TEXTS
EXPRESSIONS = (
    st.sampled_from(["a", "a+b", "a/b", r"\d+ (x|y)", " a", "a ", "a |b", "a|b", "[/]", r"\S", "a\nb", "(?i)x", '"'])
    | TEXTS
).map(unescape_slashes).filter(lambda expression: find_fault(expression) is None)  # fmt: skip


def mask(address: IPv4Address | IPv6Address, bits: int) -> str:
    return str(ip_network((address, min(bits, address.max_prefixlen)), strict=False))


NETWORKS = st.builds(mask, st.ip_addresses(), st.integers(0, 128))
DATES = st.builds("{}T{}".format, st.dates(date(1700, 1, 1), date(2200, 1, 1)), st.times())
LENGTHS = st.builds(
    "{}{}".format, st.integers(1, 999), st.sampled_from(["s", "m", "h", "d", "w", "mon", "y"])
)
PERIODS = LENGTHS | DATES | st.sampled_from(["today", "2026", "2026-09", "2026-09-01 10:00"])
MOMENTS = (
    DATES
    | LENGTHS.map("-{}".format)
    | st.sampled_from(["now", "-1d@d", "@w0", "now-1h/h", "1700000000", "2026-09-01 10:00:00"])
)
SCOPES = st.sampled_from(["env", "index"])


def build_range(
    field: str, limits: tuple[Quantity | str | None, ...], includes: tuple[bool, bool]
) -> Range:
    low, high = limits
    return Range(field, low, high, includes[0] or low is None, includes[1] or high is None)


def build_between(limits: tuple[str | None, ...], includes: tuple[bool, bool]) -> Between:
    start, end = limits
    return Between(start, end, includes[0] or start is None, includes[1] and end is not None)


def pairs(values: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    """Return two values, or one and an open side."""
    none = st.none()
    return st.tuples(values, values) | st.tuples(none, values) | st.tuples(values, none)


WILD_NAMES = st.sampled_from(["a*", "a.*.b", "*.b", "größe*", "a-*"])
TRUTHS = [
    Truth(Binary("==", Field("a"), Field("b"))),
    Truth(Binary(">=", Call("len", (Field("a b"),)), Literal(5))),
    Truth(Call("in", (Field("a"), Literal("x")))),
]
FLAGS = st.tuples(st.booleans(), st.booleans())
LEAVES: st.SearchStrategy[Filter] = st.one_of(
    st.just(Everything()),
    st.builds(Word, TEXTS),
    st.builds(Match, TEXTS, FIELD_PATTERNS),
    st.builds(Exact, TEXTS, TEXTS),
    st.builds(OneOf, TEXTS, st.lists(FIELD_PATTERNS, min_size=1, max_size=4).map(tuple)),
    st.builds(Exists, TEXTS),
    st.builds(Compare, TEXTS, st.sampled_from(get_args(Comparison)), LIMITS),
    st.builds(build_range, TEXTS, pairs(QUANTITIES) | pairs(TEXTS), FLAGS),
    st.builds(Network, TEXTS, NETWORKS),
    st.builds(Regex, TEXTS, EXPRESSIONS, st.booleans()),
    st.builds(HasPattern, TEXTS, TEXTS.filter(bool), st.booleans()),
    st.builds(SomeField, WILD_NAMES, PATTERNS.filter(lambda pattern: pattern.parts != ())),
    st.sampled_from(TRUTHS),
    st.builds(AnyField, FIELD_PATTERNS.filter(lambda pattern: pattern.parts != ())),
    st.builds(During, PERIODS),
    st.builds(build_between, pairs(MOMENTS), FLAGS),
    st.builds(ScopeFilter, SCOPES, PATTERNS.filter(lambda pattern: pattern.parts != ())),
)


def extend(inner: st.SearchStrategy[Filter]) -> st.SearchStrategy[Filter]:
    several = st.lists(inner, min_size=2, max_size=4).map(tuple)
    return st.one_of(
        st.builds(Not, inner),
        st.builds(And, several),
        st.builds(Or, several),
        st.tuples(TEXTS, st.builds(Query, inner)).map(lambda each: InQuery(*each)),
    )


FILTERS = st.recursive(LEAVES, extend, max_leaves=12)
