"""`Idempotency-Key`: the same key is answered the same and stored once."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from tests.running import RunningService, encode_lines
from tests.waiting import PATIENCE_S

from logboom.base.clock import NS_PER_S, system_clock

MakeService = Callable[..., RunningService]
BODY = encode_lines({"id": number} for number in range(3)) + b"not json\n"
HOUR_NS = 3600 * NS_PER_S


def send(service: RunningService, env: str, key: str, body: bytes = BODY) -> httpx.Response:
    return service.ingest(body, {"env": env}, {"Idempotency-Key": key})


def test_the_same_key_gets_the_same_answer_and_is_stored_once(
    service: RunningService, env: str
) -> None:
    first = send(service, env, f"{env}-a")
    again = send(service, env, f"{env}-a", b'{"id":"another body"}')
    other = send(service, env, f"{env}-b")
    assert first.json()["ingested"] == 3
    assert first.json()["errors"] == 1
    assert again.text == first.text
    assert other.json()["ingested"] == 3
    service.flush()
    assert service.count(env=env) == 8


def test_keys_differ_by_case_and_blanks_inside(service: RunningService, env: str) -> None:
    for key in ("key", "KEY", "key 2", "key  2"):
        send(service, env, f"{env}{key}")
    service.flush()
    assert service.count(env=env) == 16


def test_twenty_at_once_with_one_key_are_stored_once(service: RunningService, env: str) -> None:
    gate = threading.Barrier(20)

    def send_with_others(_: int) -> str:
        gate.wait()
        return send(service, env, f"{env}-key").text

    with ThreadPoolExecutor(20) as pool:
        answers = set(pool.map(send_with_others, range(20)))
    assert len(answers) == 1
    service.flush()
    assert service.count(env=env) == 4


def test_a_request_that_failed_leaves_its_key_free(service: RunningService, env: str) -> None:
    headers = {"Idempotency-Key": f"{env}-key", "Content-Encoding": "gzip"}
    assert service.ingest(BODY, {"env": env}, headers).status_code == 400
    assert send(service, env, f"{env}-key").json()["ingested"] == 3


def test_a_client_that_goes_away_leaves_its_key_free(service: RunningService, env: str) -> None:
    def go_away() -> Iterator[bytes]:
        yield BODY
        raise ConnectionAbortedError

    headers = {"Idempotency-Key": f"{env}-key"}
    with pytest.raises(ConnectionAbortedError):
        service.ingest(go_away(), {"env": env}, headers)
    assert send(service, env, f"{env}-key").json()["ingested"] == 3
    service.flush()
    assert service.count(env=env) == 4


@pytest.mark.parametrize("key", ["", "x" * 257])
def test_a_key_of_no_or_too_great_length_is_refused(
    service: RunningService, env: str, key: str
) -> None:
    answer = send(service, env, key)
    assert answer.status_code == 400
    assert "Idempotency-Key" in answer.json()["error"]["message"]


@pytest.mark.parametrize("flushed", [True, False])
def test_a_key_is_known_after_a_restart(start_service: MakeService, flushed: bool) -> None:
    service = start_service()
    first = send(service, "default", "key")
    if flushed:
        service.flush()
    service.restart()
    assert send(service, "default", "key").text == first.text
    service.restart()
    assert send(service, "default", "key").text == first.text
    service.flush()
    assert service.count() == 4


def test_the_key_of_a_bulk_load_is_known_after_a_restart(start_service: MakeService) -> None:
    service = start_service()
    body = encode_lines({"id": number, "message": "x" * 10_000} for number in range(2_000))
    first = send(service, "default", "bulk", body)
    assert first.json()["ingested"] == 2_000
    assert send(service, "default", "bulk", body).text == first.text
    service.restart()
    assert send(service, "default", "bulk", body).text == first.text
    assert service.count() == 2_000


def test_a_key_is_forgotten_after_its_hours(start_service: MakeService) -> None:
    hours = [0]
    service = start_service(clock=lambda: system_clock() + hours[0] * HOUR_NS, idempotency_hours=5)
    send(service, "default", "key")
    hours[0] = 4
    send(service, "default", "key")
    service.flush()
    assert service.count() == 4
    hours[0] = 6
    send(service, "default", "key")
    service.flush()
    assert service.count() == 8


def test_an_anonymous_key_is_known_from_any_address(start_service: MakeService) -> None:
    service = start_service()
    first = send(service, "default", "key")
    with httpx.Client(
        transport=httpx.HTTPTransport(local_address="127.0.0.9"), timeout=PATIENCE_S
    ) as other:
        url = f"http://127.0.0.1:{service.port}/api/ingest"
        again = other.post(url, content=BODY, headers={"Idempotency-Key": "key"})
    assert again.text == first.text


def test_one_sender_cannot_push_out_the_keys_of_another(start_service: MakeService) -> None:
    service = start_service(idempotency_bytes=100_000)
    made = {"name": "shipper", "env": "default", "indexes": ["*"]}
    token = service.client.post("/api/tokens", json=made).json()["token"]
    mine = {"Authorization": f"Bearer {token}", "Idempotency-Key": "mine"}
    first = service.ingest(BODY, headers=mine)
    for number in range(200):
        service.ingest(b"{}", headers={"Idempotency-Key": f"key {number}"})
    assert service.ingest(BODY, headers=mine).text == first.text
    service.flush()
    before = service.count()
    for number in (0, 199):
        service.ingest(b"{}", headers={"Idempotency-Key": f"key {number}"})
    service.flush()
    assert service.count() == before + 1, "the oldest was forgotten and is stored anew"
