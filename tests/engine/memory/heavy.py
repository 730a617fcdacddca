"""Random heavy queries: pipelines of every pipe that need as much memory as possible."""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from logboom.lang import ast

T = TypeVar("T")

TEXTS = ("message", "blob", "url")
GROUPS = ("level", "host", "user", "uid", "code")
NUMBERS = ("n", "size", "code")
LISTS = ("tags", "ids")
FILTERS = (
    "*",
    "level:error",
    "host:web-1*",
    "n>500",
    "NOT level:debug",
    "message:/a.*z/",
    "timeout",
)
AGGREGATES = (
    *("count", "count_uniq({text})", "approx_count_uniq(uid)", "sum({number})", "avg({number})"),
    *("min({text})", "max({any})", "median({number})", "p99({number})", "approx_p95({number})"),
    *("stdev({number})", "mode({any})", "values({any})", "values({text})", "list({text})"),
    *("list({any})", "first({text})", "last({text})", "earliest({any})", "latest({any})"),
    *("rate()", "range({number})", "var({number})"),
)
EXPRESSIONS = (
    *("{text} & {text}", "x & x", "concat({text}, {text}, x)", "lower({text})", "upper({any})"),
    *('replace({text}, "[a-z]", "$0$0$0$0")', 'replace({text}, "", "abcdefghij")'),
    *("lpad({any}, 5000)", 'rpad({text}, n, "#")', 'split({text}, "")', 'split({text}, " ")'),
    *('join(split({text}, " "), "{long}")', "mvappend(x, x)", "mvappend(tags, tags, ids)"),
    *('mvzip(split({text}, ""), split({text}, ""))', 'mvsort(split(x, ""))', "mvdedup(tags)"),
    *('strftime(_time, "{long}%Y")', "urlencode({text})", "base64encode(x)", "sha256({text})"),
    *('json_get(blob, "items")', "hexencode(x)", 'if(n > 5, "{long}", x)', "{number} * 3 + n"),
    *("coalesce(x, {text})", 'tostring({number}) & "{long}"', "reverse(x)", "substr(x, 2, 5000)"),
    *("case(n > 900, x, n > 5, {text})", 'mvfilter(match(tags, "a"))', "mvcount(tags)"),
)


