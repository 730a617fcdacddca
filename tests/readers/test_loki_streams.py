"""Log queries of the Loki API: which lines come, in which order, with which labels."""

import base64
import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import httpx
import pytest
from tests.api.signing_in import bearer, make_key
from tests.readers.loki import CATEGORIZE, FIRST_S, START_NS, Entry, LokiClient
from tests.running import RunningService, encode_lines

from logboom.control.access.scopes import Scope

WEB = {"app": "web", "level": "info"}
DB = {"app": "db", "host.name": "h1"}


def at(place: int) -> str:
    return str(START_NS + place)


@pytest.fixture
def client(service: RunningService, env: str) -> LokiClient:
    return LokiClient(service, env)


@pytest.fixture(scope="module")
def shop(service: RunningService) -> LokiClient:
    """A few lines of every kind."""
    service.control.environments.create("loki-shop")
    client = LokiClient(service, "loki-shop")
    client.push(
        (WEB, [[at(1), "hello world", {"trace": "t1"}], [at(2), '{"http":{"status":200},"n":1}']]),
        (DB, [[at(3), "q=1 dur=5ms"], [at(4), "q=2 dur=50ms"]]),
        ({"app": "odd", "k8s_ns": "a"}, [[at(5), '{"log":"from docker\\n","x":true}']]),
    )
    return client


def test_streams_are_the_usual_labels_and_those_of_the_selector(shop: LokiClient) -> None:
    (web,) = shop.list_streams('{app="web"}', headers=CATEGORIZE)
    assert web.labels == {"app": "web", "level": "info", "index": "default"}
    raw = web.entries[0][1]
    assert '"status":200' in raw, "without a message all of the event is the line"
    assert web.entries[0][2] == {"structuredMetadata": {"http_status": "200", "n": "1"}}
    assert web.entries[1] == [at(1), "hello world", {"structuredMetadata": {"trace": "t1"}}]
    (odd,) = shop.list_streams('{k8s_ns=~".+"}', headers=CATEGORIZE)
    assert odd.labels == {"app": "odd", "k8s_ns": "a", "index": "default"}
    assert odd.entries == [[at(5), "from docker", {"structuredMetadata": {"x": "true"}}]]


def test_without_categories_all_fields_are_labels_as_loki_has_it(shop: LokiClient) -> None:
    streams = shop.list_streams('{app="web"} |= "hello" | regexp "(?P<first>\\\\w+)"')
    assert [stream.labels for stream in streams] == [
        {"app": "web", "level": "info", "index": "default", "trace": "t1", "first": "hello"}
    ]


