"""When too many queries run, more of them are told to come again soon; nothing else suffers."""

from collections.abc import Callable
from contextlib import ExitStack

from tests.running import RunningService, encode_lines

MakeService = Callable[..., RunningService]


def test_a_query_too_many_is_answered_429(start_service: MakeService) -> None:
    service = start_service(queries=(2, 0, 0.0))
    service.keep(encode_lines([{"message": "hello"}]))
    with ExitStack() as running:
        for _ in range(2):
            running.enter_context(service.gate.enter())
        for path in ("/api/search", "/api/fields", "/api/histogram", "/api/context?id=x"):
            answer = service.client.get(path)
            assert (answer.status_code, answer.headers.get("Retry-After")) == (429, "1"), path
        assert service.client.get("/health").status_code == 200
        assert service.ingest(b'{"message": "still taken in"}').status_code == 200
    assert service.client.get("/api/search").status_code == 200
