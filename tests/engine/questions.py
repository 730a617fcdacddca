"""Random queries over odd events, the same ones for the same seed: every pipe, function and aggregate there is."""

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from logboom.lang import ast
from logboom.lang.functions import AGGREGATES, FUNCTIONS, PERCENTILES, REGEX_ARGUMENTS, Signature

START_S = 1_700_000_000
MIXED: tuple[Any, ...] = (
    *(1, -7, 0, 2**53 + 1, 2**63 - 1, -(2**63), 10**30, 0.5, -2.5, 1e300, -0.0, True, False, None),
    *("", "a", "A b", "1", " -1.5e3 ", "nan", "inf", "true", "ÉÄ ß 🪵", "x\ny", "10.0.0.1", "::1"),
    *(
        "12ms",
        "10KB",
        "2023-11-14T22:13:20Z",
        '{"a": [1, {"b": null}]}',
        "a=1 b=two",
        "%41",
        "YQ==",
    ),
    *(
        [],
        [None],
        ["a", "b"],
        [1, 2, 3],
        [0.5, 1],
        [True, False],
        [1, "a", None, 0.5, True],
        [[1], []],
    ),
    *({"in": 1}, {"in": {"deep": ["x"]}}, [{"in": 1}, {"in": "a"}], {}),
)
"""Values of every type and size, one event each."""
FIELDS = (
    "n",
    "text",
    "mixed",
    "tags",
    "half",
    "rare",
    "mixed.in",
    "mixed.in.deep",
    "message",
    "id",
)
ABSENT = ("nope", "nope2", "nope.in")
CORE = ("_time", "_index", "_env", "_id")
TEXTS = ("a", "A b", "1", "x", "m 1", "", "%41", "10.0.0.1", "2023-11-14T22:13:20Z", "true")
NUMBERS = ("0", "1", "-1", "2.5", "7", "9223372036854775807", "1e300", "5m", "1KB")
REGEXES = ("a", "^m ([0-9]+)", "(?i)B$", "(?P<g>[a-z])", "^$")


def make_events() -> list[dict[str, Any]]:
    """Return each value of `MIXED` once; `half` and `rare` are in some events only."""
    events = []
    for place, value in enumerate(MIXED):
        event = {
            "timestamp": (START_S + 7 * place) * 10**9,
            "id": place,
            "message": f"m {place % 5}",
            "n": place % 4,
            "text": ("a", "A b", "")[place % 3],
            "tags": (["a", "b"], [], ["b"], [1, 2])[place % 4],
            "mixed": value,
        }
        if place % 2:
            event["half"] = place / 2
        if place > len(MIXED) - 5:
            event |= {"rare": [place, "x"], "message": None}
        events.append(event)
    return events


