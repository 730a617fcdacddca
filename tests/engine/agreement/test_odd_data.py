"""Every pipe, function and aggregate over odd data: a field nobody has, mixed types, arrays, and no rows at all.

Whatever is asked is answered or refused as Invalid. The tables of the language say what there is to
ask, so that a new entry needs a case here.
"""

import itertools
from typing import Any, NamedTuple

import polars as pl
import pytest
from tests.engine.aggregates.naive import aggregate, agrees
from tests.engine.aggregates.test_aggregates import EXACT
from tests.engine.expressions.evaluation import compute
from tests.engine.expressions.oracle import FUNCTIONS as NAIVE
from tests.engine.expressions.oracle import evaluate
from tests.engine.expressions.test_against_naive import is_same
from tests.engine.oracle import count_groups, make_row, matches, settle
from tests.engine.pipes.tables import make_table
from tests.engine.stored import Stored
from tests.together import together

from logboom.base.errors import Invalid
from logboom.base.process.deadline import Deadline
from logboom.engine.answers.empty import explain
from logboom.engine.answers.search import Search
from logboom.engine.execution.find import Finder
from logboom.engine.expressions import FUNCTIONS
from logboom.engine.filters import build_filter
from logboom.engine.pipes import PIPES
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.table import BLOCK, IDENTITY, ROW, Table
from logboom.engine.terms.limits import Budget
from logboom.engine.terms.needs import Needs
from logboom.engine.terms.request import Request
from logboom.lang import ast, functions
from logboom.lang.parse import parse
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.expressions import parse_expression
from logboom.model.columns import DTYPES, parse_column

START_NS = 1_700_000_000_000_000_000
MIXED: list[Any] = [
    *(1, -7, 0, 2**53 + 1, 0.5, -2.5, True, False, None, "", "a", "A b", "1", " -1.5e3 ", "nan"),
    *("É ß 🪵", "x\ny", "10.0.0.1", "12ms", "2023-11-14T22:13:20Z", '{"a": [1]}', "a=1 b", "%41"),
    *(["a", "b"], [1, 2, 3], [0.5, 1], [True, False], [1, "a", None, 0.5], [], [None]),
]
LISTS: list[Any] = [["a", "B"], ["x"], [1, 2], [1.5], [True], [], [None, "a"], [1, "a"], ["a"] * 50]
ABSENT = "nope"
FIELDS = (ABSENT, "mixed", "lists", "some")
"""`some` is in one of the blocks only."""
ALONE = ("mixed", "lists")
"""A block of one event has a field or lacks it, as with these: the other fields bring nothing new."""
EVENTS: list[dict[str, Any]] = [
    {
        "id": place,
        "timestamp": START_NS + 60 * 10**9 * place,
        "message": f"m {place % 5}",
        "text": "ab"[place % 2],
        "mixed": value,
        "lists": LISTS[place % len(LISTS)],
        **({"some": MIXED[-place]} if 5 < place < 12 else {}),
    }
    for place, value in enumerate(MIXED)
]
BLOCKS = (EVENTS[:6], EVENTS[6:12], EVENTS[12:20], EVENTS[20:])
TABLES = {"owners": pl.DataFrame({"key": ["a", "1"], "owner": ["x", "y"]})}


class Data(NamedTuple):
    """The same events in a few blocks and in one block each, and their values as these are computed with."""

    stored: Stored
    env: str
    alone: str
    rows: list[dict[str, Any]]

    def search(self, query: str, env: str | None = None) -> list[dict[str, Any]]:
        options = {"limit": 1000, "tables": TABLES, "now_ns": START_NS + 10**13}
        return self.stored.search(env or self.env, query, **options).rows

    def ask(self, query: str) -> bool:
        """Whether the query is answered and not refused; tables are sound, empty answers can be explained."""
        request = Request(parse(query), (self.env,), tables=TABLES, now_ns=START_NS + 10**13)
        engine = self.stored.engine
        budget = Budget(engine.limits, Deadline())
        finder = Checked(request, engine.store.snapshot(), engine.resources, budget)
        try:
            search = Search(finder, request)
            answer = search.answer()
        except Invalid:
            return False
        assert answer.complete
        assert answer.rows or explain(finder, search.request, engine.store.count_buffered)[0].hint
        return True


