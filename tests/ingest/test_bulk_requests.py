"""Requests too large for one batch: all or nothing, in little memory, beside small ones."""

import gzip
import random
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import zstandard
from tests.running import RunningService, encode_lines

from logboom.ingest.sink import BATCH_BYTES
from logboom.model.batch import ROW_BYTES

MakeService = Callable[..., RunningService]
MB = 1_000_000
WORDS = [f"word{number}" for number in range(500)]
LARGE_BODY_MB = 300
ALLOWED_GROWTH_MB = 250


def make_lines(size_mb: int, line_bytes: int) -> Iterator[bytes]:
    """So many bytes of events, numbered, in pieces that are no whole lines."""
    chooser = random.Random(size_mb)
    text = " ".join(chooser.choices(WORDS, k=line_bytes))
    rest = b""
    for number in range(size_mb * MB // line_bytes):
        start = chooser.randrange(line_bytes)
        message = text[start : start + line_bytes - 40]
        rest += b'{"id":%d,"message":"%s"}\n' % (number, message.encode())
        if len(rest) > 100_000:
            yield rest[:-7]
            rest = rest[-7:]
    yield rest


@pytest.mark.parametrize(("size_mb", "line_bytes"), [(20, 1_000), (60, 10_000)])
def test_a_large_chunked_body_is_stored_to_the_last_event(
    service: RunningService, env: str, size_mb: int, line_bytes: int
) -> None:
    events = size_mb * MB // line_bytes
    answer = service.ingest(make_lines(size_mb, line_bytes), {"env": env, "index": "bulk"})
    assert answer.json()["ingested"] == events
    assert answer.json()["errors"] == 0
    assert len(answer.json()["partitions"]) <= 2
    assert service.count(env=env) == events, "a bulk load is searchable at once"
    assert service.count(f"id:{events - 1}", env=env) == 1
    table = service.search("* | stats count as times by id | stats count by times", env=env)
    assert table["rows"] == [{"times": 1, "count": events}]


def test_lines_count_with_the_memory_that_is_kept_for_each(
    service: RunningService, env: str
) -> None:
    count = BATCH_BYTES // ROW_BYTES
    answer = service.ingest(b"{}\n" * count, {"env": env})
    assert answer.json()["ingested"] == count
    assert service.count(env=env) == count, "it is a bulk load, though its body is small"


@pytest.mark.parametrize(
    ("encoding", "encode"),
    [("gzip", lambda data: gzip.compress(data, 1)), ("zstd", zstandard.compress)],
)
def test_a_large_compressed_body_is_stored(
    service: RunningService, env: str, encoding: str, encode: Callable[[bytes], bytes]
) -> None:
    body = encode(b"".join(make_lines(30, 5_000)))
    answer = service.ingest(body, {"env": env}, {"Content-Encoding": encoding})
    assert answer.json()["ingested"] == 6_000
    assert service.count(env=env) == 6_000


def test_a_large_body_that_turns_bad_leaves_nothing(start_service: MakeService) -> None:
    service = start_service()
    body = gzip.compress(b"".join(make_lines(60, 5_000)), 1)
    answer = service.ingest(body[:-1000], headers={"Content-Encoding": "gzip"})
    assert answer.status_code == 400
    service.flush()
    assert service.count() == 0
    assert list(Path(service.root).glob("store/blocks/*/*")) == []


def test_a_client_that_goes_away_in_a_large_body_leaves_nothing(
    start_service: MakeService,
) -> None:
    service = start_service()

    def go_away() -> Iterator[bytes]:
        yield from make_lines(60, 5_000)
        raise ConnectionAbortedError

    with pytest.raises(ConnectionAbortedError):
        service.ingest(go_away())
    assert service.keep(b'{"id":"later"}')["ingested"] == 1
    assert service.count() == 1


def test_bad_lines_in_a_large_body_are_counted_and_their_neighbours_kept(
    service: RunningService, env: str
) -> None:
    def make_mixed() -> Iterator[bytes]:
        for number in range(20):
            yield b'{"id":%d,"to":"web"}\nnot json %d\n{"to":"_self"}\n' % (number, number)
            yield from make_lines(2, 20_000)
            yield b"\r\n\xff\xfe\n"

    answer = service.ingest(make_mixed(), {"env": env, "index": "{{to}}"}).json()
    assert (answer["ingested"], answer["errors"]) == (20 + 20 * 100, 60)
    assert service.count("to:web", env=env) == 20
    assert service.count('"not json"', env=env) == 20


def test_small_requests_are_served_while_large_ones_come_in(
    service: RunningService, env: str
) -> None:
    with ThreadPoolExecutor(5) as pool:
        large = [
            pool.submit(service.ingest, make_lines(25, 10_000), {"env": env}) for _ in range(3)
        ]
        small = [
            pool.submit(service.ingest, encode_lines([{"small": number}]), {"env": env})
            for number in range(50)
        ]
        assert {each.result().json()["ingested"] for each in small} == {1}
        assert {each.result().json()["ingested"] for each in large} == {2_500}
    service.flush()
    assert service.count(env=env) == 3 * 2_500 + 50


def read_memory_mb(name: str) -> int:
    status = Path("/proc/self/status").read_text()
    found = re.search(rf"{name}:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) // 1000


def test_the_memory_does_not_grow_with_the_body(service: RunningService, env: str) -> None:
    assert service.ingest(make_lines(20, 10_000), {"env": env}).status_code == 200
    before_mb = read_memory_mb("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    answer = service.ingest(make_lines(LARGE_BODY_MB, 100_000), {"env": env})
    assert answer.json()["ingested"] == LARGE_BODY_MB * 10
    assert read_memory_mb("VmHWM") - before_mb < ALLOWED_GROWTH_MB