class Questions:
    """Writes queries that the grammar allows; `lookup` names a table `owners` with the columns `key` and `owner`."""

    def __init__(self, seed: int, depth: int = 2) -> None:
        self.random = Random(seed)
        self.depth = depth

    def choose(self, values: Iterable[str]) -> str:
        return self.random.choice(list(values))

    def write_field(self) -> str:
        names = self.random.choice((FIELDS, FIELDS, FIELDS, ABSENT, CORE))
        name = self.choose(names)
        return name if self.random.random() < 0.9 or name in CORE else name.upper()

    def write_own(self) -> str:
        """Return a field that may be assigned another value."""
        return self.choose((*FIELDS, *ABSENT, "made"))

    def write_fields(self, most: int = 2) -> str:
        return ", ".join(
            dict.fromkeys(self.write_field() for _ in range(self.random.randint(1, most)))
        )

    def write_count(self) -> str:
        return self.choose(("1", "2", "5", "100"))

    def write_query(self, depth: int | None = None) -> str:
        """Return a filter and up to four pipes."""
        depth = self.depth if depth is None else depth
        pipes = [self.write_pipe(depth) for _ in range(self.random.choice((0, 1, 1, 2, 2, 3, 4)))]
        return " | ".join([self.write_filter(depth), *pipes])

    def write_choice(self) -> str:
        """Return a filter and pipes that only choose events."""
        pipes = (ast.Where, ast.Limit, ast.Tail)
        chosen = self.random.choices(pipes, k=self.random.choice((0, 0, 1, 2)))
        return " | ".join([self.write_filter(2), *(PIPES[pipe](self, 1) for pipe in chosen)])

    def write_inner(self, depth: int) -> str:
        return (
            self.write_query(depth - 1)
            if depth > 0
            else self.choose(("*", "n:1", "nope:x", "zzzz"))
        )

    def write_filter(self, depth: int) -> str:
        shape = self.random.random()
        if shape < 0.3:
            return "*"
        if depth > 0 and shape < 0.5:
            joined = self.choose((" ", " OR ", " AND NOT "))
            return f"({self.write_filter(depth - 1)}){joined}({self.write_filter(depth - 1)})"
        return self.write_test(depth)

    def write_test(self, depth: int) -> str:
        field = self.write_field()
        tests = [
            self.choose(("zzzz", "m", '"m 1"', "*:a")),
            f"{field}:{quote(self.choose(TEXTS))}",
            f"{field}:*",
            f"NOT {field}:*",
            f"{field}:=1",
            f"{field}:a*",
            f"{field}{self.choose(('>', '>=', '<', '<='))}{self.choose(NUMBERS)}",
            f"{field}:[0 TO 5}}",
            f'{field}=~"{self.choose(REGEXES)}"',
            f"{field} IN (a, 1, true)",
            f"{field}:10.0.0.0/8",
            f"_index:{self.choose(('odd', 'o*', 'none'))}",
            f"{field}:in({self.write_inner(depth)})",
            f"{self.choose(('m*', 'mixed.*', '*.in'))}:{self.choose(('a', '*', '1'))}",
            f"@{field}:{self.choose(('1', 'a*', '12ms', '10KB'))}",
            f"eval({self.write_expression(1)} == {self.write_leaf()})",
        ]
        if field.startswith("_time"):
            return self.choose(("_time:>=2020-01-01", "_time:2023-11-14", "_time:*"))
        return self.random.choice(tests)

    def write_expression(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.2:
            return self.write_leaf()
        if self.random.random() < 0.3:
            return self._write_operation(depth)
        return self.write_call(self.random.choice(list(FUNCTIONS.values())), depth)

    def write_leaf(self) -> str:
        literals = (quote(self.choose(TEXTS)), self.choose(NUMBERS), self.choose(("true", "null")))
        return self.choose((*(self.write_field() for _ in range(5)), *literals))

    def _write_operation(self, depth: int) -> str:
        operator = self.choose(ast.OPERATORS)
        left, right = (f"({self.write_expression(depth - 1)})" for _ in range(2))
        if operator in ("=~", "!~"):
            right = quote(self.choose(REGEXES))
        return f"{left} {operator} {right}"

    def write_call(self, signature: Signature, depth: int = 0) -> str:
        most = signature.minimum + 2 if signature.maximum is None else signature.maximum
        count = self.random.randint(signature.minimum, most)
        arguments = [self.write_expression(depth - 1) for _ in range(count)]
        for place, choices in WRITTEN.get(signature.name, {}).items():
            is_due = self.random.random() < 0.8 or signature.name in REGEX_ARGUMENTS
            if place < count and is_due:
                arguments[place] = self.choose(choices)
        return f"{signature.name}({', '.join(arguments)})"

    def write_pipe(self, depth: int) -> str:
        return PIPES[self.random.choice(list(PIPES))](self, depth)

    def write_aggregate(self, signature: Signature, argument: str, name: str) -> str:
        parameter = ", 90" if signature.name in PERCENTILES else ""
        is_bare = not signature.minimum and self.random.random() < 0.5
        called = signature.name if is_bare else f"{signature.name}({argument}{parameter})"
        condition = f" if ({self.write_test(0)})" if self.random.random() < 0.2 else ""
        return f"{called}{condition} as {name}"

    def write_aggregates(self, depth: int) -> str:
        chosen = self.random.sample(list(AGGREGATES.values()), self.random.randint(1, 3))
        return ", ".join(
            self.write_aggregate(each, self._write_argument(depth), f"out{place}")
            for place, each in enumerate(chosen)
        )

    def _write_argument(self, depth: int) -> str:
        if self.random.random() < 0.7:
            return self.write_field()
        return self.write_call(FUNCTIONS[self.choose(FUNCTIONS)], depth)

    def write_by(self) -> str:
        if self.random.random() < 0.4:
            return ""
        keys = (
            self.write_fields(),
            "_time:1m",
            "n:2",
            "mixed:10",
            "mixed:/24",
            "text:/8",
            "nope:5",
        )
        return f" by {self.choose(keys)}"

    def write_sort(self) -> str:
        return ", ".join(
            self.choose(("", "-")) + field for field in self.write_fields().split(", ")
        )


def quote(text: str) -> str:
    return f'"{text}"'


FORMATS = ('"%Y-%m-%d %H:%M:%S"', '"%d/%b"', '"%s"', '"%"')
WRITTEN: dict[str, dict[int, tuple[str, ...]]] = {
    **{name: {1: tuple(map(quote, REGEXES))} for name in ("match", "capture", "replace")},
    "like": {1: ('"a%"', '"_"', "text")},
    "strftime": {1: FORMATS},
    "strptime": {1: FORMATS},
    "bucket": {1: ("5m", "10", '"1d"', "0", "0.1")},
    "relative_time": {1: ('"-1d@d"', '"+1mon"', '"x"')},
    "cidrmatch": {0: ('"10.0.0.0/8"', '"::/0"')},
    "ipprefix": {1: ("24", "8", "0", "128")},
    "tonumber": {1: ("16", "2", "36", "10")},
    "round": {1: ("0", "2", "-2", "400")},
    "lpad": {1: ("5", "n"), 2: ('"0"',)},
    "rpad": {1: ("5", "n"), 2: ('"0"',)},
    "substr": {1: ("1", "-2", "n"), 2: ("1", "n")},
    "mvindex": {1: ("0", "-1", "n"), 2: ("1", "-1", "n")},
    "json_get": {1: ('"a.0"', '"a.1.b"', '""')},
    "split": {1: ('" "', '""', "text")},
    "join": {1: ('","', "text")},
    "tostring": {1: ('"commas"', '"duration"', '"hex"', '"other"')},
    "mvfind": {1: tuple(map(quote, REGEXES))},
    "mvzip": {2: ('","',)},
    "mvfilter": {0: ('match(tags, "a")', "n > 1", 'mixed == "a"', "nope == 1")},
}
"""What some arguments are best written as, by their place."""


def write_keep(questions: Questions) -> str:
    sort = f" sort {questions.write_sort()}" if questions.random.random() < 0.4 else ""
    return f"dedup {questions.write_fields()} keep {questions.write_count()}{sort}"


def write_condition(questions: Questions, depth: int) -> str:
    if questions.random.random() < 0.5:
        return questions.write_test(depth)
    return f"eval({questions.write_expression(depth + 1)})"


CHANGING = (ast.Eval, ast.Rex, ast.Extract, ast.Unpack, ast.Replace)
"""Pipes that may have a condition."""
KEEPING = ("", " keep_original_fields", " skip_empty_results")


PIPES: dict[type, Callable[[Questions, int], str]] = {
    ast.Stats: lambda q, depth: f"stats {q.write_aggregates(depth)}{q.write_by()}",
    ast.Timechart: lambda q, depth: (
        f"timechart {q.choose(('', '1m ', '1d '))}{q.write_aggregates(depth)}"
        + q.choose(("", f" by {q.choose(FIELDS)}", " by nope"))
    ),
    ast.Chart: lambda q, depth: (
        f"chart {q.choose(('', 'limit=2 ', 'useother=f usenull=f '))}{q.write_aggregates(depth)}"
        f" over {q.choose(FIELDS)} by {q.choose(('tags', 'nope', 'half'))}"
    ),
    ast.Bin: lambda q, _: (
        f"bin {q.write_field()} {q.choose(('span=5', 'span=1m', 'bins=3'))} as {q.write_own()}"
    ),
    ast.MvExpand: lambda q, _: f"mvexpand {q.write_field()}" + q.choose(("", " limit=1")),
    ast.InputLookup: lambda q, _: f"inputlookup {q.choose(('', 'append=t '))}owners",
    ast.AddTotals: lambda q, _: f"addtotals fieldname=sum {q.choose(('', q.write_fields()))}",
    ast.XySeries: lambda q, _: q.choose(("xyseries text n id", "xyseries mixed tags nope")),
    ast.Untable: lambda q, _: f"untable {q.write_own()} column_name column_value",
    ast.Top: lambda q, _: f"top {q.write_count()} {q.write_fields()}" + q.choose(("", " by text")),
    ast.Rare: lambda q, _: (
        f"rare {q.write_count()} {q.write_fields()}" + q.choose(("", " by nope"))
    ),
    ast.Sort: lambda q, _: f"sort {q.write_sort()}" + q.choose(("", " limit 3")),
    ast.Limit: lambda q, _: f"limit {q.write_count()}",
    ast.Tail: lambda q, _: f"tail {q.write_count()}",
    ast.Offset: lambda q, _: f"offset {q.write_count()}",
    ast.Fields: lambda q, _: f"fields {q.write_fields(4)}" + q.choose(("", ", m*")),
    ast.Drop: lambda q, _: f"drop {q.write_fields()}" + q.choose(("", ", m*")),
    ast.Rename: lambda q, _: q.choose(
        (f"rename {q.write_field()} as {q.write_own()}", 'rename "m*" as "r*"')
    ),
    ast.Where: lambda q, depth: f"where {write_condition(q, depth)}",
    ast.Eval: lambda q, depth: f"eval {q.write_own()} = {q.write_expression(depth + 1)}",
    ast.Rex: lambda q, _: (
        f"rex {q.choose(('', 'max_match=0 '))}field={q.write_field()} "
        f'"(?<{q.choose(("got", "n", "mixed"))}>[a-z0-9]+)"{q.choose(KEEPING)}'
    ),
    ast.Extract: lambda q, _: (
        f'extract "{q.choose(("m ", ""))}<got>" from {q.write_field()}{q.choose(KEEPING)}'
    ),
    ast.Unpack: lambda q, _: (
        f"unpack {q.choose(('json', 'logfmt', 'kv', 'syslog', 'csv'))} from {q.write_field()}"
        + q.choose(("", " prefix p.", " fields a, b"))
        + q.choose(KEEPING)
    ),
    ast.Dedup: lambda q, _: write_keep(q),
    ast.Uniq: lambda q, _: f"uniq {q.write_fields(3)}",
    ast.Join: lambda q, depth: (
        f"join {q.choose(('', 'type=left ', 'max=0 '))}{q.write_fields()} ({q.write_inner(depth)})"
    ),
    ast.Union: lambda q, depth: f"union ({q.write_inner(depth)})",
    ast.Lookup: lambda q, _: (
        f"lookup owners {q.choose((f'{q.write_field()} as key', f'key as {q.write_field()}'))}"
        + q.choose(("", " output owner", " outputnew owner as made"))
    ),
    ast.Context: lambda q, _: (
        f"context before {q.write_count()} after {q.write_count()}"
        + q.choose(("", f" same {q.write_fields()}"))
    ),
    ast.Transaction: lambda q, depth: (
        f"transaction {q.write_fields()}"
        + q.choose(("", " maxspan 1m", " maxpause 5s"))
        + q.choose(("", f" start ({q.write_test(depth)})", f" end ({q.write_test(depth)})"))
    ),
    ast.StreamStats: lambda q, depth: (
        f"streamstats {q.choose(('', 'window=2 ', 'current=f '))}{q.write_aggregates(depth)}{q.write_by()}"
    ),
    ast.EventStats: lambda q, depth: f"eventstats {q.write_aggregates(depth)}{q.write_by()}",
    ast.Delta: lambda q, _: f"delta {q.write_field()}" + q.choose(("", " as made")),
    ast.Patterns: lambda q, _: (
        f"patterns from {q.write_field()}" + q.choose(("", " by n", " by nope"))
    ),
    ast.FillNull: lambda q, _: (
        f"fillnull value={q.choose(('0', 'x', '2.5', 'true'))} " + q.choose(("", q.write_own()))
    ),
    ast.Replace: lambda q, _: f'replace "a" with "b" in {q.write_own()}',
    ast.Sample: lambda q, _: f"sample {q.choose(('50%', '100%', '3'))}",
    ast.Diff: lambda q, _: (
        f"diff (previous {q.choose(('1m', '1000w'))})" + q.choose(("", f" by {q.write_fields()}"))
    ),
    ast.When: lambda q, depth: (
        f"{PIPES[q.random.choice(CHANGING)](q, depth)} if ({write_condition(q, depth)})"
    ),
    ast.Explain: lambda q, _: f"limit {q.write_count()}",
}
"""A writer for each pipe; `explain` may only come last, so others write it there."""
