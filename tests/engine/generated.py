"""Made-up events and queries that fit each other: few names, few values, every type and every case."""

from typing import Any

from hypothesis import strategies as st

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
NUMBERS: list[int | float] = [0, 1, -2, 7, 2**53 + 1, 2**63 - 1, -(2**63), 1.0, 0.5, -2.5, 1000.0]
NAMES = ["level", "Level", "http.status", "tags", "a:b", "_x", "n n", "ключ", "message"]

texts = st.sampled_from(TEXTS)
scalars: st.SearchStrategy[Any] = st.one_of(texts, st.sampled_from(NUMBERS), st.booleans())
values = st.one_of(scalars, scalars, st.none(), st.lists(st.one_of(scalars, st.none()), max_size=4))
nested = st.fixed_dictionaries({}, optional={"status": values, "Status": values, "deep": values})
members = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(["level", "tags", "a:b", "_x", "n n", "КЛЮЧ"], values),
        "http": st.one_of(nested, st.lists(nested, max_size=2)),
        "message": values,
    },
)
times_ns = st.builds(
    lambda day, offset: START_NS + day * DAY_NS + offset,
    st.integers(0, 2),
    st.sampled_from([0, 1, 2, 3, 1000, 10**9]),
)


@st.composite
def event_lists(draw: st.DrawFn, max_size: int = 25) -> list[dict[str, Any]]:
    """Events that carry a time and their number as `id`."""
    drawn = draw(st.lists(st.tuples(members, times_ns), max_size=max_size))
    return [
        {**event, "timestamp": time_ns, "id": number}
        for number, (event, time_ns) in enumerate(drawn)
    ]


fields = st.one_of(
    st.sampled_from(NAMES).map(lambda name: name),
    st.sampled_from(NAMES).map(str.upper),
    st.sampled_from(["http.deep", "_index", "_INDEX", "nothing"]),
)
literals = st.one_of(
    texts, st.sampled_from([*map(str, NUMBERS), "TRUE", "False", "web-1", "default"])
)


@st.composite
def patterns(draw: st.DrawFn) -> ast.Pattern:
    """A text in another case, or pieces of it between wildcards."""
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
operators: st.SearchStrategy[ast.Comparison] = st.sampled_from([">", ">=", "<", "<="])
tests: st.SearchStrategy[ast.Filter] = st.one_of(
    st.just(ast.Everything()),
    st.builds(ast.Word, st.one_of(texts, texts.map(str.upper))),
    st.builds(
        ast.Match, fields, patterns().filter(lambda pattern: pattern.parts != (ast.Wildcard.ANY,))
    ),
    st.builds(ast.Exact, fields, literals),
    st.builds(ast.Exists, fields),
    st.builds(ast.Compare, fields, operators, numbers),
)
filters: st.SearchStrategy[ast.Filter] = st.recursive(
    tests,
    lambda inner: st.one_of(
        st.builds(ast.Not, inner),
        st.builds(ast.And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(ast.Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=5,
)
keys = st.lists(
    st.sampled_from(["level", "LEVEL", "http.status", "tags", "_index", "message", "ключ"]),
    max_size=3,
    unique=True,
).map(tuple)
