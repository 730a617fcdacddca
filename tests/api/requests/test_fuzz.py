"""Every documented endpoint takes what its document allows, and what it forbids, without failing."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.generation import GenerationMode
from tests.properties import examples
from tests.routes import AGENT_ROUTES, list_framework_routes, list_protocol_routes
from tests.running import RunningService

from logboom.control.access.scopes import Scope

# Its properties are made while it runs, so that Hypothesis does not mark them.
pytestmark = [pytest.mark.hypothesis]

ENDLESS = "/api/tail"
"""Its answers have no end."""


@schemathesis.serializer("application/x-ndjson")
def write_lines(_context: Any, value: Any) -> bytes:
    """One line of JSON each, or whatever else came out."""
    lines = value if isinstance(value, list) else [value]
    return b"\n".join(json.dumps(line, default=repr).encode() for line in lines)


@schemathesis.serializer("application/vnd.fdo.journal")
def write_entries(_context: Any, value: Any) -> bytes:
    """Whatever came out: every text is a journal, if a damaged one."""
    return value if isinstance(value, bytes) else str(value).encode(errors="surrogatepass")


def list_operations() -> list[tuple[str, str]]:
    framework = {
        (method, path.replace(":str}", "}"))
        for method, path in list_framework_routes(documented=True)
    }
    raw = list_protocol_routes(documented=True) | AGENT_ROUTES
    return sorted(each for each in framework | raw if each[1] != ENDLESS)


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service of its own: what comes in changes its users and settings."""
    with RunningService(tmp_path_factory.mktemp("fuzzed")) as service:
        yield service


@pytest.fixture(scope="module")
def schema(fuzzed: RunningService) -> Any:
    document = fuzzed.anonymous.get("/api/openapi.json").json()
    return schemathesis.openapi.from_dict(document)


@pytest.fixture(scope="module")
def key(fuzzed: RunningService) -> str:
    """Good for everything, and not ended by a fuzzed logout."""
    _, secret = fuzzed.control.keys.create("fuzz", (Scope.ADMIN, Scope.MCP))
    return secret


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize(("method", "path"), list_operations())
def test_no_request_makes_the_service_fail(
    fuzzed: RunningService, schema: Any, key: str, method: str, path: str, mode: GenerationMode
) -> None:
    operation = schema[path][method]
    if mode is GenerationMode.NEGATIVE and not (
        operation.query or operation.headers or operation.body
    ):
        return  # any text may be in a path; Hypothesis would search long for a wrong one

    @settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def fuzz(case: Any) -> None:
        answer = case.call(
            base_url=f"http://127.0.0.1:{fuzzed.port}",
            headers={"Authorization": f"Bearer {key}"},
            timeout=50,
        )
        assert answer.status_code < 500, (method, path, answer.text[:500])

    # Of some endpoints everything is allowed that can be said at all.
    with suppress(Unsatisfiable):
        fuzz()
