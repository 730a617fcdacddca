"""What alerts send, when the server is killed: between firing and sending, and between sending and noting."""

from typing import Any

import pytest
from tests.alerts.receivers import HttpReceiver, receiving
from tests.process.conftest import MakeService
from tests.process.service import Service
from tests.waiting import poll_until

pytestmark = [pytest.mark.process, pytest.mark.crash]

ALERT = {"query": "level:error", "operator": "above", "threshold": 0, "every_secs": 10}


def start(services: MakeService, url: str) -> tuple[Service, dict[str, Any]]:
    """A server with an alert that fires at its first check."""
    service = services(SERVICE_BLOCK_FLUSH_SECS="0.2")
    service.start()
    channel = service.call(
        "POST", "/api/channels", json={"name": "c", "kind": "webhook", "url": url}
    )
    service.call("POST", "/api/ingest", content=b'{"level":"error"}\n')
    service.call("POST", "/api/admin/flush")
    body = {"name": "a", **ALERT, "channels": [channel.json()["id"]]}
    return service, service.call("POST", "/api/alerts", json=body).json()


def list_statuses(service: Service, alert: dict[str, Any]) -> list[str]:
    history = service.call("GET", f"/api/alerts/{alert['id']}/history").json()
    return [sent["status"] for each in history for sent in each["sent"]]


def list_keys(receiver: HttpReceiver) -> list[str]:
    return [each.key for each in receiver.requests]


def test_what_fired_before_a_kill_is_sent_after_it(services: MakeService) -> None:
    with receiving() as receiver:
        url, port = receiver.url, receiver.port
    service, alert = start(services, url)
    poll_until(lambda: list_statuses(service, alert) == ["pending"], "the alert to fire")
    service.kill9()
    with receiving(port) as receiver:
        service.start()
        poll_until(lambda: list_statuses(service, alert) == ["sent"], "the receiver to be told")
        assert len(receiver.requests) == 1
        assert list_keys(receiver)[0].startswith(alert["id"])


def test_what_was_sent_but_not_noted_before_a_kill_is_sent_again_under_its_key(
    services: MakeService,
) -> None:
    with receiving() as receiver:
        receiver.plan.append("hang")
        service, alert = start(services, receiver.url)
        poll_until(lambda: receiver.requests, "the request to be on its way")
        service.kill9()
        service.start()
        poll_until(lambda: list_statuses(service, alert) == ["sent"], "it to be noted")
        keys = list_keys(receiver)
    assert len(keys) == 2
    assert len(set(keys)) == 1
