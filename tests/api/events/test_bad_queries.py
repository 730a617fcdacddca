"""Queries that mean harm, or are plain wrong: a clear 400 or bounded work, never a 500 and never a hang."""

from typing import Any

import pytest
from tests.running import RunningService, encode_lines
from tests.together import together

LONG = "a" * 5000
REFUSED = {
    "unclosed quote": 'error "disk full',
    "unclosed parenthesis": "(error OR warn",
    "unclosed bracket": "n:[1 TO 5",
    "unclosed regex group": "message=~'(a'",
    "bad regex": "/a{2,1}(b/",
    "look-around": "/(?=secret)x(y)/i",
    "back reference": r"message=~'(a)\1'",
    "deep parentheses": "(" * 2000 + "a" + ")" * 2000,
    "deep NOT": "NOT " * 2000 + "a",
    "deep subqueries": "id:in(" * 50 + "a" + ")" * 50,
    "deep expression": "* | eval a=" + "(" * 500 + "1" + ")" * 500,
    "too long": "a OR " * 20_000 + "b",
    "unknown pipe": "* | statz count",
    "unknown function": "* | stats cuont(n)",
    "unknown aggregate argument": "* | stats avg()",
    "sort by nothing": "* | sort",
    "trailing bar": "error |",
    "no value": "level:",
    "huge limit": "* | limit 99999999999999999999",
    "huge number": "n>" + "9" * 400,
    "bad network": "host:10.0.0.0/99",
    "bad time": "_time:[yesterdayish TO now]",
    "span of nothing": "* | timechart 0s count",
    "too many spans": "* | timechart 1ns count",
    "list without OR": "level IN (a b)",
    "surrogate": "\ud800",
    "explain in the middle": "* | explain | limit 1",
    "cursor of a table": "",
}
BOUNDED = {
    "huge regex": "message=~'" + "(a|b){1000}" * 30 + "'",
    "catastrophic regex": r"message=~'(a+)+$'",
    "nested quantifiers": r"/(x+x+)+y/",
    "many terms": " OR ".join(f"level:v{number}" for number in range(4000)),
    "many words": " ".join(f"w{number}" for number in range(5000)),
    "long word": LONG,
    "long list": "level IN (" + ", ".join(f"v{number}" for number in range(5000)) + ")",
    "wild pattern": "message:" + "a*" * 300 + "b",
    "all fields": "*:" + "x" * 300,
    "nothing": "",
    "blanks": " \t\n ",
    "comment": "# nothing but a comment",
    "colons": "::::",
    "null byte": "a\x00b",
    "unicode": "🪵 ß ΑΣ",
    "division by zero": "* | eval a=1/0, b=n/0 | stats count by a",
    "overflow": "* | eval a=9223372036854775807 + n, b=10^400",
    "many pipes": "*" + " | where n:*" * 400,
    "aggregate of nothing": "* | stats avg(nothing), p99(nothing), mode(nothing) by nothing",
    "rename to itself": "* | rename n as n",
    "drop everything": "* | drop *",
    "negative numbers": "n>-5 n<5 | stats sum(n)",
    "text as number": "* | stats sum(message)",
}


@pytest.fixture(scope="module")
def env(service: RunningService) -> str:
    """Some events, among them such as regular expressions fear."""
    name = "bad-queries"
    service.control.environments.create(name)
    events: list[dict[str, Any]] = [
        {"message": "a" * 40 + "!", "n": 1, "level": "v1"},
        {"message": "x" * 5000, "n": "two", "timestamp": "2020-01-01T00:00:00Z"},
        {"n": [3, 4], "deep": {"level": None, "x": "y" * 3000}},
    ]
    service.keep(encode_lines(events), {"env": name})
    return name


def ask(service: RunningService, env: str, query: str, **members: Any) -> Any:
    body = {"query": query, "env": env, **members}
    return service.client.post("/api/search", json=body)


@together("name", REFUSED)
def test_a_wrong_query_is_refused_with_a_reason(
    service: RunningService, env: str, name: str
) -> None:
    if name == "cursor of a table":
        cursor = ask(service, env, "", limit=1).json()["cursor"]
        answer = ask(service, env, "* | sort n", cursor=cursor)
    elif name == "surrogate":
        content = f'{{"query": "\\ud800", "env": "{env}"}}'
        answer = service.client.post("/api/search", content=content)
    else:
        answer = ask(service, env, REFUSED[name])
    assert answer.status_code == 400, answer.text[:300]
    assert answer.json()["error"]["message"]
    assert len(answer.content) < 100_000


@together("name", BOUNDED)
def test_a_strange_query_is_answered(service: RunningService, env: str, name: str) -> None:
    answer = ask(service, env, BOUNDED[name])
    assert answer.status_code == 200, answer.text[:300]
    assert answer.json()["complete"]


@together("name", [*REFUSED, *BOUNDED])
def test_other_endpoints_take_strange_queries_too(
    service: RunningService, env: str, name: str
) -> None:
    query = {**REFUSED, **BOUNDED}[name].encode(errors="replace").decode()[:4000]
    for path in ("/api/fields", "/api/fields/level/values", "/api/histogram", "/api/export"):
        answer = service.client.get(path, params={"query": query, "env": env})
        assert answer.status_code in (200, 400), (path, answer.text[:300])
    parsed = service.client.post("/api/query/parse", json={"query": query})
    assert parsed.status_code in (200, 400)
    complete = service.client.get("/api/query/complete", params={"q": query, "pos": "5"})
    assert complete.status_code == 200
