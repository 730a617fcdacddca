"""What clients ask before they send: every answer in the form that lets them go on."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.api.signing_in import bearer, make_key, make_token
from tests.running import RunningService
from tests.together import together

from logboom.control.access.scopes import Scope
from logboom.ingest import sink
from logboom.protocols.search_engine.endpoint import ROUTES
from logboom.store.flush import buffer

MakeService = Callable[..., RunningService]

PREFIXES = ("", "/api/es")
each_prefix = pytest.mark.parametrize("prefix", PREFIXES)


def ask(service: RunningService, method: str, path: str, **options: Any) -> httpx.Response:
    """A question that must be answered well."""
    answer = service.anonymous.request(method, path, **options)
    assert answer.status_code == 200, answer.text
    assert answer.headers["X-Elastic-Product"] == "Elasticsearch"
    return answer


@pytest.mark.parametrize("path", ["/", "/api/es", "/api/es/"])
def test_the_banner_is_that_of_a_server_that_clients_trust(
    service: RunningService, path: str
) -> None:
    banner = ask(service, "GET", path).json()
    assert banner["version"]["number"] == "8.19.0"
    assert banner["version"]["build_flavor"] == "default"
    assert banner["tagline"] == "You Know, for Search"
    assert len(banner["cluster_uuid"]) == 22
    head = ask(service, "HEAD", path)
    assert head.content == b""


def test_a_browser_gets_the_page_instead(service: RunningService) -> None:
    answer = service.anonymous.get("/", headers={"Accept": "text/html,*/*"})
    assert answer.headers["Content-Type"].startswith("text/html")


@together(
    ("agent", "version"),
    [
        ("Elastic-filebeat/8.10.4 (linux; amd64; abc; 2023-09-01 00:00:00 +0000 UTC)", "8.10.4"),
        ("Elastic-metricbeat-fips/9.1.0 (linux)", "9.1.0"),
        ("Elastic-filebeat/8.10", "8.19.0"),
        ("logstash/8.15.0 (OS=Linux)", "8.19.0"),
        ("Elastic-filebeat/99999.1.1", "8.19.0"),
        ("", "8.19.0"),
    ],
)
def test_a_beat_hears_its_own_version(service: RunningService, agent: str, version: str) -> None:
    headers = {"User-Agent": agent}
    assert ask(service, "GET", "/", headers=headers).json()["version"]["number"] == version
    nodes = ask(service, "GET", "/_nodes/http", headers=headers).json()["nodes"]
    assert [node["version"] for node in nodes.values()] == [version]


@each_prefix
def test_the_license_is_active(service: RunningService, prefix: str) -> None:
    license_ = ask(service, "GET", f"{prefix}/_license?human=false").json()["license"]
    assert (license_["status"], license_["type"]) == ("active", "basic")
    features = ask(service, "GET", f"{prefix}/_xpack").json()["features"]
    assert features["monitoring"]["enabled"] is False


@each_prefix
def test_the_cluster_is_healthy(service: RunningService, prefix: str) -> None:
    for path in ("/_cluster/health", "/_cluster/health/web"):
        assert ask(service, "GET", prefix + path).json()["status"] == "green"
    line = ask(service, "GET", f"{prefix}/_cat/health")
    assert line.headers["Content-Type"].startswith("text/plain")
    assert line.text.split()[2:4] == ["logboom", "green"]


@pytest.mark.parametrize("path", ["/_nodes", "/_nodes/http", "/_nodes/_all/http"])
def test_sniffers_find_the_address_they_came_by(service: RunningService, path: str) -> None:
    nodes = ask(service, "GET", path).json()["nodes"]
    addresses = [node["http"]["publish_address"] for node in nodes.values()]
    assert addresses == [f"127.0.0.1:{service.port}"]


def test_no_node_lacks_a_processor(service: RunningService) -> None:
    assert ask(service, "GET", "/_nodes/ingest").json()["nodes"] == {}


@each_prefix
@pytest.mark.parametrize(
    "path",
    [
        "/_index_template/filebeat-8.10.4",
        "/_component_template/logs%40custom",
        "/_template/logstash",
        "/_ilm/policy/filebeat",
        "/_ingest/pipeline/geoip",
        "/_data_stream/filebeat-8.10.4",
        "/_alias/logs",
    ],
)
def test_what_clients_set_up_is_there_and_may_be_set_up_again(
    service: RunningService, prefix: str, path: str
) -> None:
    assert ask(service, "HEAD", prefix + path).content == b""
    assert not any(ask(service, "GET", prefix + path).json().values())
    template = b'{"mappings":"' + b"x" * 1_000_000 + b'"}'
    for method in ("PUT", "POST", "DELETE"):
        answer = ask(service, method, prefix + path, content=template)
        assert answer.text == '{"acknowledged":true}'


@each_prefix
def test_every_index_is_there(service: RunningService, prefix: str) -> None:
    assert ask(service, "HEAD", f"{prefix}/ecs-logstash").content == b""
    created = ask(service, "PUT", f"{prefix}/%3Cecs-logstash-%7Bnow%7D-000001%3E", content=b"{}")
    assert created.json()["acknowledged"] is True
    assert created.json()["shards_acknowledged"] is True


def test_no_index_is_deleted_and_nobody_is_told_so(service: RunningService) -> None:
    answer = service.anonymous.delete("/web")
    assert answer.status_code == 403
    assert "retention" in answer.json()["error"]["reason"]


@each_prefix
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "path", ["/_refresh", "/_all/_refresh", "/web/_refresh", "/_flush", "/web/_flush"]
)
def test_a_refresh_is_answered_when_it_is_done(
    service: RunningService, prefix: str, method: str, path: str
) -> None:
    answer = ask(service, method, prefix + path)
    assert answer.text == '{"_shards":{"total":1,"successful":1,"failed":0}}'


def test_events_that_are_not_searchable_in_time_are_stored_all_the_same(
    start_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = start_service()
    monkeypatch.setattr(sink, "REFRESH_TIMEOUT_S", 0.0)
    monkeypatch.setattr(buffer, "REFRESH_S", 3600.0)
    body = b'{"index":{}}\n{"message":"stored"}\n'
    ask(service, "POST", "/_bulk", content=body)
    service.flush()
    answer = ask(service, "POST", "/_bulk?refresh=true", content=body)
    assert (answer.status_code, answer.json()["errors"]) == (200, False)
    refused = service.anonymous.post("/_refresh")
    assert refused.status_code == 503
    assert refused.json()["error"]["reason"] == "the events are not searchable yet"
    service.flush()
    assert service.count("stored") == 2


@each_prefix
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/_unknown"),
        ("POST", "/_rollup_search"),
        ("POST", "/web/_validate"),
        ("POST", "/web/_unknown/x"),
        ("GET", "/web/_termvectors/7"),
        ("GET", "/_bulk"),
        ("PATCH", "/_bulk"),
        ("DELETE", "/web/_bulk"),
    ],
)
def test_what_is_not_there_is_told_in_the_protocols_form(
    service: RunningService, prefix: str, method: str, path: str
) -> None:
    answer = service.anonymous.request(method, prefix + path)
    assert answer.status_code == 404
    assert answer.headers["X-Elastic-Product"] == "Elasticsearch"
    error = answer.json()["error"]
    assert error["type"] == "resource_not_found_exception"
    assert f"[{prefix}{path}]" in error["reason"]
    assert error["root_cause"] == [{"type": error["type"], "reason": error["reason"]}]


PLACES = {"{index}": "web", "{type}": "events", "{id}": "7", "{name}": "x", "{rest*}": "all"}


def list_requests() -> list[tuple[str, str]]:
    """Every method on every path of the protocol."""
    requests: dict[tuple[str, str], None] = {}
    for route in ROUTES:
        path = route.path
        for placeholder, value in PLACES.items():
            path = path.replace(placeholder, value)
        requests |= dict.fromkeys((method, path) for method in route.methods.split())
    return list(requests)


def check_refusal(answer: httpx.Response, status: int) -> None:
    assert answer.status_code == status, answer.request.url
    assert answer.headers["X-Elastic-Product"] == "Elasticsearch"
    if answer.request.method == "HEAD":
        assert answer.content == b""
        return
    assert answer.json()["error"]["type"] == "security_exception"
    assert answer.json()["status"] == status


def test_wrong_credentials_are_refused_on_every_route(service: RunningService) -> None:
    outsider = make_key(service, Scope.MCP)
    for method, path in list_requests():
        wrong = service.anonymous.request(method, path, headers=bearer("wrong"))
        check_refusal(wrong, 401)
        check_refusal(service.anonymous.request(method, path, headers=outsider), 403)


def test_who_only_searches_may_ask_but_not_store(service: RunningService) -> None:
    reader = make_key(service, Scope.SEARCH)
    ask(service, "GET", "/", headers=reader)
    for method, path in (("POST", "/_bulk"), ("POST", "/web/_doc"), ("PUT", "/web/_create/7")):
        check_refusal(service.anonymous.request(method, path, headers=reader), 403)


def test_credentials_are_needed_on_every_route_when_the_settings_say_so(
    start_service: MakeService,
) -> None:
    service = start_service()
    changed = service.client.patch("/api/settings", json={"ingest": {"require_auth": True}})
    assert changed.status_code == 200, changed.text
    for method, path in list_requests():
        check_refusal(service.anonymous.request(method, path), 401)
    answer = service.anonymous.get("/", headers=bearer(make_token(service)))
    assert answer.status_code == 200


def test_the_switch_closes_every_route(start_service: MakeService) -> None:
    service = start_service()
    changed = service.client.patch("/api/settings", json={"ingest": {"compat_enabled": False}})
    assert changed.status_code == 200, changed.text
    for method, path in list_requests():
        check_refusal(service.anonymous.request(method, path), 403)


def test_questions_need_no_environment(service: RunningService) -> None:
    ask(service, "GET", "/_license?env=nowhere")
    ask(service, "GET", "/", headers=bearer(make_token(service, "gone")))


def test_a_set_up_without_end_is_refused(service: RunningService) -> None:
    pieces = (b"x" * (1 << 20) for _ in range(20))
    answer = service.anonymous.put("/_index_template/x", content=pieces)
    assert answer.status_code == 413
    assert answer.headers["X-Elastic-Product"] == "Elasticsearch"
