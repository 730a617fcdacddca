"""LogQL: what is recognised as it, and that whatever is read has a canonical form of the same meaning."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.together import together

from logboom.lang.dialects import find_dialect
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query
from logboom.lang.parse import parse, read

LOGQL = [
    '{app="web"}',
    '  {app="web"} |= "x"',
    '# a comment\n{app="web"} # another\n| json\n# and one more\n| level="error"',
    '{app=`web`, pod=~"a|b",} != "x"',
    '{} |= "error"',
    '{app="web"} | json from="a.b" | unpack | drop a, b | keep c',
    'rate({app="web"}[5m])',
    'sum by(host)(rate({app="web"}[5m]))',
    '100 * sum(rate({app="web"}[5m])) / 5',
    '(sum(rate({app="web"}[5m])))',
    "sum(rate(http_requests_total[5m])) by (job)",
    "topk(10, sum by (host) (requests_total))",
    'label_values({app="web"}, host)',
    "label_values(host)",
]
OTHERS = [
    "",
    "{}",
    '{"level":"error","status":500}',
    "{'level': 'error', 'status': 500}",
    "{level=error, status=500}",
    "{app='web'}",
    '{app="web"} timeout',
    '{app="web"} | stats count by host',
    '{app="web"} |= "x" | json | limit 5',
    '{app="web"} | unpack json',
    '{app="web"} | json from note prefix n.',
    '{app="web"} | pattern "<a> <b>" from path',
    '{app="web"} | regexp field=path "(?P<a>x)"',
    '{app="web"} | drop a b',
    '{app="web" level="x"}',
    '{app="web"',
    'request failed {app="web"}',
    '_stream:{app="web"}',
    "rate limit exceeded",
    "rate (5 per minute) reached for {user}",
    "rate(5) exceeded [5m] window",
    'count(errors) = 5 {app="web"} [5m]',
    "count by host",
    "sum(a) by (b)",
    "max (of 5) connections [pool]",
    "error | stats rate by host",
    'http_requests_total{code="200"} 17',
    "(error OR warn) host:web",
    "100 - 5 = 95 {ok}",
    "topk(5, x)",
    "sum by (region) of all sales",
    "count by (host) done",
    "label_values are cached (host)",
    'java.util.Map {a="b"}',
]
PIECES = [
    *('{app="x"}', '{a=~"b.*", c!="d"}', "|=", "!=", "|~", "!~", "|>", "|", "or", "and", ","),
    *(
        '"error"',
        '"a|b"',
        '"<_> x"',
        "`\\d+`",
        '"$var"',
        '""',
        '"("',
        "[5m]",
        "[$__auto]",
        "[1h30m]",
    ),
    *("json", "logfmt", 'regexp "(?P<n>x)"', 'pattern "<a> <b>"', "unpack", "decolorize"),
    *(
        'line_format "{{.a}} {{ .b | upper }}"',
        'label_format a="{{ add .n 1 }}"',
        "label_format a=b",
    ),
    *("drop a", 'keep a, b="c"', "unwrap n", "unwrap duration(n)", "unwrap bytes(n)"),
    *(
        "a_b",
        "level",
        "=",
        "==",
        ">",
        ">=",
        "5",
        "10ms",
        "20KB",
        'ip("10.0.0.0/8")',
        '__error__=""',
    ),
    *("(", ")", "by (a)", "by (a, b_c)", "by ()", "without (a)", "offset 1h", "on (a)", "bool"),
    *("sum", "avg", "topk(3,", "sort_desc", "rate(", "count_over_time(", "quantile_over_time(0.9,"),
    *("sum_over_time(", "absent_over_time(", "vector(0)", "+", "/", "*", "-", "^", "100"),
]
STARTS = [
    '{app="x"} ',
    '{app="x", b_c=~"y|z"} | json ',
    'rate({app="x"} ',
    'sum by (a_b) (count_over_time({app="x"} | json ',
    'sum(rate({app="x"}[5m])) ',
    'topk(3, sum by (a) (bytes_rate({app="x"}[1h]))) ',
    'quantile_over_time(0.5, {app="x"} | logfmt | unwrap n ',
]


@together("text", LOGQL)
def test_logql_is_recognised(text: str) -> None:
    dialect = find_dialect(text)
    assert dialect is not None
    assert dialect.name == "LogQL"


@together("text", OTHERS)
def test_other_text_is_not_taken_for_logql(text: str) -> None:
    assert find_dialect(text) is None


def test_the_notice_has_the_query_in_our_own_language() -> None:
    reading = read('{app="web"} |= "error"')
    (notice,) = reading.notices
    assert notice.code == "read_as_dialect"
    assert notice.message == "read as LogQL"
    assert notice.data["read_as"] == 'app:=web message=~"error"'
    assert parse(notice.data["read_as"]) == reading.query


def test_our_own_queries_have_no_such_notice() -> None:
    assert read("level:error | stats count by host").notices == ()


@settings(deadline=None, max_examples=examples(300))
@given(st.sampled_from(STARTS), st.lists(st.sampled_from(PIECES), max_size=8))
def test_whatever_is_read_has_a_canonical_form_of_the_same_meaning(
    start: str, pieces: list[str]
) -> None:
    text = start + " ".join(pieces)
    try:
        query = parse(text)
    except InvalidQuery as error:
        if error.suggestion is not None:
            parse(error.suggestion)
        return
    assert parse(format_query(query)) == query


@settings(deadline=None, max_examples=examples(200))
@given(st.text(alphabet='{}()[]|=~!<>"`\\$.,#-+*/a1 m\n', max_size=40))
def test_any_text_behind_a_selector_is_read_or_refused(text: str) -> None:
    for start in ('{app="x"} ', 'rate({app="x"} '):
        try:
            query = parse(start + text)
        except InvalidQuery:
            continue
        assert parse(format_query(query)) == query


@together(
    "text",
    [
        '{app="x"} | ' + "(" * 500 + 'a="b"' + ")" * 500,
        "(" * 500 + 'rate({app="x"}[5m])' + ")" * 500,
        '{app="x"} | line_format "' + "{{if .a}}" * 500 + "{{end}}" * 500 + '"',
        '{app="x"}' + ' |~ "a.b"' * 60,
        'sum(rate({app="x"}[5m]))' + " + 1" * 500,
        '{app="x"} | line_format "{{ .a' + " | upper" * 500 + '}}"',
        '{app="x"} | json | line_format "'
        + "".join(f"{{{{.a_b_c_d{n}}}}}" for n in range(2000))
        + '"',
        "sum(" * 500 + 'rate({app="x"}[5m])' + ")" * 500,
    ],
)
def test_what_is_too_deep_or_too_much_is_refused(text: str) -> None:
    with pytest.raises(InvalidQuery):
        parse(text)
