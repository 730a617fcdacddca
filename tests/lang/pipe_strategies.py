"""Random expressions and pipes: one strategy for each node, in the tables at the end."""

from typing import Any, get_args

from hypothesis import strategies as st
from msgspec.structs import replace
from tests.lang.strategies import EXPRESSIONS as REGEXES
from tests.lang.strategies import FILTERS, NASTY, TEXTS

from logboom.lang import ast
from logboom.lang.ast import (
    DURATIONS_NS,
    OPERATORS,
    Aggregate,
    Binary,
    Call,
    Expression,
    Field,
    Inverse,
    Key,
    Literal,
    Negative,
    Quantity,
    Query,
    SortKey,
    Truth,
)
from logboom.lang.format.aggregates import name_aggregate
from logboom.lang.functions import AGGREGATES, FUNCTIONS, PERCENTILES, REGEX_ARGUMENTS, Signature

KEYWORDS = """
    limit span window keep sort sortby from prefix columns same before after start end maxspan maxpause
    inner left output value type previous with at asc desc eval search true false null like is len p95
    a.b a-b a/b a* * `a``b` and.b
"""
NAMES = (st.sampled_from([*NASTY, *KEYWORDS.split()]) | TEXTS).filter(bool)
COUNTS = st.integers(1, 10**9)


def some(values: st.SearchStrategy[Any], least: int = 1) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(values, min_size=least, max_size=3).map(tuple)


REGEX_LITERALS = REGEXES.map(Literal)
NUMBERS = st.integers(-(10**30), 10**30) | st.floats(-1e308, 1e308)
VALUES = TEXTS | NUMBERS | st.booleans()
LEAVES: st.SearchStrategy[Expression] = st.builds(
    Literal, VALUES | st.none() | st.sampled_from(KEYWORDS.split())
) | st.builds(Field, NAMES)


def build_call(signature: Signature, arguments: list[Expression], regex: Literal) -> Call:
    most = len(arguments) if signature.maximum is None else signature.maximum
    kept = arguments[: max(most, signature.minimum)]
    place = REGEX_ARGUMENTS.get(signature.name)
    if place is not None:
        kept[place] = regex
    return Call(signature.name, tuple(kept))


def build_binary(operator: str, operands: tuple[Expression, Expression], regex: Literal) -> Binary:
    left, right = operands
    return Binary(operator, left, regex if operator in ("=~", "!~") else right)