class Checked(Finder):
    """Every column of what it finds holds what its name says, and events can be told apart."""

    def find(self, request: Request, page: MergePipe, extra: Needs | None = None) -> Table:
        table = super().find(request, page, extra)
        assert not table.has_events or set(IDENTITY) <= set(table.frame.columns)
        for name, dtype in table.frame.schema.items():
            if name not in {BLOCK, ROW, *IDENTITY}:
                assert dtype == DTYPES[parse_column(name).kind], name
        return table


@pytest.fixture(scope="module")
def data(wide: Stored) -> Data:
    return keep_events(wide)


def keep_events(stored: Stored) -> Data:
    env, alone = stored.make_env(), stored.make_env()
    for events in BLOCKS:
        stored.keep(env, events)
    for event in EVENTS:
        stored.keep(alone, [event])
    data = Data(stored, env, alone, [])
    rows = [
        {name: settle(value) if isinstance(value, list) else value for name, value in row.items()}
        for row in data.search("*")
    ]
    return data._replace(rows=rows)


CALLS: dict[str, str] = {
    "if": 'if({f} == 1, {f}, "no")',
    "case": "case({f} == 1, 1, {f} > 2, {f}, text)",
    "coalesce": "coalesce({f}, nope2, {f})",
    "nullif": "nullif({f}, 1)",
    **{
        name: f"{name}({{f}})"
        for name in (
            *(
                "lower",
                "upper",
                "len",
                "urldecode",
                "urlencode",
                "reverse",
                "time",
                "year",
                "month",
            ),
            *("day", "hour", "minute", "second", "weekday", "is_ipv4", "is_ipv6", "is_private"),
            *("typeof", "toint", "tostring", "tobool", "isnull", "isnotnull", "isnum", "isstr"),
            *("isbool", "abs", "ceil", "floor", "sqrt", "exp", "ln", "log10", "sign", "mvcount"),
            *("first", "last", "md5", "sha256", "base64decode", "dur2sec", "mvdedup", "mvsort"),
            *("len_bytes", "duration", "bytes"),
            *("base64encode", "hexencode", "json_quote"),
        )
    },
    "trim": 'trim({f}, "a")',
    "ltrim": "ltrim({f})",
    "rtrim": "rtrim({f}, {f})",
    "substr": "substr({f}, 1, 2)",
    "replace": 'replace({f}, "[a-z]", "$0-")',
    "split": 'split({f}, " ")',
    "join": 'join({f}, ",")',
    "concat": 'concat({f}, "-", {f})',
    "startswith": 'startswith({f}, "a")',
    "endswith": "endswith({f}, {f})",
    "contains": "contains({f}, text)",
    "index_of": "index_of({f}, text)",
    "lpad": 'lpad({f}, 5, "0")',
    "rpad": "rpad({f}, {f})",
    "match": 'match({f}, "^[0-9]")',
    "capture": 'capture({f}, "([a-z])")',
    "like": 'like({f}, "a%")',
    "now": "now() - {f}",
    "strftime": 'strftime({f}, "%Y")',
    "strptime": 'strptime({f}, "%Y-%m-%dT%H:%M:%SZ")',
    "bucket": "bucket({f}, 5)",
    "relative_time": 'relative_time({f}, "-1d@d")',
    "cidrmatch": 'cidrmatch("10.0.0.0/8", {f})',
    "ipprefix": "ipprefix({f}, 8)",
    "tonumber": "tonumber({f})",
    "in": 'in({f}, 1, "a", text)',
    "round": "round({f}, 1)",
    "pow": "pow({f}, 2)",
    "log": "log({f}, 2)",
    "least": "least({f}, 1, text)",
    "greatest": "greatest({f}, 1, text)",
    "mod": "mod({f}, 2)",
    "mvindex": "mvindex({f}, 0)",
    "mvappend": "mvappend({f}, text, {f})",
    "mvfind": 'mvfind({f}, "^[a-z1]")',
    "mvzip": "mvzip({f}, {f})",
    "mvfilter": 'mvfilter({f} == "a" OR {f} > 1)',
    "json_get": 'json_get({f}, "a.0")',
}
"""A call of each function; `{f}` stands for the field."""
OPERATIONS = tuple(
    f'({{f}}) {name} "a"' if "~" in name else f"({{f}}) {name} (text)" for name in ast.OPERATORS
)


