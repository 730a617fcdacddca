"""`/api/lookups`: tables are kept, read, used by queries, and changed only by those who may."""

from collections.abc import Callable

from tests.api.signing_in import sign_in_as
from tests.running import RunningService, encode_lines

from logboom.control.access.users import Role

MakeService = Callable[..., RunningService]
HOSTS = "host,team\nweb-1,front\nDB-1,back\n"


def test_a_table_is_kept_listed_read_and_deleted(service: RunningService) -> None:
    client = service.client
    described = {"id": "hosts", "name": "hosts", "columns": ["host", "team"], "rows": 2}
    put = client.put("/api/lookups/hosts", json={"csv": HOSTS})
    assert (put.status_code, put.json()) == (200, described)
    assert described in client.get("/api/lookups").json()
    assert client.get("/api/lookups/hosts").json() == {"name": "hosts", "csv": HOSTS}
    assert client.delete("/api/lookups/hosts").status_code == 204
    assert client.get("/api/lookups/hosts").status_code == 404


def test_a_query_joins_events_with_a_table(service: RunningService, env: str) -> None:
    service.client.put("/api/lookups/teams", json={"csv": HOSTS})
    events = [{"host": name, "n": at} for at, name in enumerate(["WEB-1", "db-1", "other"])]
    service.keep(encode_lines(events), {"env": env})
    answer = service.search("* | lookup teams host output team | sort n | fields n, team", env=env)
    assert answer["rows"] == [{"n": 0, "team": "front"}, {"n": 1, "team": "back"}, {"n": 2}]
    replaced = HOSTS.replace("front", "web people")
    service.client.put("/api/lookups/teams", json={"csv": replaced})
    answer = service.search("* | lookup teams host output team | stats count by team", env=env)
    assert {row["team"] for row in answer["rows"]} == {"web people", "back", None}


def test_an_unknown_table_is_named_in_the_error(service: RunningService, env: str) -> None:
    service.keep(encode_lines([{"host": "a"}]), {"env": env})
    body = {"query": "* | lookup nothing host", "env": env}
    answer = service.client.post("/api/search", json=body)
    assert answer.status_code == 400
    assert "nothing" in answer.json()["error"]["message"]


def test_viewers_may_read_but_not_change(start_service: MakeService) -> None:
    service = start_service()
    service.client.put("/api/lookups/hosts", json={"csv": HOSTS})
    sign_in_as(service, Role.VIEWER)
    assert service.client.get("/api/lookups/hosts").status_code == 200
    assert service.client.put("/api/lookups/hosts", json={"csv": "a\n"}).status_code == 403
    assert service.client.delete("/api/lookups/hosts").status_code == 403
    sign_in_as(service, Role.EDITOR)
    assert service.client.delete("/api/lookups/hosts").status_code == 204


def test_a_stale_change_is_a_409(start_service: MakeService) -> None:
    client = start_service().client
    client.put("/api/lookups/hosts", json={"csv": HOSTS})
    etag = client.get("/api/lookups").headers["ETag"]
    assert client.get("/api/lookups/hosts").headers["ETag"] == etag
    headers = {"If-Match": etag}
    body = {"csv": "a\n1\n"}
    assert client.put("/api/lookups/hosts", json=body, headers=headers).status_code == 200
    assert client.put("/api/lookups/hosts", json=body, headers=headers).status_code == 409
    assert client.delete("/api/lookups/hosts", headers=headers).status_code == 409
    assert client.get("/api/lookups/hosts").json()["csv"] == body["csv"]
