"""`/api/indexes`: what an environment holds."""

from tests.running import RunningService, encode_lines


def test_indexes_have_the_documented_members(service: RunningService, env: str) -> None:
    times = [1_700_000_000, 1_700_000_001, 1_700_100_000]
    service.ingest(encode_lines({"timestamp": time} for time in times), {"env": env, "index": "b"})
    service.keep(encode_lines([{"timestamp": times[0]}]), {"env": env, "index": "a"})
    answer = service.client.get("/api/indexes", params={"env": env})
    assert answer.status_code == 200
    first, second = answer.json()
    assert list(first) == ["index", "events", "bytes", "first", "last", "days"]
    assert (first["index"], first["events"], first["days"]) == ("a", 1, 1)
    assert 0 < first["bytes"] < second["bytes"]
    assert second == {
        "index": "b",
        "events": 3,
        "bytes": second["bytes"],
        "first": "2023-11-14T22:13:20Z",
        "last": "2023-11-16T02:00:00Z",
        "days": 2,
    }


def test_environments_are_told_apart_if_asked_for(service: RunningService, env: str) -> None:
    service.keep(encode_lines([{"a": 1}]), {"env": env, "index": "b"})
    answer = service.client.get("/api/indexes", params={"env": "*", "by_env": "true"})
    assert answer.status_code == 200
    (found,) = [each for each in answer.json() if each["env"] == env]
    assert (found["index"], found["events"]) == ("b", 1)
    refused = service.client.get("/api/indexes", params={"env": env, "by_env": "perhaps"})
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "by_env")


def test_an_empty_environment_has_none(service: RunningService, env: str) -> None:
    assert service.client.get("/api/indexes", params={"env": env}).json() == []