class Pipelines:
    """Draws queries; the same seed gives the same ones."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def draw(self, depth: int = 0) -> str:
        count = self.random.choice((1, 1, 2, 2, 3, 4))
        pipes = [self.pick(list(PIPES.values()))(self, depth) for _ in range(count)]
        return " | ".join([self.pick(FILTERS), *pipes])

    def draw_pipe(self, kind: type) -> str:
        """Return a query with one pipe of a kind."""
        return f"{self.pick(FILTERS)} | {PIPES[kind](self, 0)}"

    def pick(self, choices: Sequence[T]) -> T:
        return self.random.choice(choices)

    def fill(self, pattern: str) -> str:
        """Return the pattern with its placeholders replaced by fields."""
        for word, choices in WORDS.items():
            while word in pattern:
                pattern = pattern.replace(word, self.pick(choices), 1)
        return pattern

    def aggregates(self) -> str:
        chosen = self.random.sample(AGGREGATES, self.random.choice((1, 1, 2, 3)))
        return ", ".join(f"{self.fill(each)} as a{place}" for place, each in enumerate(chosen))

    def by(self) -> str:
        keys = self.random.sample(GROUPS, self.random.choice((0, 1, 1, 2)))
        return f" by {', '.join(keys)}" if keys else ""

    def query(self, depth: int) -> str:
        """Return a query for use inside another one."""
        return "level:error | stats count by user" if depth else self.draw(depth + 1)


WORDS: dict[str, tuple[str, ...]] = {
    "{text}": TEXTS,
    "{group}": GROUPS,
    "{number}": NUMBERS,
    "{list}": LISTS,
    "{any}": (*TEXTS, *GROUPS, *NUMBERS, *LISTS, "a0", "x"),
    "{long}": ("-" * 500,),
    "{count}": ("1", "10", "1000", "100000", "1000000"),
    "{small}": ("1", "5", "100", "1000"),
    "{span}": ("1s", "1m", "1h", "1d"),
}
Draw = Callable[[Pipelines, int], str]


def patterns(*choices: str) -> Draw:
    return lambda drawn, _depth: drawn.fill(drawn.pick(choices))


def draw_eval(drawn: Pipelines, _depth: int) -> str:
    steps = [drawn.fill(drawn.pick(EXPRESSIONS)) for _ in range(drawn.random.choice((1, 3, 8)))]
    return "eval x = message, " + ", ".join(f"x = {step}" for step in steps)


PIPES: dict[type, Draw] = {
    ast.Stats: lambda drawn, _: f"stats {drawn.aggregates()}{drawn.by()}",
    ast.Timechart: lambda drawn, _: (
        drawn.fill(f"timechart {{span}} {drawn.aggregates()}")
        + drawn.fill(drawn.pick(("", " by uid limit=20000", " by user", " by {group}")))
    ),
    ast.Chart: lambda drawn, _: drawn.fill(f"chart {drawn.aggregates()} over {{group}} by url"),
    ast.Bin: patterns("bin {number} span=7 as b", "bin n bins=20 as b"),
    ast.MvExpand: patterns("mvexpand {list}", "mvexpand {any} limit=3", "mvexpand a0"),
    ast.InputLookup: patterns("inputlookup hosts", "inputlookup append=true hosts"),
    ast.AddTotals: patterns("addtotals", "addtotals n size"),
    ast.XySeries: patterns("xyseries {group} url {number}", "xyseries uid level message"),
    ast.Untable: patterns("untable {group} name value"),
    ast.Top: patterns("top {count} {any}", "top 5 {group} by {group}"),
    ast.Rare: patterns("rare {count} {any}"),
    ast.Sort: patterns("sort {any}", "sort -{any}, {any}", "sort {number} | limit {count}"),
    ast.Limit: patterns("limit {count}"),
    ast.Tail: patterns("tail {count}"),
    ast.Offset: patterns("offset {count}"),
    ast.Fields: patterns("fields {any}, {any}", "fields a*, message"),
    ast.Drop: patterns("drop {any}"),
    ast.Rename: patterns("rename {any} as renamed", 'rename "u*" as "v*"'),
    ast.Where: patterns('where {text} =~ "a+"', "where len({text}) > 10", "where n > 3"),
    ast.Eval: draw_eval,
    ast.Rex: patterns(
        'rex "(?<first>\\\\w+) (?<second>.*)"', 'rex field={text} max_match=0 "(?<letter>.)"'
    ),
    ast.Extract: patterns('extract "<one> <two> <three>"'),
    ast.Unpack: patterns(
        "unpack json from blob", "unpack kv from message", "unpack csv from message"
    ),
    ast.Dedup: patterns("dedup {any}", "dedup 3 {group}, {any}"),
    ast.Uniq: patterns("uniq by {any}", "uniq by {group}, {any}"),
    ast.Join: lambda drawn, depth: drawn.fill("join {group} max=0 ") + f"({drawn.query(depth)})",
    ast.Union: lambda drawn, depth: f"union ({drawn.query(depth)})",
    ast.Lookup: patterns("lookup hosts host"),
    ast.Context: patterns("context before {small} after {small}"),
    ast.Transaction: patterns("transaction {group}", "transaction uid maxpause=1m"),
    ast.StreamStats: lambda drawn, _: (
        f"streamstats window={drawn.pick((10, 1000))} {drawn.aggregates()}{drawn.by()}"
    ),
    ast.EventStats: lambda drawn, _: f"eventstats {drawn.aggregates()}{drawn.by()}",
    ast.Delta: patterns("delta {number} as d"),
    ast.Patterns: patterns("patterns", "patterns {text}"),
    ast.FillNull: patterns("fillnull", 'fillnull "{long}" {any}, other'),
    ast.Replace: patterns('replace "a" with "{long}" in {text}', 'replace " " with "" in {text}'),
    ast.Sample: patterns("sample 2", "sample 100"),
    ast.Diff: patterns("diff previous 1h by {any}", "diff previous 1d"),
    ast.When: patterns('eval x = message & "{long}" if (n>5)'),
    ast.Explain: patterns("explain"),
}
"""How each pipe is drawn; a test checks that none is missing."""
