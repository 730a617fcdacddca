"""Random events and queries that match each other: few names and values, every type, and mixed case."""

from typing import Any

from hypothesis import strategies as st

from logboom.engine.terms.bound import Filter, Values, Within
from logboom.lang import ast

START_NS = 1_700_000_000_000_000_000
DAY_NS = 86_400_000_000_000

TEXTS = [
    *(
        "",
        "a",
        "A",
        "ab",
        "Ab b",
        "ÉÄ",
        "éä",
        "straße",
        "ΑΣ",
        "ας",
        "\u017f",
        "日本 🪵",
        "x\ny",
        "a*b?",
        "\\",
    ),
    *("true", "1", "1.0", "-2.5", "1e3", "nan", "inf", "0x1", "null", "[a]", "(", '"q"'),
]
MEASURES = [
    *("12ms", "1.5s", "2m", "1h30m", "-5ms", "3µs", "12mms", "ms", "1h 30m", "0.1s", ".5h", "1d"),
    *("10KB", "1.5 MiB", "10kb", "7B", "2K", "1Ki", "-1GB", "5 ", " 5", "5."),
]
ADDRESSES = [
    *("10.0.0.1", "10.255.1.2", "192.168.1.77", "1.2.3.4", "256.1.1.1", "010.0.0.1", "10.0.0"),
    *("10.0.0.1:80", "::1", "::ffff:10.0.0.1", "::FFFF:a00:1", "2001:db8::1", "2001:DB8:0::2"),
    *("fe80::1%eth0", "10.0.0.1 ", "0.0.0.0"),
]
NETWORKS = [
    *("10.0.0.0/8", "10.0.0.1/32", "192.168.1.64/26", "0.0.0.0/0", "10.0.0.0/15"),
    *("2001:db8::/32", "::/0", "::1/128", "::ffff:10.0.0.0/104"),
]
EXPRESSIONS = [
    *("a", "^A", "b$", "[0-9]+", "^$", r"\(", "[]a]x?", "ab?c*", "(a|B) b", "a|É", "(?i)éÄ"),
    *(r"x\sy", r"\.[05]", "tru[e]", "^-?2", "stra", "a{0}b", r"\d+ms$", "aB"),
]
NUMBERS: list[int | float] = [0, 1, -2, 7, 2**53 + 1, 2**63 - 1, -(2**63), 1.0, 0.5, -2.5, 1000.0]
NAMES = ["level", "Level", "http.status", "tags", "a:b", "_x", "n n", "ключ", "message"]
MEASURED = ["took_ms", "lagUs", "cpu.nanos", "elapsed", "level"]

texts = st.sampled_from(TEXTS)
spelled = st.sampled_from([*TEXTS, *MEASURES, *ADDRESSES])
scalars: st.SearchStrategy[Any] = st.one_of(texts, st.sampled_from(NUMBERS), st.booleans())
measured = st.one_of(scalars, st.sampled_from(MEASURES), st.lists(st.sampled_from(MEASURES)))
addresses = st.sampled_from(ADDRESSES)
values = st.one_of(scalars, scalars, st.none(), st.lists(st.one_of(scalars, st.none()), max_size=4))
nested = st.fixed_dictionaries({}, optional={"status": values, "Status": values, "deep": values})
members = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(["level", "tags", "a:b", "_x", "n n", "КЛЮЧ"], values),
        "http": st.one_of(nested, st.lists(nested, max_size=2)),
        "message": values,
        **dict.fromkeys(["took_ms", "LagUs", "elapsed"], measured),
        "cpu": st.fixed_dictionaries({"nanos": measured}),
        "addr": st.one_of(addresses, st.lists(addresses, max_size=3)),
        "env": st.sampled_from(["web-1", "prod", 7]),
    },
)
times_ns = st.builds(
    lambda day, offset: START_NS + day * DAY_NS + offset,
    st.integers(0, 2),
    st.sampled_from([0, 1, 2, 3, 1000, 10**9]),
)


@st.composite
def event_lists(draw: st.DrawFn, max_size: int = 25) -> list[dict[str, Any]]:
    """Return events that carry a time and their number as `id`."""
    drawn = draw(st.lists(st.tuples(members, times_ns), max_size=max_size))
    return [
        {**event, "timestamp": time_ns, "id": number}
        for number, (event, time_ns) in enumerate(drawn)
    ]