def test_labels_that_stages_make_are_told_apart(shop: LokiClient) -> None:
    data = shop.read(
        "query_range",
        query='{app="web"} | regexp "(?P<first>[a-z]+) " | line_format "<{{.first}}>" |= "<h"',
        headers=CATEGORIZE,
    )
    assert list(data) == ["resultType", "encodingFlags", "result", "stats"], (
        "Grafana needs this order"
    )
    assert data["encodingFlags"] == ["categorize-labels"]
    (stream,) = data["result"]
    (entry,) = stream["values"]
    assert entry[1:] == [
        "<hello>",
        {"structuredMetadata": {"trace": "t1"}, "parsed": {"first": "hello"}},
    ]
    assert data["stats"]["summary"]["totalEntriesReturned"] == 1


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ('{host_name="h1"}', (3, 4)),
        ('{host_name!="h1", app="db"}', ()),
        ('{host_name="", app=~"web|db"}', (1, 2)),
        ('{app="db"} | host_name="h1"', (3, 4)),
        ('{app="db"} | logfmt | dur > 10ms', (4,)),
        ('{app="db"} | logfmt | host_name =~ "h." | q = 1', (3,)),
        ('{app="web"} | json | http_status >= 200', (2,)),
        ('{app="web"} | http_status = 200', (2,)),
        ('{app="web"} != "hello" | keep app', (2,)),
        ('{app="db"} |~ "q=[12]" | pattern "q=<q> dur=<d>" | d="5ms"', (3,)),
        ('{app="db"} | logfmt | label_format e=dur | e="50ms" | drop e', (4,)),
        ('{level="info"}', (1, 2)),
        ('{nothing="x"}', ()),
        ('{index="default", app!~"web|odd"}', (3, 4)),
        ('{index="other"}', ()),
        ('{app="web"} |= "200"', (2,)),
        ('{app="web"} |~ "20[0]"', ()),
        ('{app="web"} |~ "200|hello"', (1, 2)),
        ('{app="web"} != "200"', (1,)),
        ('{app="odd"} |= "odd"', ()),
        ('{app="odd"} |= "docker"', (5,)),
        ('{app="odd"} |= "kubernetes"', ()),
        ('{app=~".+"} != "docker" | keep app |~ "d.r=5"', (3, 4)),
        ('{app=~".+"} |= "$HOME"', ()),
        ('{app="$app"}', ()),
        ('{app!~"w.b|$x"}', (3, 4, 5)),
        ("{}", (1, 2, 3, 4, 5)),
    ],
)
def test_a_query_finds_its_lines(shop: LokiClient, query: str, places: tuple[int, ...]) -> None:
    entries = shop.list_entries(query)
    assert tuple(time - START_NS for time, _ in entries) == places


def test_the_environment_can_be_selected(shop: LokiClient) -> None:
    streams = shop.list_streams('{env="loki-shop", app="db"}')
    assert streams[0].labels["env"] == "loki-shop"


@pytest.mark.parametrize(
    ("times", "places"),
    [
        ({"start": at(2), "end": at(4)}, (2, 3)),
        ({"start": str(FIRST_S), "end": str(FIRST_S + 1)}, (1, 2, 3, 4, 5)),
        ({"start": f"{FIRST_S}.000000003", "end": f"{FIRST_S}.5"}, (3, 4, 5)),
        ({"start": "2023-11-14T22:13:20.000000004Z", "end": "2023-11-14T23:13:20.1+01:00"}, (4, 5)),
        ({"start": "", "since": "2h30m", "end": str(FIRST_S + 9000)}, (1, 2, 3, 4, 5)),
        ({"start": "", "end": str(FIRST_S + 3601)}, ()),
        ({"start": at(2), "end": at(2)}, ()),
    ],
)
def test_times_are_read_in_every_form(
    shop: LokiClient, times: dict[str, str], places: tuple[int, ...]
) -> None:
    entries = shop.list_entries('{app=~".+"}', **times)
    assert tuple(time - START_NS for time, _ in entries) == places


def test_a_query_comes_as_a_form_too(shop: LokiClient) -> None:
    form = {
        "query": '{app="db"}',
        "start": at(0),
        "end": at(9),
        "limit": "1",
        "direction": "forward",
    }
    answer = shop.service.client.post(
        "/loki/api/v1/query_range", data=form, params={"env": shop.env}
    )
    (stream,) = answer.json()["data"]["result"]
    assert stream["values"] == [[at(3), "q=1 dur=5ms"]]


def test_the_limit_keeps_the_first_lines_of_the_direction(shop: LokiClient) -> None:
    newest = shop.list_entries("{}", limit=2)
    oldest = shop.list_entries("{}", limit=2, direction="FORWARD")
    assert [time - START_NS for time, _ in (*oldest, *newest)] == [1, 2, 4, 5]
    assert len(shop.list_entries("{}", interval="0")) == 5
    apart = shop.list_entries("{}", interval="0.000000003", direction="forward")
    assert [time - START_NS for time, _ in apart] == [1, 4]


