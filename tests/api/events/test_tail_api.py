"""`/api/tail`: new events as they come."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import httpx
import pytest
from tests.api.signing_in import bearer, make_user
from tests.running import RunningService, encode_lines
from tests.waiting import poll_until

from logboom.api.events import tail as tail_module
from logboom.control.access.scopes import Scope
from logboom.control.access.users import Role, User


class Reader:
    """Reads a tail in a thread of its own."""

    def __init__(self, answer: httpx.Response) -> None:
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        self._lines = answer.iter_lines()
        self.ids: list[str] = []
        self.rows: list[dict[str, Any]] = []
        self.comments: list[str] = []
        assert next(self._lines) == ": tail"
        self.start = next(self._lines).removeprefix("id: ")
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self) -> None:
        try:
            for line in self._lines:
                name, _, value = line.partition(": ")
                if name == "id":
                    self.ids.append(value)
                elif name == "data":
                    self.rows.append(json.loads(value))
                elif line:
                    self.comments.append(value)
        except (httpx.HTTPError, httpx.StreamClosed, OSError):
            return

    def wait_for(self, count: int) -> list[Any]:
        poll_until(lambda: len(self.rows) >= count, f"{count} events")
        return [row["n"] for row in self.rows]


@contextmanager
def open_tail(
    service: RunningService, headers: dict[str, str] | None = None, **params: str
) -> Iterator[Reader]:
    with service.client.stream("GET", "/api/tail", params=params, headers=headers) as answer:
        reader = Reader(answer)
        try:
            yield reader
        finally:
            close(answer)
            reader.thread.join()


def close(answer: httpx.Response) -> None:
    """Hang up, also on a thread that waits for more."""
    stream = answer.extensions["network_stream"].get_extra_info("socket")
    with suppress(OSError):
        stream.shutdown(socket.SHUT_RDWR)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail_module, "POLL_S", 0.01)


def keep(service: RunningService, env: str, *numbers: int) -> None:
    events = [{"timestamp": 1_700_000_000 + n, "n": n} for n in numbers]
    service.keep(encode_lines(events), {"env": env})


def test_new_events_are_sent_oldest_first(service: RunningService, env: str) -> None:
    keep(service, env, 0)
    with open_tail(service, env=env, query="n<5 | fields _time, n") as reader:
        keep(service, env, 2, 1, 7)
        assert reader.wait_for(2) == [1, 2]
        keep(service, env, 3)
        assert reader.wait_for(3) == [1, 2, 3]
        assert reader.rows[0] == {"_time": "2023-11-14T22:13:21Z", "n": 1}


def test_a_tail_goes_on_where_it_was(service: RunningService, env: str) -> None:
    with open_tail(service, env=env) as reader:
        keep(service, env, 1)
        reader.wait_for(1)
        keep(service, env, 2)
        reader.wait_for(2)
    with open_tail(service, {"Last-Event-ID": reader.ids[0]}, env=env) as again:
        assert again.wait_for(1) == [2]
    with open_tail(service, env=env, after=reader.start) as again:
        assert again.wait_for(2) == [1, 2]


def test_several_read_at_once(service: RunningService, env: str) -> None:
    with open_tail(service, env=env) as first, open_tail(service, env=env) as second:
        keep(service, env, 1)
        assert first.wait_for(1) == second.wait_for(1) == [1]


def test_signs_of_life_come_when_nothing_else_does(
    service: RunningService, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail_module, "PING_S", 0.02)
    with open_tail(service, env=env) as reader:
        poll_until(lambda: "ping" in reader.comments, "a ping")


def test_more_events_than_fit_at_once_come_in_order(service: RunningService, env: str) -> None:
    with open_tail(service, env=env) as reader:
        keep(service, env, *range(1200))
        assert reader.wait_for(1200) == list(range(1200))


@pytest.mark.parametrize("query", ["* | stats count", "* | limit 5", "* | sort n"])
def test_what_cannot_go_on_for_ever_is_refused(service: RunningService, query: str) -> None:
    answer = service.client.get("/api/tail", params={"query": query})
    assert answer.status_code == 400


def test_the_service_stops_while_a_tail_is_open(
    start_service: Callable[..., RunningService],
) -> None:
    service = start_service()
    with service.client.stream("GET", "/api/tail") as answer:
        reader = Reader(answer)
        service.restart()
        reader.thread.join()
    assert reader.rows == []


ENDINGS: dict[str, Callable[[RunningService, User], object]] = {
    "all sessions": lambda service, user: service.control.users.revoke_sessions(user.id),
    "disabled": lambda service, user: service.control.users.update(user.id, {"enabled": False}),
    "another role": lambda service, user: service.control.users.update(user.id, {"role": "editor"}),
    "fewer indexes": lambda service, user: service.control.users.update(
        user.id, {"indexes": ["app"]}
    ),
    "deleted": lambda service, user: service.control.users.delete(user.id),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_tail_ends_with_its_session(service: RunningService, env: str, ending: str) -> None:
    user = make_user(service, Role.VIEWER)
    headers = bearer(service.control.sessions.issue(user))
    with open_tail(service, headers, env=env) as reader:
        keep(service, env, 1)
        reader.wait_for(1)
        ENDINGS[ending](service, user)
        reader.thread.join(20)
        assert not reader.thread.is_alive()
        keep(service, env, 2)
    assert [row["n"] for row in reader.rows] == [1]


def test_a_tail_ends_with_its_own_session_only(service: RunningService, env: str) -> None:
    user = make_user(service, Role.VIEWER)
    leaving, staying = (service.control.sessions.issue(user) for _ in range(2))
    with (
        open_tail(service, bearer(leaving), env=env) as ended,
        open_tail(service, bearer(staying), env=env) as other,
    ):
        service.client.post("/api/auth/logout", headers=bearer(leaving)).raise_for_status()
        ended.thread.join(20)
        assert not ended.thread.is_alive()
        keep(service, env, 1)
        other.wait_for(1)
    assert ended.rows == []


@pytest.mark.parametrize("changes", [{"indexes": ["app"]}, {"scopes": ["ingest"]}, None])
def test_a_tail_ends_with_its_key(
    service: RunningService, env: str, changes: dict[str, object] | None
) -> None:
    key, secret = service.control.keys.create("tail", (Scope.SEARCH,))
    with open_tail(service, bearer(secret), env=env) as reader:
        if changes is None:
            service.control.keys.delete(key.id)
        else:
            service.control.keys.update(key.id, changes)
        reader.thread.join(20)
        assert not reader.thread.is_alive()