def extend(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    arguments = st.lists(inner, min_size=3, max_size=4)
    calls = st.sampled_from(sorted(FUNCTIONS)).map(FUNCTIONS.__getitem__)
    return st.one_of(
        st.builds(Negative, inner),
        st.builds(Inverse, inner),
        st.builds(
            build_binary, st.sampled_from(list(OPERATORS)), st.tuples(inner, inner), REGEX_LITERALS
        ),
        st.builds(build_call, calls, arguments, REGEX_LITERALS),
    )


EXPRESSIONS = st.recursive(LEAVES, extend, max_leaves=8)
CONDITIONS = FILTERS | st.builds(Truth, EXPRESSIONS)


def is_no_text(expression: Expression) -> bool:
    return not (isinstance(expression, Literal) and isinstance(expression.value, str))


ARGUMENTS = EXPRESSIONS.filter(is_no_text)
PERCENTS = st.integers(0, 100) | st.floats(0, 100)


def build_aggregate(
    signature: Signature, argument: Expression, percent: float, condition: Any, name: str | None
) -> Aggregate:
    """Return an aggregate, by default named after what it computes; a small `percent` omits an optional argument."""
    has_argument = signature.minimum > 0 or percent > 50
    aggregate = Aggregate(
        signature.name,
        argument if has_argument else None,
        percent if signature.name in PERCENTILES else None,
        condition,
        name or "unnamed",
    )
    return aggregate if name else replace(aggregate, name=name_aggregate(aggregate))


AGGREGATE_NODES = st.builds(
    build_aggregate,
    st.sampled_from(sorted(AGGREGATES)).map(AGGREGATES.__getitem__),
    ARGUMENTS,
    PERCENTS,
    st.none() | CONDITIONS,
    st.none() | NAMES,
)
AMOUNTS = st.integers(1, 10**20) | st.floats(1e-20, 1e200)
DURATIONS = st.builds(Quantity, AMOUNTS, st.sampled_from(list(DURATIONS_NS)))
BUCKETS = st.builds(Quantity, AMOUNTS, st.sampled_from(list(ast.UNITS)))
KEYS = st.one_of(
    st.builds(Key, NAMES),
    st.builds(Key, NAMES.filter(lambda name: name not in ("_time", "@timestamp")), BUCKETS),
    st.builds(Key, st.just("_time"), DURATIONS),
    st.builds(Key, NAMES, st.none(), st.integers(0, 128)),
)
SORT_KEYS = st.builds(SortKey, NAMES, st.booleans())


def is_distinct(groups: tuple[tuple[Aggregate, ...], tuple[Key, ...]]) -> bool:
    aggregates, keys = groups
    columns = [aggregate.name for aggregate in aggregates] + [key.field for key in keys]
    return len(set(columns)) == len(columns)


GROUPED = st.tuples(some(AGGREGATE_NODES), some(KEYS, least=0)).filter(is_distinct)
CHART = st.tuples(some(AGGREGATE_NODES), st.lists(KEYS, max_size=1).map(tuple)).filter(is_distinct)
TEMPLATE_TEXT = st.text("ab =<>\"'\\", min_size=1, max_size=4).filter(
    lambda text: "<" not in text and ">" not in text
)
TEMPLATES = st.lists(TEMPLATE_TEXT, min_size=1, max_size=3).map(
    lambda texts: "<first>" + "".join(f"{text}<_>{text}<more>" for text in texts)
)
NAMED_GROUPS = REGEX_LITERALS.map(lambda regex: f"(?<name>a){regex.value}").filter(
    lambda regex: "(?<name>a)(?" not in regex
)
UNPACKED = st.builds(
    ast.Unpack, st.sampled_from(get_args(ast.UnpackFormat)), NAMES, st.just("") | NAMES
) | st.builds(ast.Unpack, st.just("csv"), NAMES, st.just("") | NAMES, some(NAMES))
NAME_PAIRS = st.tuples(NAMES, NAMES)
LOOKUPS = st.builds(ast.Lookup, NAMES, some(NAME_PAIRS)) | st.builds(
    ast.Lookup, NAMES, some(NAME_PAIRS), some(NAME_PAIRS), st.booleans()
)
THREE_NAMES = st.lists(NAMES, min_size=3, max_size=3, unique=True)
PAIRS = some(st.tuples(TEXTS.filter(bool), TEXTS))


def build_stream_stats(
    grouped: tuple[tuple[Aggregate, ...], tuple[Key, ...]], window: int | None, current: bool
) -> ast.StreamStats:
    aggregates, keys = grouped
    return ast.StreamStats(aggregates, keys, window, current)


def build_timechart(
    chart: tuple[tuple[Aggregate, ...], tuple[Key, ...]],
    span: Quantity | None,
    limit: int,
    shown: tuple[bool, bool],
) -> ast.Timechart:
    aggregates, keys = chart
    return ast.Timechart(aggregates, span, keys[0] if keys else None, limit, *shown)


def build_chart(
    chart: tuple[tuple[Aggregate, ...], tuple[Key, ...]], limit: int, shown: tuple[bool, bool]
) -> ast.Chart:
    aggregates, keys = chart
    over, by = keys
    return ast.Chart(aggregates, over, by, limit, *shown)


def build_bin(field: str, size: Quantity | int, name: str) -> ast.Bin:
    if isinstance(size, int):
        return ast.Bin(field, None, size, name)
    return ast.Bin(field, size, None, name)


SHOWN = st.tuples(st.booleans(), st.booleans())
TWO_KEYS = st.tuples(
    some(AGGREGATE_NODES), st.lists(KEYS, min_size=2, max_size=2).map(tuple)
).filter(is_distinct)


LEAF_PIPES: dict[type, st.SearchStrategy[Any]] = {
    ast.Stats: GROUPED.map(lambda grouped: ast.Stats(*grouped)),
    ast.EventStats: GROUPED.map(lambda grouped: ast.EventStats(*grouped)),
    ast.StreamStats: st.builds(build_stream_stats, GROUPED, st.none() | COUNTS, st.booleans()),
    ast.Timechart: st.builds(build_timechart, CHART, st.none() | DURATIONS, COUNTS, SHOWN),
    ast.Chart: st.builds(build_chart, TWO_KEYS, COUNTS, SHOWN),
    ast.Bin: st.builds(build_bin, NAMES, DURATIONS | COUNTS, NAMES),
    ast.MvExpand: st.builds(ast.MvExpand, NAMES, st.none() | COUNTS),
    ast.InputLookup: st.builds(ast.InputLookup, NAMES, st.booleans()),
    ast.AddTotals: st.builds(ast.AddTotals, some(NAMES, least=0), NAMES),
    ast.XySeries: THREE_NAMES.map(lambda names: ast.XySeries(*names)),
    ast.Untable: THREE_NAMES.map(lambda names: ast.Untable(*names)),
    ast.Top: st.builds(ast.Top, some(NAMES), COUNTS, some(NAMES, least=0)),
    ast.Rare: st.builds(ast.Rare, some(NAMES), COUNTS, some(NAMES, least=0)),
    ast.Sort: st.builds(ast.Sort, some(SORT_KEYS), st.none() | COUNTS),
    ast.Limit: st.builds(ast.Limit, st.integers(0, 10**9)),
    ast.Tail: st.builds(ast.Tail, st.integers(0, 10**9)),
    ast.Fields: st.builds(ast.Fields, some(NAMES)),
    ast.Drop: st.builds(ast.Drop, some(NAMES)),
    ast.Rename: st.builds(ast.Rename, some(st.tuples(NAMES, NAMES))),
    ast.Where: st.builds(ast.Where, CONDITIONS),
    ast.Eval: st.builds(ast.Eval, some(st.tuples(NAMES, EXPRESSIONS))),
    ast.Offset: st.builds(ast.Offset, st.integers(0, 10**9)),
    ast.Rex: st.builds(
        ast.Rex,
        st.just(r"(?P<a>\w+)") | NAMED_GROUPS,
        NAMES,
        st.integers(0, 999_999),
        st.booleans(),
        st.booleans(),
    ),
    ast.Extract: st.builds(ast.Extract, TEMPLATES, NAMES, st.booleans(), st.booleans()),
    ast.Unpack: UNPACKED,
    ast.Dedup: st.builds(ast.Dedup, some(NAMES), COUNTS, some(SORT_KEYS, least=0)),
    ast.Uniq: st.builds(ast.Uniq, some(NAMES)),
    ast.Lookup: LOOKUPS,
    ast.Context: st.builds(ast.Context, COUNTS, COUNTS, some(NAMES, least=0)),
    ast.Transaction: st.builds(
        ast.Transaction,
        some(NAMES, least=0),
        st.none() | DURATIONS,
        st.none() | DURATIONS,
        st.none() | CONDITIONS,
        st.none() | CONDITIONS,
    ),
    ast.Delta: st.builds(ast.Delta, NAMES, NAMES),
    ast.Patterns: st.builds(ast.Patterns, NAMES, some(NAMES, least=0)),
    ast.FillNull: st.builds(ast.FillNull, VALUES, some(NAMES, least=0)),
    ast.Replace: st.builds(ast.Replace, PAIRS, some(NAMES, least=0)),
    ast.Sample: st.builds(ast.Sample, st.integers(11, 99), st.integers(0, 10)),
    ast.Diff: st.builds(ast.Diff, DURATIONS, some(NAMES, least=0)),
    ast.Explain: st.just(ast.Explain()),
}
CHANGING = [LEAF_PIPES[kind] for kind in (ast.Eval, ast.Rex, ast.Extract, ast.Unpack, ast.Replace)]
SUBQUERIES = st.builds(Query, FILTERS, some(st.one_of(*LEAF_PIPES.values()), least=0))
PIPES: dict[type, st.SearchStrategy[Any]] = {
    **LEAF_PIPES,
    ast.When: st.builds(ast.When, st.one_of(*CHANGING), CONDITIONS),
    ast.Join: st.builds(
        ast.Join, some(NAMES), SUBQUERIES, st.sampled_from(["inner", "left"]), st.integers(0, 100)
    ),
    ast.Union: st.builds(ast.Union, SUBQUERIES),
}
QUERIES = st.builds(Query, FILTERS, some(st.one_of(*PIPES.values())))