def page(client: LokiClient, batch: int, *, is_forward: bool) -> Iterator[Entry]:
    """The lines of all pages, as logcli asks for them: it knows the lines at the border, and asks for them again."""
    times = {"start": START_NS, "end": START_NS + 10**9}
    border: list[Entry] = []
    direction = "forward" if is_forward else "backward"
    while True:
        limit = batch + len(border)
        found = client.list_entries('{app="web"}', direction=direction, limit=limit, **times)
        entries = found if is_forward else found[::-1]
        new = [entry for entry in entries if entry not in border]
        yield from new
        if len(entries) < limit:
            return
        last = entries[-1][0]
        border = [entry for entry in entries if entry[0] == last]
        times["start" if is_forward else "end"] = last if is_forward else last + 1


@pytest.mark.parametrize("is_forward", [True, False])
def test_pages_lose_no_line_of_equal_times(client: LokiClient, *, is_forward: bool) -> None:
    pushed = [(START_NS + place // 5, f"line {place}") for place in range(60)]
    for part in (pushed[::2], pushed[1::2]):
        client.push((WEB, [[str(time), line] for time, line in part]))
    for batch in (1, 4, 7, 60):
        paged = list(page(client, batch, is_forward=is_forward))
        assert sorted(paged) == sorted(pushed)
        steps = [later[0] - earlier[0] for earlier, later in pairwise(paged)]
        assert all(step >= 0 if is_forward else step <= 0 for step in steps)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"query": ""}, "the parameter query is empty"),
        ({"query": '{app="web"'}, "col 11"),
        ({"query": '{app="web"} | unwrap x'}, "unwrap needs a function"),
        ({"query": '{app="web"} | wrong'}, "col"),
        ({"query": '{app="web"} | drop _time'}, "removes _time"),
        ({"query": "{" + 'a_b_c_d="x",' * 999 + "}"}, "the query has"),
        ({"query": "{}", "limit": "0"}, "limit must be a positive value"),
        ({"query": "{}", "limit": "-1"}, "limit must be a positive value"),
        ({"query": "{}", "limit": "5001"}, "(5001 > 5000)"),
        ({"query": "{}", "limit": "9" * 50}, "max entries limit"),
        ({"query": "{}", "direction": "up"}, "invalid direction"),
        ({"query": "{}", "start": "yesterday"}, "start 'yesterday'"),
        ({"query": "{}", "start": "9" * 19}, "start"),
        ({"query": "{}", "start": at(2), "end": at(1)}, "end timestamp must not be before"),
        ({"query": "{}", "interval": "-1"}, "interval must be >= 0"),
        ({"query": "{}", "interval": "often"}, "interval 'often'"),
        ({"query": "{}", "since": "99999y", "start": ""}, "too long"),
        ({"query": "{}", "env": "nowhere"}, "unknown environment"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(
    shop: LokiClient, parameters: dict[str, Any], said: str
) -> None:
    answer = shop.get("query_range", **parameters)
    assert answer.status_code == 400, answer.text
    check_line(answer, said)
    assert "col 1:" not in answer.text, "there is no mistake at the start"


def check_line(answer: httpx.Response, said: str = "") -> None:
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert answer.text.count("\n") == 1
    assert said in answer.text


ODD_LINES = [
    '{"a": {"b": 1}, "n": 1}',
    "plain text",
    '{"broken": ',
    "[1, 2]",
    " {}",
    '"quoted"',
    "",
    '{"n": 1} and more',
]


def test_lines_that_were_json_have_no_error(service: RunningService, env: str) -> None:
    """Only their message is left of them, which is no JSON."""
    client = LokiClient(service, env)
    lines = [json.dumps({"msg": f"took {took}", "took": f"{took}ms"}) for took in range(4)]
    client.push(({"app": "x"}, [[at(place), line] for place, line in enumerate(lines)]))
    assert len(client.list_entries('{app="x"} | json | __error__=""')) == 4
    sums = client.read(
        "query",
        query='sum(sum_over_time({app="x"} | json | unwrap duration(took) | __error__="" [1h]))',
        time=FIRST_S + 9,
    )
    assert float(sums["result"][0]["value"][1]) == pytest.approx(0.006)


def test_lines_that_are_broken_json_have_an_error(service: RunningService, env: str) -> None:
    client = LokiClient(service, env)
    events = [{"message": line, "app": "x"} for line in ODD_LINES] + [{"app": "x", "n": 5}]
    service.keep(
        encode_lines({"timestamp": START_NS + at, **event} for at, event in enumerate(events)),
        {"env": env},
    )

    def find(stages: str) -> list[int]:
        return [time - START_NS for time, _ in client.list_entries(f'{{app="x"}} {stages}')]

    fine, wrong = [0, 1, 3, 4, 5, 6, 8], [2, 7]
    for parser in ("json", 'json b="a.b"', "unpack"):
        assert find(f'| {parser} | __error__=""') == fine
        assert find(f'| {parser} | __error__!=""') == wrong
        assert find(f'| {parser} | __error__="JSONParserErr"') == wrong
        assert find(f'| {parser} | __error__=~"JSON.*"') == wrong
        assert find(f'| {parser} | __error__!="JSONParserErr"') == fine
        assert find(f'| {parser} | __error_details__!=""') == wrong
        assert find(f'| {parser} | n="1" or __error__!=""')[-2:] == wrong
        assert find(f"| {parser} | drop __error__, __error_details__") == [*range(9)]
    assert find('| __error__=""') == find('| logfmt | __error__=""') == [*range(9)]
    streams = client.list_streams('{app="x"} | json | __error__=~".*"')
    assert {each.labels.get("__error__") for each in streams} == {None, "JSONParserErr"}
    counted = client.read(
        "query",
        query='sum by (__error__) (count_over_time({app="x"} | json | __error__!="" [1h]))',
        time=FIRST_S + 9,
    )
    [series] = counted["result"]
    assert (series["metric"], series["value"][1]) == ({"__error__": "JSONParserErr"}, "2")


def test_a_long_form_is_refused(shop: LokiClient) -> None:
    answer = shop.service.client.post("/loki/api/v1/query_range", data={"query": "x" * (1 << 20)})
    assert answer.status_code == 413
    check_line(answer, "the body is too long")


def test_only_who_may_search_reads(service: RunningService, shop: LokiClient) -> None:
    def ask(headers: dict[str, str]) -> httpx.Response:
        parameters = {"query": "{}", "start": at(0), "end": at(9)}
        tenant = {"X-Scope-OrgID": shop.env}
        return service.anonymous.get(
            "/loki/api/v1/query_range", params=parameters, headers=tenant | headers
        )

    key = make_key(service, Scope.SEARCH)["Authorization"].removeprefix("Bearer ")
    basic = base64.b64encode(f"anybody:{key}".encode()).decode()
    for headers in (bearer(key), {"Authorization": f"Basic {basic}"}):
        assert len(ask(headers).json()["data"]["result"]) > 0
    for headers, status in (
        ({}, 401),
        (bearer("wrong"), 401),
        (make_key(service, Scope.INGEST), 403),
        (make_key(service, Scope.SEARCH, envs=("other",)), 403),
    ):
        answer = ask(headers)
        assert answer.status_code == status
        check_line(answer)
    hidden = ask(make_key(service, Scope.SEARCH, indexes=("other",)))
    assert hidden.json()["data"]["result"] == []
    assert hidden.json()["data"]["stats"]["summary"]["totalLinesProcessed"] == 0


def test_several_tenants_are_read_together(service: RunningService, shop: LokiClient) -> None:
    service.control.environments.create("loki-other")
    other = LokiClient(service, "loki-other")
    other.push((WEB, [[at(6), "elsewhere"]]))
    both = LokiClient(service, "loki-other|loki-shop").list_entries('{app="web"}')
    assert [time - START_NS for time, _ in both] == [1, 2, 6]
