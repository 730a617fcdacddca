"""What users who are no admins may do, and what limits their view."""

from collections.abc import Callable

import httpx
import pytest
from tests.api.signing_in import sign_in_as
from tests.running import RunningService, encode_lines

from logboom.base.clock import system_clock
from logboom.control.access.users import Role
from logboom.model.batch import Batch, Target
from logboom.model.names import parse_template

MakeService = Callable[..., RunningService]


@pytest.fixture
def service(start_service: MakeService) -> RunningService:
    """Two environments, three indexes each, an event in every one."""
    service = start_service()
    for env in ("staging", "stable"):
        service.control.environments.create(env)
        events = [{"to": name} for name in ("app-1", "app-2", "db")]
        service.keep(encode_lines(events), {"env": env, "index": "{{to}}"})
    return service


@pytest.mark.parametrize("role", [Role.EDITOR, Role.VIEWER])
def test_who_is_no_admin_searches_and_does_nothing_else(
    service: RunningService, role: Role
) -> None:
    sign_in_as(service, role)
    assert service.count(env="staging") == 3
    for path in ("/api/admin/flush", "/api/ingest"):
        answer = service.client.post(path)
        assert answer.status_code == 403
        assert answer.json()["error"]["code"] == "forbidden"
    answer = service.client.post("/api/search", json={"env": "_system"})
    assert answer.status_code == 400
    assert "reserved" in answer.json()["error"]["message"]


def test_a_user_sees_only_the_environments_it_may(service: RunningService) -> None:
    sign_in_as(service, Role.VIEWER, envs=("stag*",))
    assert service.count(env="staging") == 3
    answer = service.client.post("/api/search", json={"env": "stable"})
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "forbidden"


def test_a_user_sees_only_the_indexes_it_may(service: RunningService) -> None:
    sign_in_as(service, Role.VIEWER, indexes=("app-*", "other"))
    assert service.count(env="staging") == 2
    assert service.count(env="staging", index="db") == 0
    assert service.count(env="staging", index="db,app-1") == 1
    table = service.search("* | stats count by _index", env="staging")
    assert [row["_index"] for row in table["rows"]] == ["app-1", "app-2"]


def test_the_services_own_indexes_are_for_admins_in_any_environment(
    service: RunningService,
) -> None:
    data, now_ns = b'{"to":"nobody"}', system_clock()
    scan = service.store.shredders.shredder.scan_lines(data, now_ns, parse_template("_own"))
    service.store.submit(Batch(Target("staging", "_own"), now_ns, data, scan)).result()
    service.flush()
    assert service.count(env="staging") == 4
    sign_in_as(service, Role.VIEWER, indexes=("*", "_*"))
    assert service.count(env="staging") == 3
    assert service.count(env="staging", index="_own") == 0


READERS: dict[str, dict[str, str]] = {
    "/api/search": {},
    "/api/histogram": {},
    "/api/fields": {},
    "/api/fields/to/values": {},
    "/api/export": {},
    "/api/tail": {},
    "/api/context": {"id": "x"},
    "/api/indexes": {},
    "/api/query/complete": {},
}
"""Everything that shows events or tells of them, with what it must be given."""


@pytest.mark.parametrize("path", READERS)
def test_no_reader_goes_beyond_the_environments_of_the_user(
    service: RunningService, path: str
) -> None:
    sign_in_as(service, Role.VIEWER, envs=("stag*",))
    answer = service.client.get(path, params={"env": "stable", **READERS[path]})
    assert answer.status_code == 403
    answer = service.client.get(path, params={"env": "_system", **READERS[path]})
    assert answer.status_code == 400


def test_no_reader_goes_beyond_the_indexes_of_the_user(service: RunningService) -> None:
    (hidden,) = service.search("to:db", env="staging")["rows"]
    sign_in_as(service, Role.VIEWER, indexes=("app-*",))

    def ask(path: str, **params: str) -> httpx.Response:
        return service.client.get(path, params={"env": "staging", **params})

    buckets = ask("/api/histogram").json()["buckets"]
    assert sum(bucket["count"] for bucket in buckets) == 2
    for path in ("/api/fields", "/api/fields/to/values", "/api/export", "/api/indexes"):
        answer = ask(path)
        assert "app-1" in answer.text
        assert '"db"' not in answer.text
    texts = [each["text"] for each in ask("/api/query/complete", q="to:").json()]
    assert texts == ["app-1", "app-2"]
    assert ask("/api/context", id=hidden["_id"]).status_code == 404
