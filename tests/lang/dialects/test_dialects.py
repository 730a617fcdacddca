"""Languages of their own: recognised when they are certainly meant, and read into a query that ours can write."""

import random
import re
from pathlib import Path

import pytest
from tests.lang.test_golden import read_cases
from tests.together import together

from logboom.lang.ast import Exact, Or, Query, Word
from logboom.lang.dialects import find_dialect
from logboom.lang.dialects.logql.recognise import STAGE_NAMES
from logboom.lang.dialects.logql.stages import STAGES
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query
from logboom.lang.parse import parse, read

CASES = Path(__file__).parents[2] / "cases" / "lang"
NAMES = {"esql": "ES|QL", "kusto": "Kusto", "eql": "EQL"}
QUERIES = [(stem, query) for stem in NAMES for query, _ in read_cases(CASES / f"{stem}.txt")]
REFUSED = [query for stem in NAMES for query, _ in read_cases(CASES / f"{stem}_errors.txt")]
PIECE = re.compile(r"\w+|\s+|[^\w\s]")
LOOKALIKES = [query for query, _ in read_cases(CASES / "lookalikes.txt")]


@together(("stem", "query"), QUERIES)
def test_the_notice_names_the_language_and_has_the_query_in_ours(stem: str, query: str) -> None:
    reading = read(query)
    (notice,) = reading.notices
    assert (notice.code, notice.message) == ("read_as_dialect", f"read as {NAMES[stem]}")
    assert notice.data == {"read_as": format_query(reading.query)}


@together("query", [query for _, query in QUERIES])
def test_the_query_in_ours_is_no_other_language(query: str) -> None:
    assert find_dialect(format_query(parse(query))) is None


@together("query", LOOKALIKES)
def test_what_only_looks_like_another_language_stays_ours(query: str) -> None:
    assert find_dialect(query) is None
    assert find_dialect(format_query(parse(query))) is None


@together("query", REFUSED)
def test_a_suggestion_is_a_query_of_ours(query: str) -> None:
    with pytest.raises(InvalidQuery) as caught:
        read(query)
    suggestion = caught.value.suggestion
    if suggestion is not None:
        assert find_dialect(suggestion) is None
        assert format_query(parse(suggestion)) == suggestion


def test_there_are_enough_cases() -> None:
    assert len(REFUSED) >= 120
    assert len(LOOKALIKES) >= 50


@together("text", ["", " ", "|", "FROM", "let", "select", "T |", "/", "//", "\0", "("])
def test_a_beginning_alone_is_no_language(text: str) -> None:
    assert find_dialect(text) is None


