"""The ingest routes in the OpenAPI document."""

from typing import Any

from logboom.ingest.visit import Intake
from logboom.protocols.routes import ROUTES
from logboom.web.route import About, Route

PARAMETERS = {
    "index": "Index to write to; `{{path}}` placeholders are filled from each event. Default `default`.",
    "env": "Environment to write to; it must exist. Default `default`.",
    "source": "`source` of events that have none.",
}
HEADERS = {
    "Content-Encoding": "gzip, deflate, zstd, br or snappy.",
    "Idempotency-Key": "A repeated key gets the first answer and stores nothing. A key is remembered for 24 "
    "hours, or less if its sender uses very many.",
    "X-Service-Env": "Environment, if there is no `env` parameter.",
    "X-Service-Index": "Index, if there is no `index` parameter.",
    "X-Service-Token": "An ingest token; also taken as `Authorization: Bearer`, `Splunk`, `ApiKey` or `Basic`.",
}
ERRORS = {
    "400": "Unknown environment, reserved index, or a body that cannot be decoded.",
    "401": "Invalid credentials, or none although the settings require them.",
    "403": "An environment that the credentials may not use, or a disabled class of endpoints.",
    "413": "A body that is too large or decompresses to an excessive size.",
    "415": "An unsupported content type or encoding.",
    "503": "The events could not be made durable; nothing of the request was stored.",
}
BUSY = {"429": "The writer queue is full and nothing was stored: retry after `Retry-After`."}


def describe_routes() -> dict[str, Any]:
    """Return paths with their operations, in OpenAPI form."""
    paths: dict[str, Any] = {}
    for route in ROUTES:
        if route.about is not None:
            operations = paths.setdefault(route.path, {})
            for method in route.methods.lower().split():
                operations[method] = describe(route, route.about, method)
    return paths


def describe(route: Route[Intake], about: About, method: str) -> dict[str, Any]:
    name = route.path.strip("/").replace("/", "-").replace("{", "").replace("}", "")
    errors = ERRORS if about.is_native else ERRORS | BUSY
    success: dict[str, Any] = {"description": about.answer}
    if about.schema:
        success["content"] = {"application/json": {"schema": about.schema}}
    content = {each: {"schema": {"type": "string", "format": "binary"}} for each in about.bodies}
    return {
        "tags": ["ingest"],
        "summary": about.summary,
        "description": about.description,
        "operationId": f"{method}-{name}",
        "parameters": list_parameters(route, about),
        "requestBody": {"required": True, "content": content},
        "responses": {str(about.status): success}
        | {status: {"description": text} for status, text in errors.items()},
    }


def list_parameters(route: Route[Intake], about: About) -> list[dict[str, Any]]:
    in_path = {"index": "Index of documents that name none."} if "{index}" in route.path else {}
    in_query = {**about.parameters, **PARAMETERS}
    places = (("path", in_path), ("query", in_query), ("header", HEADERS))
    return [
        {
            "name": name,
            "in": place,
            "required": place == "path",
            "schema": {"type": "string"},
            "description": text,
        }
        for place, several in places
        for name, text in several.items()
    ]
