"""Queries of a store in a bucket, by a reader that has nothing of it yet."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.buckets import Relay, S3Server, meant, open_library
from tests.engine.stored import Stored

import logboom
from logboom.base.stores.places import Bucket, parse_place
from logboom.library import Logs
from logboom.store.block.writer import name_index

EVENTS = 40_000
FLUSHES = 4
START_S = 1_700_000_000
NEEDLE = "5eed" * 8
QUERIES = [
    f"trace:={NEEDLE}",
    "trace:=0123456789abcdef",
    "* | stats count",
    "* | stats count by service",
    "* | timechart span=1m count()",
    "service:cart n>39000 | sort _time | fields n, tags, message",
    "tags:t7 | stats sum(n), avg(n), count_uniq(trace)",
    "message:4711*",
    "rare:* | fields rare, n",
    "* | limit 100",
    "* | sort n | limit 3",
    "n:in(5, 17003, 39998) | sort n",
    "nowhere:x",
]


def make_events() -> list[dict[str, object]]:
    """Events of two merged blocks' worth of columns: ids, lists, rare fields and two types in one field."""
    picks = random.Random(7)
    events = []
    for number in range(EVENTS):
        event: dict[str, object] = {
            "timestamp": START_S + number // 100,
            "message": f"request {number} took {picks.randrange(10**6)} us",
            "service": picks.choice(["cart", "pay", "web"]),
            "trace": f"{picks.getrandbits(128):032x}",
            "span": f"{picks.getrandbits(128):032x}",
            "n": number,
            "tags": [f"t{picks.randrange(40)}", "all"],
        }
        if number == EVENTS // 3:
            event["trace"] = NEEDLE
        if number % 5000 == 17:
            event["rare"] = number if number % 2 else f"text {number}"
        events.append(event)
    return events


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in a directory, with one merged block."""
    root = tmp_path_factory.mktemp("stored")
    stored = Stored(root)
    events = make_events()
    for start in range(0, EVENTS, EVENTS // FLUSHES):
        stored.keep("default", events[start : start + EVENTS // FLUSHES])
    stored.store.compactor.compact(lambda _: True)
    stored.close()
    return root / "store"


def upload(folder: Path, s3_server: S3Server) -> Bucket:
    """A copy of a store in a bucket."""
    place = parse_place(s3_server.make_url())
    assert isinstance(place, Bucket)
    library = open_library(place.prefix, s3_server.environment)
    for path in folder.rglob("*"):
        if path.is_file():
            library.put(str(path.relative_to(folder)), path.read_bytes())
    return place


@pytest.fixture(scope="module")
def url(folder: Path, s3_server: S3Server) -> str:
    """The same store in a bucket."""
    return upload(folder, s3_server).url


@pytest.fixture
def relay(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Relay]:
    with s3_server.relayed() as relay:
        for name, value in relay.environment.items():
            monkeypatch.setenv(name, value)
        yield relay


def measure_store(folder: Path) -> int:
    return sum(path.stat().st_size for path in (folder / "blocks").rglob("*") if path.is_file())


def ask(logs: Logs, query: str) -> list[object]:
    return [dict(row) for row in logs.search(query, start=START_S - 1, end=START_S + EVENTS)]


@pytest.mark.parametrize("query", QUERIES)
def test_answers_are_those_of_the_same_store_in_a_directory(
    folder: Path, url: str, relay: Relay, query: str, caplog: pytest.LogCaptureFixture
) -> None:
    with logboom.open(folder) as local, logboom.open(url) as remote:
        assert ask(remote, query) == ask(local, query)
    assert "a block cannot be read in parts" not in caplog.text


def test_a_needle_takes_a_small_part_of_the_bytes(folder: Path, url: str, relay: Relay) -> None:
    with logboom.open(url) as logs:
        relay.seen.clear()
        relay.given_bytes = 0
        assert len(ask(logs, f"trace:={NEEDLE}")) == 1
    assert relay.given_bytes < measure_store(folder) / 2
    assert len(relay.seen) <= 40


def test_the_newest_events_take_a_small_part_of_the_bytes(
    folder: Path, url: str, relay: Relay
) -> None:
    with logboom.open(url) as logs:
        relay.given_bytes = 0
        assert len(ask(logs, "* | limit 100")) == 100
    assert relay.given_bytes < measure_store(folder) * 2 / 3


def test_what_was_read_is_not_read_again(url: str, relay: Relay) -> None:
    with logboom.open(url) as logs:
        first = ask(logs, f"trace:={NEEDLE}")
        relay.seen.clear()
        assert ask(logs, f"trace:={NEEDLE}") == first
        assert relay.count(meant("GET", ".parquet")) == 0
        assert relay.count(meant("GET", ".index")) == 0


@pytest.fixture
def own_copy(folder: Path, s3_server: S3Server) -> Bucket:
    """A copy of the store that a test may damage."""
    return upload(folder, s3_server)


def damage(s3_server: S3Server, prefix: str, name: str, place: float) -> None:
    """Flip a bit of an object at a place between 0 and 1."""
    library = open_library(prefix, s3_server.environment)
    data = bytearray(library.get(name).bytes().to_bytes())
    data[int(len(data) * place)] ^= 1
    library.put(name, bytes(data))


def find_block(folder: Path) -> str:
    """The largest block."""
    path = max((folder / "blocks").rglob("*.parquet"), key=lambda path: path.stat().st_size)
    return str(path.relative_to(folder))


@pytest.mark.parametrize("place", [0.2, 0.5, 0.9, 0.999])
def test_a_damaged_index_in_the_bucket_changes_no_answer(
    folder: Path, own_copy: Bucket, s3_server: S3Server, relay: Relay, place: float
) -> None:
    damage(s3_server, own_copy.prefix, name_index(find_block(folder)), place)
    with logboom.open(folder) as local, logboom.open(own_copy.url) as remote:
        for query in QUERIES[:3]:
            assert ask(remote, query) == ask(local, query)


def test_a_damaged_block_in_the_bucket_is_told_and_never_answers_wrongly(
    folder: Path, own_copy: Bucket, s3_server: S3Server, relay: Relay
) -> None:
    block = find_block(folder)
    for place in range(1, 20):
        damage(s3_server, own_copy.prefix, block, place / 20)
    with logboom.open(folder) as local, logboom.open(own_copy.url) as remote:
        whole = local.search("* | stats sum(n)", start=START_S, end=START_S + EVENTS)
        found = remote.search("* | stats sum(n)", start=START_S, end=START_S + EVENTS)
    assert not found.complete
    assert found.warnings
    assert found.rows != whole.rows


def test_a_bucket_that_is_cut_off_in_the_middle_is_told(url: str, relay: Relay) -> None:
    with logboom.open(url) as logs:
        logs._store.snapshot()
        relay.loses = meant("GET", ".parquet")
        first = ask(logs, "service:cart | stats sum(n)")
        assert first == ask(logs, "service:cart | stats sum(n)")