COMMENTED = """// errors of the last hour
FROM logs-*   // all of them
/* but only
   the worst */
| WHERE @timestamp > NOW() - 1 hour
  AND level == "error"
| STATS c = COUNT(*)
    BY host.name
"""
LINES = """// failed logons
let threshold = 5; // as agreed
SecurityEvent
| where TimeGenerated > ago(1d)
// 4625 is a failed logon
| where EventID == 4625
| summarize n = count()
    by Account
| where n > threshold
"""
UNION = """union SecurityEvent, Syslog
// both of them
| where Computer == "a"
"""
QUERIES_IN_ONE = """SecurityEvent
| where EventID == 4625

// the other log

Syslog
| take 5
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (COMMENTED, "index:logs-* _time>now-1h level:=error | stats count as c by host.name"),
        (
            LINES,
            "index:SecurityEvent _time>now-1d EventID:4625 | stats count as n by Account | where n>5",
        ),
        (UNION, "(index:SecurityEvent OR index:Syslog) Computer:=a"),
    ],
)
def test_lines_and_comments(text: str, expected: str) -> None:
    assert format_query(parse(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sql\nfrom logs-* | where a == 1", "index:logs-* a:1"),
        ("```kql\nSecurityEvent\n| where EventID == 4625\n```", "index:SecurityEvent EventID:4625"),
        ("```\nlevel:error | stats count\n```\n", "level:error | stats count"),
        ("sql\nlevel:error", "sql level:error"),
    ],
)
def test_the_fence_of_a_code_block_is_ignored(text: str, expected: str) -> None:
    assert format_query(parse(text)) == expected


def test_a_fence_moves_no_position() -> None:
    with pytest.raises(InvalidQuery, match="col 5: SQL is not supported"):
        parse("sql\nSELECT a FROM b WHERE c = 1")


def test_two_queries_are_refused() -> None:
    with pytest.raises(InvalidQuery, match="Kusto: a second query starts here") as caught:
        parse(QUERIES_IN_ONE)
    assert caught.value.suggestion == "index:SecurityEvent EventID:4625"


@together(
    "query",
    [
        "FROM a | WHERE " + "(" * 200 + "x == 1" + ")" * 200,
        "FROM a | WHERE " + "NOT " * 200 + "x == 1",
        "FROM a | EVAL y = " + " + ".join("x" * 200),
        "FROM a | EVAL y = " + "-" * 200 + "x",
        "T | where a has 'x' | where " + " or ".join(f"strlen(a) == {n}" for n in range(200)),
        "T | where a has 'x' | extend y = " + "f(" * 200 + ")" * 200,
        "T | where a in (" * 40 + "T | take 1" + ")" * 40 + " | where b has 'x'",
    ],
)
def test_deep_queries_are_refused(query: str) -> None:
    with pytest.raises(InvalidQuery):
        parse(query)


def test_many_conditions_are_read() -> None:
    hosts = [f"h{number}" for number in range(70)]
    terms = " OR ".join(f'host == "{host}"' for host in hosts)
    expected = Or(tuple(Exact("host", host) for host in hosts))
    assert parse(f"FROM * | WHERE {terms}").filter == expected


@pytest.mark.parametrize(
    "query",
    [
        "logs | summarize count() by host",
        "web | extend x = lower(host)",
        "a | project b",
        'logs | where level == "error" | project a, b',
        "web | distinct host",
        "web | where status >= 500 | take 10",
    ],
)
def test_a_word_before_pipes_of_kusto_may_be_an_index(query: str) -> None:
    reading = read(query)
    (notice,) = reading.notices
    word = query.split()[0]
    assert reading.query.filter == Word(word)
    assert notice.code == "read_as_text"
    assert notice.data["alt"] == f"index:{query}"


@pytest.mark.parametrize(
    "query", ["error | summarize count() by host", "* | project a", "web | stats count"]
)
def test_pipes_of_ours_need_no_notice(query: str) -> None:
    assert read(query).notices == ()


def damage(chance: random.Random, query: str, pieces: list[str]) -> str:
    """The query with a few pieces left out, added or replaced."""
    damaged = PIECE.findall(query)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(damaged) + 1)
        damaged[place : place + chance.randint(0, 1)] = chance.choice(([], [chance.choice(pieces)]))
    return "".join(damaged)


@together("seed", range(4))
def test_damaged_queries_are_read_or_refused(seed: int) -> None:
    """Whatever is left of a query: never another error, and what is read can be written and read again."""
    chance = random.Random(seed)
    queries = [query for _, query in QUERIES] + REFUSED + LOOKALIKES
    pieces = [piece for query in queries for piece in PIECE.findall(query)]
    for _ in range(400):
        text = damage(chance, chance.choice(queries), pieces)
        query = read_or_correct(text)
        assert query is None or parse(format_query(query)) == query, text


def read_or_correct(text: str) -> Query | None:
    """The query, or the one that is suggested in its place."""
    try:
        return parse(text)
    except InvalidQuery as error:
        return None if error.suggestion is None else parse(error.suggestion)


def test_logql_is_recognised_by_the_stages_that_are_read() -> None:
    assert frozenset(STAGES) == STAGE_NAMES


@together("count", [3, 100, 1500])
def test_a_list_of_eql_may_be_long(count: int) -> None:
    listed = ", ".join(f'"tool-{number}.exe"' for number in range(count))
    found = read(f"process where process.name : ({listed})").query.filter
    assert format_query(Query(found)).count("process.name:tool-") == count


def test_many_patterns_of_one_field_become_one_expression() -> None:
    listed = ", ".join(f'"/opt/tool-{number}/*"' for number in range(60))
    text = f'process where a like ({listed}) and not b like ({listed}) and not c like "x*"'
    written = format_query(parse(text))
    assert written.startswith(
        "event.category:=process a:/(?:^\\/opt\\/tool-0\\/)|(?:^\\/opt\\/tool-1\\/)|"
    )
    assert written.endswith(" NOT c:/^x/")
    assert written.count("b:") == 1
    assert parse(written) == parse(text)
