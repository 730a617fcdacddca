"""Query parameters are read and documented by the same structures."""

from typing import Any

import msgspec
import pytest
from tests.running import RunningService
from tests.together import together

from logboom.api.admin.operations import GcParameters
from logboom.api.events.context import ContextBody
from logboom.api.events.export import ExportBody
from logboom.api.events.fields import FieldsBody, ValuesBody
from logboom.api.events.histogram import HistogramBody
from logboom.api.events.indexes import IndexesBody
from logboom.api.events.query import CompleteBody
from logboom.api.events.searching import SearchBody
from logboom.api.events.tail import TailBody

KINDS: dict[str, type[msgspec.Struct]] = {
    "GET /api/search": SearchBody,
    "GET /api/histogram": HistogramBody,
    "GET /api/fields": FieldsBody,
    "GET /api/fields/{name}/values": ValuesBody,
    "GET /api/tail": TailBody,
    "GET /api/context": ContextBody,
    "GET /api/export": ExportBody,
    "GET /api/query/complete": CompleteBody,
    "GET /api/indexes": IndexesBody,
    "POST /api/admin/gc": GcParameters,
}


@pytest.fixture(scope="module")
def paths(service: RunningService) -> dict[str, Any]:
    content: dict[str, Any] = service.anonymous.get("/api/openapi.json").json()["paths"]
    return content


def list_parameters(paths: dict[str, Any], route: str) -> list[dict[str, Any]]:
    method, path = route.split()
    parameters = paths[path][method.lower()]["parameters"]
    return [each for each in parameters if each["in"] == "query"]


@together("route", KINDS)
def test_every_parameter_is_documented(paths: dict[str, Any], route: str) -> None:
    members = {each.encode_name: each for each in msgspec.structs.fields(KINDS[route])}
    documented = list_parameters(paths, route)
    assert [each["name"] for each in documented] == list(members)
    for each in documented:
        assert each["description"].endswith(".")
        assert each["required"] is members[each["name"]].required
        assert "null" not in str(each["schema"])


@together("route", KINDS)
def test_what_a_parameter_is_by_default_may_be_said(
    service: RunningService, paths: dict[str, Any], route: str
) -> None:
    method, path = route.split()
    documented = list_parameters(paths, route)
    defaults = {each["name"]: each["schema"].get("default") for each in documented}
    said = {name: str(value) for name, value in defaults.items() if value is not None}
    if "id" in defaults:
        said["id"] = "unknown"
    with service.client.stream(method, path.format(name="x"), params=said) as answer:
        assert answer.status_code == (404 if "id" in said else 200)


def test_a_bound_is_documented_and_holds(service: RunningService, paths: dict[str, Any]) -> None:
    (limit,) = [
        each for each in list_parameters(paths, "GET /api/search") if each["name"] == "limit"
    ]
    assert limit["schema"] == {"type": "integer", "minimum": 0, "maximum": 10_000, "default": 100}
    answers = [
        service.client.get("/api/search", params={"limit": number}).status_code
        for number in (-1, 0, 10_000, 10_001)
    ]
    assert answers == [400, 200, 200, 400]
