"""`/api/context`: the events around one."""

from typing import Any

import pytest
from tests.running import RunningService, encode_lines


@pytest.fixture(scope="module")
def filled(service: RunningService) -> str:
    name = "context-api"
    service.control.environments.create(name)
    events = [{"timestamp": 1_700_000_000 + n, "n": n, "host": "ab"[n % 2]} for n in range(20)]
    service.keep(encode_lines(events), {"env": name})
    return name


def ask(service: RunningService, env: str, n: int, **params: Any) -> dict[str, Any]:
    (row,) = service.search(f"n:{n}", env=env)["rows"]
    params = {"env": env, "id": row["_id"], **params}
    answer = service.client.get("/api/context", params=params)
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    assert list(content) == ["rows", "anchor"]
    assert content["rows"][content["anchor"]] == row
    return content


def test_rows_are_in_order_of_time_around_the_anchor(service: RunningService, filled: str) -> None:
    found = ask(service, filled, 10)
    assert [row["n"] for row in found["rows"]] == list(range(5, 16))
    assert found["anchor"] == 5
    found = ask(service, filled, 1, before=3, after=1)
    assert [row["n"] for row in found["rows"]] == [0, 1, 2]


def test_neighbours_may_have_to_share_values(service: RunningService, filled: str) -> None:
    found = ask(service, filled, 10, before=1, after=1, same="host, _index")
    assert [row["n"] for row in found["rows"]] == [8, 10, 12]


def test_an_unknown_id_is_not_found(service: RunningService, filled: str) -> None:
    answer = service.client.get("/api/context", params={"env": filled, "id": "nothing"})
    assert answer.status_code == 404