fields = st.one_of(
    st.sampled_from(NAMES).map(lambda name: name),
    st.sampled_from(NAMES).map(str.upper),
    st.sampled_from(["http.deep", "_index", "_INDEX", "_env", "nothing", "addr", "took_ms"]),
)
literals = st.one_of(
    texts, st.sampled_from([*map(str, NUMBERS), "TRUE", "False", "web-1", "default"])
)


@st.composite
def patterns(draw: st.DrawFn) -> ast.Pattern:
    """Return a text in another case, or pieces of it between wildcards."""
    text = draw(st.one_of(literals, literals.map(str.upper)))
    if draw(st.booleans()):
        return ast.Pattern.literal(text)
    middle = draw(st.integers(0, len(text)))
    wild = draw(st.sampled_from([*ast.Wildcard]))
    pieces: list[str | ast.Wildcard] = [text[:middle], wild, text[middle + 1 :]]
    return ast.Pattern(tuple(piece for piece in pieces if piece != ""))


numbers = st.one_of(
    st.sampled_from(NUMBERS), st.sampled_from([1e300, -1e300, 10**30, 2**63, 2**53, 0.999])
)
plain = st.builds(ast.Quantity, numbers)
quantities = st.builds(
    ast.Quantity,
    st.sampled_from([0, 1, 5, 12, 1.5, -5, 0.1, 100, 10**30]),
    st.sampled_from([*ast.UNITS]),
)
limits: st.SearchStrategy[ast.Quantity | str] = st.one_of(plain, quantities, quantities, spelled)
operators: st.SearchStrategy[ast.Comparison] = st.sampled_from([">", ">=", "<", "<="])


@st.composite
def ranges(draw: st.DrawFn) -> ast.Range:
    kind: st.SearchStrategy[Any] = draw(st.sampled_from([plain, quantities, spelled]))
    low, high = draw(st.one_of(st.none(), kind)), draw(kind)
    if low is not None and draw(st.booleans()):
        high = None
    return ast.Range(
        draw(measured_fields),
        low,
        high,
        low is None or draw(st.booleans()),
        high is None or draw(st.booleans()),
    )


def is_something(pattern: ast.Pattern) -> bool:
    """Return whether a pattern is neither empty, which Exact tests, nor a lone star, which Exists tests."""
    return pattern.parts not in ((), (ast.Wildcard.ANY,))


measured_fields = st.one_of(fields, st.sampled_from(MEASURED), st.sampled_from(MEASURED))
chosen = patterns().filter(is_something)
tests: st.SearchStrategy[ast.Filter] = st.one_of(
    st.just(ast.Everything()),
    st.builds(ast.Word, st.one_of(texts, texts.map(str.upper))),
    st.builds(ast.AnyField, patterns().filter(is_something)),
    st.builds(ast.Match, fields, chosen),
    st.builds(ast.OneOf, fields, st.lists(chosen, min_size=1, max_size=4).map(tuple)),
    st.builds(ast.Exact, fields, literals),
    st.builds(ast.Exists, fields),
    st.builds(ast.Regex, fields, st.sampled_from(EXPRESSIONS), st.booleans()),
    st.builds(
        ast.HasPattern, fields, st.one_of(texts, st.just("<num>")).filter(bool), st.booleans()
    ),
    st.builds(ast.Network, st.sampled_from(["addr", "ADDR", "level"]), st.sampled_from(NETWORKS)),
    st.builds(
        ast.ScopeFilter,
        st.sampled_from(["env", "index"]),
        st.one_of(
            patterns().filter(lambda pattern: pattern.parts != ()),
            st.sampled_from(["web-1", "PROD", "7", "db"]).map(ast.Pattern.literal),
        ),
    ),
    st.builds(ast.Compare, measured_fields, operators, limits),
    ranges(),
)
bound_tests: st.SearchStrategy[Filter] = st.one_of(
    tests,
    st.builds(Values, fields, st.lists(scalars, max_size=4).map(tuple)),
    st.builds(Within, times_ns, times_ns),
)


def join(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for combinations of tests."""
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(ast.Not, inner),
            st.builds(ast.And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
            st.builds(ast.Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        ),
        max_leaves=5,
    )


filters: st.SearchStrategy[ast.Filter] = join(tests)
bound_filters: st.SearchStrategy[Filter] = join(bound_tests)
keys = st.lists(
    st.sampled_from(["level", "LEVEL", "http.status", "tags", "_index", "message", "ключ"]),
    max_size=3,
    unique_by=str.lower,
).map(tuple)
