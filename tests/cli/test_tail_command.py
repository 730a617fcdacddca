"""`logboom tail`: events as they come, from a server or a data directory, whatever happens in between."""

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.cli.conftest import Logboom, read_token
from tests.cli.feed import fed, keep
from tests.cli.relay import relayed
from tests.running import RunningService
from tests.waiting import poll_until

from logboom import library
from logboom.api.events import tail as api_tail
from logboom.base.errors import Unavailable
from logboom.cli.remote import following
from logboom.cli.remote.following import Following
from logboom.cli.remote.server import Remote
from logboom.cli.search_options import SearchOptions


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_tail, "POLL_S", 0.01)
    monkeypatch.setattr(library, "POLL_S", 0.01)
    monkeypatch.setattr(following, "PAUSES_S", (0.01,) * 10)


class Reader:
    """Follows a tail in a thread of its own until it has enough."""

    def __init__(self, tail: Following, enough: int) -> None:
        self._tail = tail
        self._enough = enough
        self.numbers: list[int] = []
        self._thread = threading.Thread(target=self._read)
        self._thread.start()
        poll_until(lambda: bool(tail.place), "the tail to begin")

    def _read(self) -> None:
        for event in itertools.islice(self._tail, self._enough):
            self.numbers.append(event["n"])

    def wait_for(self, count: int) -> list[int]:
        poll_until(lambda: len(self.numbers) >= count, f"{count} events")
        if count == self._enough:
            self._thread.join()
        return self.numbers


@contextmanager
def connect(service: RunningService, port: int) -> Iterator[Remote]:
    with Remote(f"http://127.0.0.1:{port}", read_token(service)) as remote:
        yield remote


def test_events_are_shown_as_they_come(
    logboom: Logboom, service: RunningService, env: str, place: list[str]
) -> None:
    with fed(service, env):
        options = ["--lines", "4", "--format", "json", "--env", env, *place]
        outcome = logboom("tail", "* | fields n", *options)
    numbers = [json.loads(line)["n"] for line in outcome.output.splitlines()]
    assert numbers == list(range(numbers[0], numbers[0] + 4))
    assert (outcome.status, outcome.errors) == (0, "")


def test_an_event_is_one_harmless_line(
    logboom: Logboom, service: RunningService, env: str, place: list[str]
) -> None:
    with fed(service, env):
        outcome = logboom("tail", "--lines", "1", "--env", env, *place)
    line, end = outcome.output.split("\n")
    assert end == ""
    assert line.startswith("2023-11-14T22:")
    assert " warn a\\u001b[2Jb\\n" in line
    assert " n=" in line


def test_an_interrupted_tail_goes_on_where_it_was(service: RunningService, env: str) -> None:
    with relayed(service.port) as relay, connect(service, relay.port) as remote:
        reader = Reader(Following(remote, SearchOptions("n>0", env)), enough=4)
        keep(service, env, 0, 1, 2)
        assert reader.wait_for(2) == [1, 2]
        relay.cut()
        keep(service, env, 3)
        assert reader.wait_for(3) == [1, 2, 3]
        keep(service, env, 4)
        assert reader.wait_for(4) == [1, 2, 3, 4]
    assert b"\r\nlast-event-id: " in relay.requests[-1].lower()


def test_a_tail_that_is_cut_before_anything_came_loses_nothing(
    service: RunningService, env: str
) -> None:
    with relayed(service.port) as relay, connect(service, relay.port) as remote:
        reader = Reader(Following(remote, SearchOptions("", env)), enough=1)
        relay.cut()
        keep(service, env, 1)
        assert reader.wait_for(1) == [1]


@pytest.mark.parametrize("query", ["", "* | fields n"])
def test_what_the_server_repeats_is_shown_once(
    service: RunningService, env: str, query: str
) -> None:
    """The connection is cut in the middle of a block, again and again."""
    numbers = [n // 2 for n in range(1_000)]
    with (
        relayed(service.port, 2_000, 5_000, 9_000, 12_000) as relay,
        connect(service, relay.port) as remote,
    ):
        reader = Reader(Following(remote, SearchOptions(query, env)), enough=len(numbers))
        keep(service, env, *numbers)
        assert reader.wait_for(len(numbers)) == numbers
    assert len(relay.requests) == 5


def test_a_server_that_stays_away_ends_the_tail(service: RunningService, env: str) -> None:
    with relayed(service.port) as relay, connect(service, relay.port) as remote:
        tail = Following(remote, SearchOptions("", env))
        reader = Reader(tail, enough=1)
        keep(service, env, 1)
        reader.wait_for(1)
        relay.close()
        with pytest.raises(Unavailable, match="no answer from"):
            next(iter(tail))


def test_a_query_that_ends_is_refused(logboom: Logboom, place: list[str]) -> None:
    outcome = logboom("tail", "* | stats count", *place)
    assert outcome.status == 1
    assert outcome.errors.startswith(
        "logboom: a tail works on events one by one, but stats needs all"
    )


def test_csv_is_refused(logboom: Logboom, place: list[str]) -> None:
    outcome = logboom("tail", "--format", "csv", *place)
    assert outcome.status == 1
    assert "expected table or json" in outcome.errors