def test_every_function_has_a_case() -> None:
    assert set(CALLS) == set(FUNCTIONS) == set(functions.FUNCTIONS)


NAMES = (*sorted(CALLS), *OPERATIONS)
LOT = 12
"""Functions that share a query: most of what it takes is not theirs."""


@pytest.mark.parametrize("lot", [NAMES[first : first + LOT] for first in range(0, len(NAMES), LOT)])
def test_a_function_gives_each_row_what_it_gives_the_row_alone(
    data: Data, lot: tuple[str, ...]
) -> None:
    texts = {
        f"of_{place}_{field}": (name, CALLS.get(name, name).format(f=field))
        for place, name in enumerate(lot)
        for field in FIELDS
    }

    def ask(env: str, results: list[str]) -> dict[int, dict[str, Any]]:
        computed = ", ".join(f"{result} = {texts[result][1]}" for result in results)
        rows = data.search(f"* | eval {computed} | fields id, of_*", env)
        return {row["id"]: row for row in rows}

    found = ask(data.env, list(texts))
    assert ask(data.alone, [result for result in texts if result.endswith(ALONE)]) == {
        number: {name: value for name, value in row.items() if name.endswith(("id", *ALONE))}
        for number, row in found.items()
    }
    for row in data.rows:
        for result, (name, text) in texts.items():
            if name in NAIVE:
                expected = evaluate(parse_expression(Cursor(text)), row)
                assert is_same(found[row["id"]].get(result), expected), (text, row)


@together("name", NAMES)
def test_a_function_may_stand_anywhere(data: Data, name: str) -> None:
    absent, mixed = (CALLS.get(name, name).format(f=field) for field in (ABSENT, "mixed"))
    for query in (
        f'* | where eval(({absent}) == "zzzz" AND ({mixed}) == "zzzz")',
        f"zzzz | eval result = {mixed}, other = {absent} | where result:x OR other:x",
        f"* | stats values({absent}) as result by text | where eval(mvcount(result) > 99)",
        f"* | eval result = {mixed} | stats count by result | sort -result",
    ):
        assert data.ask(query), query


LARGE = 20_000
"""Rows that Polars takes in several pieces."""


