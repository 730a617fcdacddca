"""Every pipe asks for what it is about to hold, and is refused before it holds it."""

import pytest
from tests.engine.pipes.tables import make_table, run
from tests.together import together

from logboom.base.errors import OverBudget
from logboom.engine.pipes import PIPES
from logboom.engine.pipes.kinds import Finder
from logboom.engine.rows.memory import Memory
from logboom.engine.rows.table import Table
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast
from logboom.lang.parse import parse

ROWS = 2000
LIMIT = 1 << 20
TABLE = make_table(
    [
        {
            "a": f"{number} " + "some text " * 10,
            "k": str(number),
            "n": number,
            "m": number % 500,
            "l": [str(each) for each in range(20)],
            "j": '{"x":1,"y":[1,2,3]}',
        }
        for number in range(ROWS)
    ]
)
DOUBLED = ", ".join(["a = a & a"] * 30)
GREEDY = [
    "dedup a, k",
    "sort a",
    "tail 1000",
    'where a =~ "text"',
    'fillnull "' + "-" * 1000 + '" x, y',
    f'replace " " with "{"-" * 500}" in a',
    "xyseries k m a",
    "untable k name value",
    "join k max=0 (*)",
    "union (*)",
    f"eval {DOUBLED}",
    'eval x = replace(a, "", "0123456789")',
    "eval x = rpad(a, 10000)",
    'eval x = split(a, "")',
    f'eval x = join(l, "{"-" * 500}")',
    f'eval x = strftime(now(), "{"%Y" * 500}") & a',
    "eval x = mvappend(l, l), x = mvappend(x, x), x = mvappend(x, x)",
    'rex field=a max_match=0 "(?<c>.)"',
    "mvexpand l",
    "stats list(a) by k",
    "stats values(a), list(l) by k",
    "streamstats values(a) as v",
    "chart count over k by n limit=2000",
]


class Itself:
    """Finds the table itself whatever is asked."""

    def table(self, _query: ast.Query) -> Table:
        return TABLE

    def around(self, _anchors: Table, _wanted: ast.Context) -> Table:
        raise NotImplementedError


def apply(query: str, limit_bytes: int) -> Table:
    finder: Finder = Itself()
    table = TABLE
    with Memory(limit_bytes).working("search"):
        for pipe in parse(f"* | {query}").pipes:
            table = run(PIPES[type(pipe)](pipe, Conditions()), table, finder)
    return table


@together("query", GREEDY)
def test_what_takes_too_much_is_refused(query: str) -> None:
    with pytest.raises(OverBudget, match=f"^{query.split()[0]} needs"):
        apply(query, LIMIT)


@pytest.mark.parametrize("query", ["transaction k", "patterns a", "unpack json from j"])
def test_what_takes_less_is_refused_where_there_is_less(query: str) -> None:
    with pytest.raises(OverBudget, match=f"^{query.split()[0]} needs"):
        apply(query, LIMIT // 8)


def test_lists_are_made_for_each_row_only_where_there_is_room() -> None:
    with pytest.raises(OverBudget, match=r"^where needs"):
        apply("eventstats list(a) as v | where mvcount(v) > 0", 8 * LIMIT)


@pytest.mark.parametrize("query", ["limit 5", "fields a", "drop a", "rename a as b", "offset 3"])
def test_what_takes_nothing_is_not(query: str) -> None:
    assert apply(query, LIMIT).height


def test_lists_of_several_pipes_are_told_apart() -> None:
    table = apply(
        "limit 6 | eventstats values(k) as u by k | eventstats values(n) as v by n | drop u "
        "| eventstats values(m) as w | fields k, v, w",
        64 * LIMIT,
    )
    assert table.read_column("v") == [[number] for number in range(6)]
    assert table.read_column("w") == [[0, 1, 2, 3, 4, 5]] * 6


def test_lists_that_rows_share_are_there_once() -> None:
    table = apply("eventstats list(a) as v | sort n | fields n, v", 8 * LIMIT)
    assert table.shared.keys() == {"v"}
    values = table.read_column("v")
    assert len(values[0]) == 1000
    assert all(value is values[0] for value in values)
