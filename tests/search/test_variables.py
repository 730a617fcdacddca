"""Variables of dashboards: a value is only ever a value, wherever it stands in a query."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.together import together

from logboom.lang.ast import And, Exact, Match
from logboom.lang.format import format_query
from logboom.lang.parse import parse, read_canonical
from logboom.search.variables import put_values, quote_variables

CASES = [
    ("service:$s", {"s": "cart"}, "service:cart"),
    ("service:$s", {"s": ""}, "*"),
    ("service:$s", {"s": "*"}, "*"),
    ("service:$s level:error", {"s": ""}, "level:error"),
    ("level:error $s", {"s": "time out"}, 'level:error "time out"'),
    ("level:error $s", {"s": ""}, "level:error"),
    ("$s", {"s": "x"}, "x"),
    ("service:=$s", {"s": "a*"}, 'service:="a*"'),
    ("service:$s", {"s": "a*"}, 'service:"a*"'),
    ("NOT host:$h", {"h": "a"}, "NOT host:a"),
    ("NOT host:$h", {"h": ""}, "*"),
    ("NOT host:$h level:error", {"h": "*"}, "level:error"),
    ("host IN ($a, b)", {"a": "x y"}, 'host IN ("x y", b)'),
    ("host IN ($a, b)", {"a": ""}, "*"),
    ("host=~$a", {"a": "a.b"}, 'host=~"a\\.b"'),
    ("duration_ms>$least", {"least": "250"}, "duration_ms>250"),
    ("duration_ms>=$least", {"least": "0.5"}, "duration_ms>=0.5"),
    ("duration_ms>$least", {"least": ""}, "*"),
    ("index:$i", {"i": "web"}, "index:web"),
    ("* | where host == $h", {"h": "a"}, "* | where host:=a"),
    ("* | eval is = if(host == $h, 1, 0)", {"h": "a"}, '* | eval is = if(host == "a", 1, 0)'),
    ("* | stats count by host | where host:$h", {"h": ""}, "* | stats count by host | where *"),
    ("service:$other", {"s": "x"}, 'service:"$other"'),
    ("service:$serv", {"s": "x", "serv": "y"}, "service:y"),
    ('"cost $s now" a', {"s": "x"}, '"cost $s now" a'),
    ('message=~"end$"', {"end": "x"}, 'message=~"end$"'),
]


@together(("query", "values", "expected"), CASES)
def test_values_stand_for_variables(query: str, values: dict[str, str], expected: str) -> None:
    read = parse(quote_variables(query, values))
    assert put_values(read, values) == parse(expected)


INJECTIONS = [
    '" OR *',
    "x) OR (level:*",
    "x | stats count",
    "a\\",
    "`", "'", "$s", "${s}", "*:*", "/.*/", "\n| limit 0", "\u202e", "a NOT b",
]  # fmt: skip


@together("value", INJECTIONS)
def test_a_value_never_becomes_a_part_of_the_query(value: str) -> None:
    query = put_values(parse(quote_variables("level:error service:$s", ["s"])), {"s": value})
    assert isinstance(query.filter, And)
    _, term = query.filter.terms
    assert isinstance(term, Match)
    assert term.pattern.text == value
    assert read_canonical(format_query(query)).query == query


@given(value=st.text(min_size=1).filter(lambda text: text != "*" and text.isprintable()))
def test_any_text_is_one_value(value: str) -> None:
    query = put_values(parse("service:=$s | limit 5"), {"s": value})
    assert query.filter == Exact("service", value)
    assert len(query.pipes) == 1


@pytest.mark.parametrize("text", ["", "a", "$", "$1", "$s"])
def test_without_variables_a_query_stays_as_it_is(text: str) -> None:
    assert quote_variables(text, []) == text