@pytest.fixture(scope="module")
def large() -> tuple[Table, Table]:
    """The same rows once, and over and over."""
    rows = [{"mixed": value, "text": "ab"[place % 2]} for place, value in enumerate(MIXED[:23])]
    once = make_table(rows)
    copies = -(-LARGE // once.height)
    return once, once.with_frame(pl.concat([once.frame] * copies, rechunk=True))


@together("name", NAMES)
def test_a_function_gives_rows_of_a_large_table_what_it_gives_those_of_a_small_one(
    large: tuple[Table, Table], name: str
) -> None:
    once, often = large
    for field in (ABSENT, "mixed"):
        expression = parse_expression(Cursor(CALLS.get(name, name).format(f=field)))
        few = compute(expression, once)
        assert compute(expression, often) == few * (often.height // once.height)
        for node in (ast.Truth(expression), ast.Truth(ast.Call("isnull", (expression,)))):
            passed = once.filter(build_filter(node, once)).height
            found = often.filter(build_filter(node, often)).height
            assert found * once.height == passed * often.height


AGGREGATES = {
    name: f"{name}({{f}}, 90)" if name in functions.PERCENTILES else f"{name}({{f}})"
    for name in functions.AGGREGATES
}


@together("name", sorted(AGGREGATES))
def test_an_aggregate_agrees_with_plain_python(data: Data, name: str) -> None:
    if name not in EXACT:
        return
    rows = [{**row, "_time": -place} for place, row in enumerate(data.rows)]
    parameter = 90 if name in functions.PERCENTILES else None
    for field in FIELDS:
        text = AGGREGATES[name].format(f=field)
        (total,) = data.search(f"* | stats {text} as result")
        assert agrees(total["result"], aggregate(name, rows, field, parameter), 1e16), text
        for group in data.search(f"* | stats {text} as result by text"):
            own = [row for row in rows if row["text"] == group["text"]]
            expected = aggregate(name, own, field, parameter)
            assert agrees(group["result"], expected, 1e16), (text, group)
        (nothing,) = data.search(f"zzzz | stats {text} as result")
        assert agrees(nothing["result"], aggregate(name, [], field, parameter))


AFTER_AGGREGATES = (
    "where result:x",
    "where eval(mvcount(result) > 99 OR len(result) > 99)",
    "eval result = lower(first(result)) | stats values(result) as result",
    "sort -result | dedup result",
    "stats list(result) as all by result",
    "join result (* | rename mixed as result) | union (mixed:1)",
)


@pytest.mark.parametrize("pipe", ["stats", "eventstats", "streamstats", "timechart 1d"])
@pytest.mark.parametrize("name", sorted(AGGREGATES))
def test_an_aggregate_may_stand_anywhere(data: Data, pipe: str, name: str) -> None:
    after = AFTER_AGGREGATES[len(pipe + name) % len(AFTER_AGGREGATES)]
    absent, mixed = (AGGREGATES[name].format(f=field) for field in (ABSENT, "mixed"))
    for query in (
        f"* | {pipe} {absent} if (text:a) as result by text | {after}",
        f"zzzz | {pipe} {mixed} as result, {absent} as other | {after}",
        f"zzzz | {pipe} {absent} as result by {ABSENT} | {after}",
    ):
        assert data.ask(query), query


TESTS = (
    *("{f}:*", "{f}:a", "{f}:1", '{f}:"A b"', "{f}:=1", "{f}:a*", "{f}:?", "{f}>0", "{f}<=1"),
    *("{f}:[0 TO 5}}", "{f} IN (a, 1, true)", '{f}=~"[a-z]"', "{f}:10.0.0.0/8", '{f}>"a"'),
    *("{f}>5ms", "{f}<1KB", "*:a", "a", "{f}!=a", "NOT {f}:*", "{f}:a OR {f}>0"),
)


@together("test", TESTS)
def test_a_filter_finds_what_the_oracle_does(data: Data, test: str) -> None:
    rows = [make_row(event, data.env, "default") for event in EVENTS]
    for field in FIELDS:
        text = test.format(f=field)
        expected = [row.event["id"] for row in rows if matches(parse(text).filter, row)]
        for query in (text, f"* | where {text}", f"* | fillnull value=0 text | search {text}"):
            assert sorted(row["id"] for row in data.search(query)) == expected, query
        counted = data.search(f"{text} | stats count by {field}")
        groups = count_groups([row for row in rows if row.event["id"] in expected], [field])
        assert {
            ((isinstance(row[field], bool), row[field]),): row["count"] for row in counted
        } == groups


PIPE_CASES: dict[type, tuple[str, ...]] = {
    ast.Stats: ("stats count by {f}", "stats values({f}) as {f} by text", "stats count by {f}:2"),
    ast.Timechart: ("timechart count by {f}", "timechart 1d max({f}) as {f}"),
    ast.Chart: (
        "chart count over {f} by text",
        "chart max({f}) as {f} by text, _time",
        "chart limit=1 count over text by {f}",
    ),
    ast.Bin: ("bin {f} span=2 as {f}", "bin {f} bins=3 as binned", "bin _time span=1h as {f}"),
    ast.MvExpand: ("mvexpand {f}", "mvexpand {f} limit=1"),
    ast.InputLookup: ("inputlookup owners", "inputlookup append=true owners"),
    ast.AddTotals: ("addtotals", "addtotals fieldname={f} {f}, id"),
    ast.XySeries: ("xyseries text, {f}, id", "xyseries {f}, text, message"),
    ast.Untable: ("untable {f}, name, value", "fields id, {f} | untable id, name, {f}"),
    ast.Top: ("top 3 {f}", "top 3 text by {f}", "top 3 {f}, text"),
    ast.Rare: ("rare 3 {f}", "rare 3 {f} by nope2"),
    ast.Sort: ("sort {f}, -text", "sort -{f} limit 3"),
    ast.Limit: ("limit 3", "limit 0"),
    ast.Tail: ("tail 3", "tail 0"),
    ast.Offset: ("offset 3", "offset 0"),
    ast.When: ("eval {f} = 1 if ({f}:*)", 'extract "<a>" from {f} if (NOT {f}:*)'),
    ast.Fields: ("fields {f}", "fields nothing", "fields _id, {f}, m*"),
    ast.Drop: ("drop {f}", "drop *", "drop _time, _index"),
    ast.Rename: ("rename {f} as other", "rename text as {f}", 'rename "m*" as "r*"'),
    ast.Where: ("where {f}:a", "where eval({f} == text)"),
    ast.Eval: ("eval {f} = {f}", "eval {f} = null, other = {f}", "eval {f} = 1"),
    ast.Rex: (
        'rex field={f} "(?<got>[a-z]+)"',
        'rex "(?<{f}>m)"',
        'rex max_match=0 field={f} "(?<got>[a-z])(?<got2>[0-9])?"',
    ),
    ast.Extract: ('extract "<got> " from {f}', 'extract "m <{f}>"'),
    ast.Unpack: tuple(
        f"unpack {name} from {{f}}" for name in ("json", "logfmt", "kv", "syslog", "csv")
    ),
    ast.Dedup: ("dedup {f}", "dedup {f}, text keep 2 sort -{f}"),
    ast.Uniq: ("uniq {f}", "uniq {f}, text"),
    ast.Join: (
        "join {f} (*)",
        "join type=left {f} (zzzz)",
        "join type=left max=0 {f} (*)",
        "join text (* | stats max({f}) by text)",
    ),
    ast.Union: ("union ({f}:*)", "union (zzzz)", "union (* | stats values({f}) as {f})"),
    ast.Lookup: (
        "lookup owners key as {f}",
        "lookup owners {f} as key output owner",
        "lookup owners key as {f}, owner as text outputnew owner as {f}",
    ),
    ast.Context: ("context before 1 after 1", "context after 2 same {f}"),
    ast.Transaction: ("transaction {f}", "transaction text start ({f}:*) end ({f}>0)"),
    ast.StreamStats: (
        "streamstats count by {f}",
        "streamstats window=2 current=false last({f}) as {f}",
    ),
    ast.EventStats: ("eventstats count by {f}", "eventstats values({f}) as {f} by text"),
    ast.Delta: ("delta {f}", "delta {f} as {f}"),
    ast.Patterns: ("patterns from {f}", "patterns by {f}"),
    ast.FillNull: ("fillnull", "fillnull value=x {f}"),
    ast.Replace: ('replace "a" with "" in {f}',),
    ast.Sample: ("sample 2", "sample 100%"),
    ast.Diff: ("diff (previous 1h) by {f}", "diff (previous 1h)"),
    ast.Explain: ("explain",),
}
AFTER = ("where {f}:x", "eval n = mvcount({f}), l = len({f})", "stats values({f}) as {f} by text",
         "sort -{f} | tail 2", "union (text:a)", "join {f} (*)", "fields nothing | stats count")  # fmt: skip


def test_every_pipe_has_a_case() -> None:
    assert set(PIPE_CASES) == set(PIPES)


@pytest.mark.parametrize("pipe", PIPE_CASES)
def test_a_pipe_takes_every_field_and_what_other_pipes_made_of_it(data: Data, pipe: type) -> None:
    after = itertools.cycle(AFTER)
    for field, case in itertools.product(FIELDS, PIPE_CASES[pipe]):
        queries = [f"* | {case}", f"zzzz | {case}"]
        if pipe is not ast.Explain:
            queries.append(f"{{f}}:* | {case} | {next(after)}")
        for query in queries:
            assert data.ask(query.format(f=field)), (query, field)


@together("pipe", [each for each in PIPE_CASES if each is not ast.Explain])
def test_a_pipe_takes_what_an_aggregate_made(data: Data, pipe: type) -> None:
    before = "stats values({f}) as {f}, count by text | eval _time = now()"
    for field, case in itertools.product((ABSENT, "mixed"), PIPE_CASES[pipe]):
        for source in ("*", "zzzz"):
            query = f"{source} | {before} | {case}".format(f=field)
            assert data.ask(query) == (pipe is not ast.Context), query
