"""The audit trail: one event with fixed fields, nothing else."""

import logging

import msgspec
import pytest
from tests.logged import list_said_by

from logboom.base.process.log import encode_record
from logboom.control.access.audit import Audit
from logboom.control.access.principal import ANONYMOUS, Principal
from logboom.control.access.scopes import Scope

ADMIN = Principal("user", "01", "ann", frozenset(Scope))


def read_events(caplog: pytest.LogCaptureFixture) -> list[dict[str, object]]:
    records = list_said_by("logboom.audit", caplog)
    lines = [msgspec.json.decode(encode_record(record)) for record in records]
    return [{key: value for key, value in line.items() if key != "timestamp"} for line in lines]


def test_a_record_says_who_did_what_to_what_from_where(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "logboom.audit"):
        Audit().record("user.create", ADMIN, "bob", address="10.0.0.1")
        Audit().record("login_failed", ANONYMOUS, "", "refused")
    common = {"level": "info", "message": "audit", "logger": "logboom.audit", "event": "audit"}
    assert read_events(caplog) == [
        common
        | {
            "action": "user.create",
            "actor": "ann",
            "actor_kind": "user",
            "target": "bob",
            "outcome": "ok",
            "address": "10.0.0.1",
        },
        common
        | {
            "action": "login_failed",
            "actor": "anonymous",
            "actor_kind": "anonymous",
            "target": "",
            "outcome": "refused",
            "address": "",
        },
    ]


def test_details_never_replace_the_fields_of_the_event(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "logboom.audit"):
        Audit().record("key.update", ADMIN, "robot", name="a", args=[1], level="x", actor="other")
    (event,) = read_events(caplog)
    assert event["actor"] == "ann"
    assert event["level"] == "info"
    assert event["details"] == {"name": "a", "args": [1], "level": "x", "actor": "other"}


def test_an_endless_target_is_cut(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "logboom.audit"):
        Audit().record("lookup.delete", ADMIN, "a\n" * 10_000)
    assert read_events(caplog)[0]["target"] == "a\n" * 100
