"""Running the service: alive, ready, measured, described, flushed by hand."""

from collections.abc import Callable

import httpx
from prometheus_client.parser import text_string_to_metric_families
from tests.routes import AGENT_ROUTES, list_framework_routes, list_protocol_routes
from tests.running import RunningService, encode_lines

from logboom import __version__
from logboom.api.documents import encode_document
from logboom.application import find_routes

MakeService = Callable[..., RunningService]


def test_health_and_readiness_are_for_everybody(service: RunningService) -> None:
    assert service.anonymous.get("/health").json() == {"status": "ok"}
    assert service.anonymous.get("/ready").json() == {"status": "ready"}


def test_the_version_is_the_programs(service: RunningService) -> None:
    answer = service.anonymous.get("/api/version")
    assert answer.text == f'{{"name":"logboom","version":"{__version__}"}}'


def read_metrics(service: RunningService) -> dict[str, float]:
    text = service.anonymous.get("/metrics").text
    return {
        sample.name + "".join(sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_metrics_are_in_the_prometheus_format_and_count(service: RunningService, env: str) -> None:
    content_type = service.anonymous.get("/metrics").headers["Content-Type"]
    assert content_type.startswith("text/plain; version=")
    assert content_type.count("charset") == 1
    service.flush()
    before = read_metrics(service)
    service.keep(encode_lines([{"id": 1}, {"id": 2}]) + b"not json\n", {"env": env})
    after = read_metrics(service)
    assert after[f"logboom_ingested_events_total{env}"] == 2
    assert after[f"logboom_ingest_errors_total{env}"] == 1
    committed = "logboom_committed_events_total"
    assert after[committed] == before[committed] + 3


def test_a_flush_says_what_it_made_searchable(start_service: MakeService) -> None:
    service = start_service()
    assert service.flush() == {"blocks": 0, "events": 0}
    days = [{"timestamp": f"2024-05-0{day}", "id": day} for day in (1, 1, 2)]
    service.ingest(encode_lines(days))
    assert service.count() == 0
    answer = service.client.post("/api/admin/flush")
    assert answer.text == '{"blocks":2,"events":3}'
    assert service.count() == 3


def test_only_admins_flush(service: RunningService) -> None:
    assert service.anonymous.post("/api/admin/flush").status_code == 401


def list_routes() -> set[tuple[str, str]]:
    """Every documented method and path."""
    raw = list_protocol_routes(documented=True) | AGENT_ROUTES
    routes = list_framework_routes(documented=True) | raw
    return {(method.lower(), path.replace(":str}", "}")) for method, path in routes}


def test_the_openapi_document_names_every_route(service: RunningService) -> None:
    answer = service.anonymous.get("/api/openapi.json")
    assert answer.headers["Content-Type"] == "application/json"
    document = answer.json()
    assert document["openapi"].startswith("3.")
    info = document["info"]
    assert (info["title"], info["version"]) == ("Logboom", __version__)
    assert "`reason` `changed`" in info["description"]
    named = {
        (method, path)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if "responses" in operation
    }
    assert named == list_routes()
    assert ("post", "/api/ingest") in named
    operations = [
        operation for methods in document["paths"].values() for operation in methods.values()
    ]
    assert all(operation["summary"] for operation in operations)
    assert len({operation["operationId"] for operation in operations}) == len(operations)


def test_the_openapi_document_is_made_once() -> None:
    routes = find_routes()
    assert encode_document(routes) is encode_document(routes)


def test_the_documented_ingest_response_is_the_real_one(service: RunningService, env: str) -> None:
    document = service.anonymous.get("/api/openapi.json").json()
    content = document["paths"]["/api/ingest"]["post"]["responses"]["200"]["content"]
    schema = content["application/json"]["schema"]
    answer = service.ingest(b"{}", {"env": env}).json()
    assert list(schema["properties"]) == list(answer) == schema["required"]


def test_the_page_of_the_api_shows_every_route(service: RunningService) -> None:
    answer: httpx.Response = service.anonymous.get("/docs/reference/api.html")
    assert answer.headers["Content-Type"].startswith("text/html")
    for method, path in list_routes():
        assert f"<code>{method.upper()} {path}</code>" in answer.text


def test_the_first_page_is_one_for_browsers_and_a_banner_for_others(
    service: RunningService,
) -> None:
    page = service.anonymous.get("/", headers={"Accept": "text/html,*/*"})
    assert page.headers["Content-Type"].startswith("text/html")
    assert 'href="/docs/"' in page.text
    assert service.anonymous.get("/").json()["name"] == "logboom"
