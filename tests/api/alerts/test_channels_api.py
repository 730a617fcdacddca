"""Channels over HTTP: made, shown without their secrets, changed, tested for real, and deleted when nobody needs them."""

import asyncio
import hashlib
import hmac
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from tests.alerts.receivers import Behaviour, receiving, taking_mail
from tests.api.signing_in import make_key, open_session
from tests.running import RunningService
from tests.together import together
from tests.web.identities import make_identity

from logboom.alerts.sending import http, mail
from logboom.alerts.sending.forms import Post
from logboom.alerts.sending.resolve import resolve_now
from logboom.alerts.sending.trust import make_context
from logboom.base.clock import system_clock
from logboom.base.errors import Forbidden
from logboom.base.stores.local import LocalObjects
from logboom.control.access.scopes import Scope
from logboom.control.access.users import Role
from logboom.control.control import Control
from logboom.control.saved.channels import Kind

MakeService = Callable[..., RunningService]

PATH = "/api/channels"
HOOK = "http://127.0.0.1:9/hook"
MASK = "********"
SECRET = "hush-hush"
NEW: dict[str, dict[str, Any]] = {
    "webhook": {"url": HOOK, "secret": SECRET, "headers": {"Authorization": f"Bearer {SECRET}"}},
    "slack": {"url": f"http://127.0.0.1:9/services/{SECRET}"},
    "alertmanager": {"url": "http://127.0.0.1:9", "headers": {"X-Key": SECRET}},
    "pagerduty": {"url": HOOK, "routing_key": SECRET},
    "email": {"to": ["ops@example.org"], "smtp_url": f"smtp://bot:{SECRET}@127.0.0.1:2525"},
}
SHOWN: dict[str, dict[str, Any]] = {
    "webhook": {"url": HOOK, "has_secret": True, "headers": {"Authorization": MASK}},
    "slack": {"url": f"http://127.0.0.1:9/{MASK}"},
    "alertmanager": {"url": "http://127.0.0.1:9", "headers": {"X-Key": MASK}},
    "pagerduty": {"url": HOOK, "has_routing_key": True},
    "email": {"to": ["ops@example.org"], "smtp_url": f"smtp://bot:{MASK}@127.0.0.1:2525"},
}
EMPTY: dict[str, Any] = {
    "url": "",
    "headers": {},
    "to": [],
    "smtp_url": "",
    "has_secret": False,
    "has_routing_key": False,
    "used_by": 0,
}


@pytest.fixture
def service(start_service: MakeService) -> RunningService:
    return start_service()


@pytest.fixture
def client(service: RunningService) -> httpx.Client:
    return service.client


def list_given(kind: str) -> dict[str, Any]:
    """What an answer shows and a change may name."""
    return {name: value for name, value in SHOWN[kind].items() if not name.startswith("has_")}


def make(client: httpx.Client, kind: str, **members: object) -> dict[str, Any]:
    body = {"name": f"to {kind}", "kind": kind, **NEW[kind], **members}
    answer = client.post(PATH, json=body)
    assert answer.status_code == 201, answer.text
    content: dict[str, Any] = answer.json()
    return content


@pytest.mark.parametrize("kind", NEW)
def test_one_is_made_shown_without_secrets_changed_and_deleted(
    service: RunningService, kind: str
) -> None:
    client = service.client
    made = make(client, kind)
    known = {key: made[key] for key in ("id", "created", "updated")}
    expected = {"name": f"to {kind}", "kind": kind, **EMPTY, **SHOWN[kind], **known}
    assert made == expected
    assert client.get(PATH).json() == [made]
    assert client.get(f"{PATH}/{made['id']}").json() == made
    assert SECRET not in client.get(PATH).text
    before = service.control.channels.get(made["id"])
    same = client.patch(f"{PATH}/{made['id']}", json={"name": "other", **list_given(kind)})
    assert same.status_code == 200, same.text
    after = service.control.channels.get(made["id"])
    secrets = ("url", "secret", "headers", "routing_key", "smtp_url")
    assert [getattr(after, name) for name in secrets] == [getattr(before, name) for name in secrets]
    assert after.name == "other"
    assert client.delete(f"{PATH}/{made['id']}").status_code == 204
    assert client.get(f"{PATH}/{made['id']}").status_code == 404


UNFIT: dict[str, tuple[str, dict[str, Any]]] = {
    "no name": ("name", {"name": ""}),
    "another kind": ("kind", {"kind": "pigeon"}),
    "no url": ("url", {"url": ""}),
    "no host": ("url", {"url": "http://"}),
    "another scheme": ("url", {"url": "file:///etc/passwd"}),
    "a password": ("url", {"url": "http://a:b@example.org/"}),
    "a line break": ("url", {"url": "http://example.org/\r\nX: y"}),
    "a blank": ("url", {"url": "http://example.org/a b"}),
    "a port": ("url", {"url": "http://example.org:99999/"}),
    "link-local": ("url", {"url": "http://169.254.169.254/latest/meta-data"}),
    "link-local in IPv6": ("url", {"url": "http://[fe80::1]/"}),
    "mapped": ("url", {"url": "http://[::ffff:169.254.169.254]/"}),
    "translated": ("url", {"url": "http://[64:ff9b::a9fe:a9fe]/"}),
    "metadata of a cloud": ("url", {"url": "http://100.100.100.200/"}),
    "header name": ("headers", {"headers": {"X Y": "z"}}),
    "header value": ("headers", {"headers": {"X-Y": "a\r\nHost: b"}}),
    "own header": ("headers", {"headers": {"Host": "other"}}),
    "many headers": ("headers", {"headers": {f"X-{i}": "a" for i in range(21)}}),
    "long secret": ("secret", {"secret": "x" * 1_001}),
    "not of its kind": ("routing_key", {"routing_key": "x"}),
    "unknown": ("password", {"password": "x"}),
    "no key": ("routing_key", {"kind": "pagerduty"}),
    "no recipient": ("to", {"kind": "email", "url": "", "smtp_url": "smtp://localhost"}),
    "recipient": (
        "to",
        {"kind": "email", "url": "", "smtp_url": "smtp://a", "to": ["a@b\r\nBcc: c@d"]},
    ),
    "mail server": (
        "smtp_url",
        {"kind": "email", "url": "", "to": "a@b", "smtp_url": "smtp://169.254.1.1"},
    ),
    "sender": (
        "smtp_url",
        {"kind": "email", "url": "", "to": "a@b", "smtp_url": "smtp://h?from=x"},
    ),
}


@pytest.mark.parametrize(("field", "members"), UNFIT.values(), ids=UNFIT)
def test_what_does_not_fit_is_refused_by_name(
    client: httpx.Client, field: str, members: dict[str, Any]
) -> None:
    answer = client.post(PATH, json={"name": "x", "kind": "webhook", "url": HOOK, **members})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


def test_channels_are_for_admins_and_their_names_for_everybody(service: RunningService) -> None:
    made = make(service.client, "webhook")
    for headers in (open_session(service, Role.EDITOR), make_key(service, Scope.SEARCH)):
        for method, path in (
            ("GET", ""),
            ("GET", f"/{made['id']}"),
            ("POST", ""),
            ("PATCH", f"/{made['id']}"),
            ("DELETE", f"/{made['id']}"),
            ("POST", f"/{made['id']}/test"),
        ):
            body = {"name": "x", "kind": "webhook"} if method in ("POST", "PATCH") else None
            answer = service.anonymous.request(method, f"{PATH}{path}", json=body, headers=headers)
            assert answer.status_code == 403, (method, path)
        names = service.anonymous.get("/api/alerts/channels", headers=headers)
        assert names.json() == [{"id": made["id"], "name": "to webhook", "kind": "webhook"}]
    assert service.anonymous.get(PATH).status_code == 401
    limited = open_session(service, Role.ADMIN, envs=("shop",))
    body = {"name": "x", "kind": "webhook", "url": HOOK}
    assert service.anonymous.post(PATH, json=body, headers=limited).status_code == 403
    tested = service.anonymous.post(f"{PATH}/{made['id']}/test", headers=limited)
    assert tested.status_code == 403


def test_secrets_do_not_follow_to_another_host(client: httpx.Client) -> None:
    hook, pager, post = (make(client, kind) for kind in ("webhook", "pagerduty", "email"))
    other = "http://127.0.0.1:10/hook"
    for channel, changes, field in (
        (hook, {"url": other}, "headers"),
        (hook, {"url": other, "headers": {}}, "secret"),
        (pager, {"url": other}, "routing_key"),
        (post, {"smtp_url": f"smtp://bot:{MASK}@127.0.0.1:2526"}, "smtp_url"),
    ):
        answer = client.patch(f"{PATH}/{channel['id']}", json=changes)
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
    path = client.patch(f"{PATH}/{hook['id']}", json={"url": "http://127.0.0.1:9/other"})
    assert path.status_code == 200
    anew: dict[str, Any] = {"url": other, "headers": {}, "secret": None}
    changed = client.patch(f"{PATH}/{hook['id']}", json=anew).json()
    assert (changed["url"], changed["has_secret"]) == (other, False)


def test_a_kind_stays_and_a_name_is_used_once(client: httpx.Client) -> None:
    made = make(client, "webhook")
    assert client.patch(f"{PATH}/{made['id']}", json={"kind": "slack"}).status_code == 400
    again = client.post(PATH, json={"name": "TO WEBHOOK", "kind": "webhook", "url": HOOK})
    assert (again.status_code, again.json()["error"]["field"]) == (409, "name")


def test_a_channel_that_alerts_use_is_not_deleted(client: httpx.Client) -> None:
    made = make(client, "webhook")
    alert = {"name": "<b>many</b>", "query": "a", "operator": "above", "threshold": 1}
    use = client.post("/api/alerts", json={**alert, "channels": [made["id"]]})
    assert use.status_code == 201, use.text
    refused = client.delete(f"{PATH}/{made['id']}")
    assert refused.status_code == 409
    assert refused.json()["error"]["alerts"] == ["<b>many</b>"]
    assert client.get(f"{PATH}/{made['id']}").json()["used_by"] == 1
    client.patch(f"/api/alerts/{use.json()['id']}", json={"channels": []})
    assert client.delete(f"{PATH}/{made['id']}").status_code == 204
    gone = client.post("/api/alerts", json={**alert, "name": "x", "channels": [made["id"]]})
    assert (gone.status_code, gone.json()["error"]["field"]) == (400, "channels")


def test_secrets_are_in_no_file_of_the_store(tmp_path: Path) -> None:
    """As the service runs by default, with a control key."""
    objects = LocalObjects(tmp_path)
    control = Control.open(objects, bytes(32), bytes(40), system_clock)
    for kind, members in NEW.items():
        control.channels.create(cast(Kind, kind), {"name": kind, **members})
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert kept
    assert SECRET.encode() not in kept


def run_test(client: httpx.Client, channel: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(f"{PATH}/{channel['id']}/test")
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


def test_a_webhook_gets_exactly_these_members_signed_and_says_what_it_answers(
    client: httpx.Client,
) -> None:
    with receiving() as receiver:
        made = make(client, "webhook", url=receiver.url)
        receiver.plan += [200, 503]
        assert run_test(client, made) == {"ok": True, "status": 200, "answer": "status 200"}
        assert run_test(client, made) == {"ok": False, "status": 503, "answer": "status 503"}
        taken = receiver.requests[0]
    assert list(taken.read()) == [
        *("alert", "state", "severity", "value", "threshold", "from", "to", "query", "link"),
        *("labels", "sample"),
    ]
    signature = hmac.new(SECRET.encode(), taken.body, hashlib.sha256).hexdigest()
    assert taken.headers["x-logboom-signature"] == signature
    assert taken.headers["authorization"] == f"Bearer {SECRET}"
    assert taken.key.startswith("test-")


def test_every_kind_is_sent_in_its_own_form(client: httpx.Client) -> None:
    with receiving() as receiver:
        base = f"http://127.0.0.1:{receiver.port}"
        urls = {"slack": f"{base}/slack", "alertmanager": f"{base}/am/", "pagerduty": f"{base}/pd"}
        for kind, url in urls.items():
            assert run_test(client, make(client, kind, url=url))["ok"]
        slack, manager, pager = receiver.requests
    assert (slack.path, manager.path, pager.path) == ("/slack", "/am/api/v2/alerts", "/pd")
    assert slack.read()["text"].startswith("*[FIRING] Test of a Logboom channel*")
    (alert,) = manager.read()
    assert alert["labels"]["alertname"] == "Test of a Logboom channel"
    assert alert["labels"]["severity"] == "info"
    assert alert["startsAt"] < alert["endsAt"]
    event = pager.read()
    assert (event["routing_key"], event["event_action"]) == (SECRET, "trigger")
    assert event["payload"]["severity"] == "info"
    assert {"summary", "source", "severity"} <= event["payload"].keys()


def test_a_receiver_that_redirects_is_not_followed(client: httpx.Client) -> None:
    with receiving() as receiver, receiving() as other:
        receiver.plan.append("redirect")
        receiver.place = other.url
        made = make(client, "webhook", url=receiver.url)
        found = run_test(client, made)
        assert other.requests == []
    assert found == {"ok": False, "status": 302, "answer": "redirects are not followed"}


@pytest.mark.parametrize("behaviour", ["hang", "drip", "drop"])
def test_a_receiver_that_says_nothing_useful_is_left_in_time(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch, behaviour: Behaviour
) -> None:
    monkeypatch.setattr(http, "DEADLINE_S", 0.5)
    with receiving() as receiver:
        receiver.plan.append(behaviour)
        found = run_test(client, make(client, "webhook", url=receiver.url))
    assert (found["ok"], found["status"]) == (False, None)
    assert found["answer"]


@together("host", ["169.254.169.254", "[fe80::1]", "0xa9fea9fe", "2852039166", "0.0.0.0"])
def test_addresses_are_checked_after_they_are_resolved(host: str) -> None:
    """Numbers in other notations are names to us, and addresses to the system."""
    post = Post(f"http://{host}/", b"{}", {})
    receipt = asyncio.run(http.send_post(post))
    assert (receipt.ok, receipt.status) == (False, None)
    assert "link-local or a metadata service" in receipt.answer


def test_a_name_that_leads_to_a_refused_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(2, 1, 6, "", ("127.0.0.1", 9)), (2, 1, 6, "", ("169.254.169.254", 9))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_options: found)
    with pytest.raises(Forbidden, match=r"169\.254\.169\.254"):
        resolve_now("innocent.test", 80)


def test_mail_is_handed_over_with_credentials(client: httpx.Client) -> None:
    with taking_mail() as mailbox:
        address = f"smtp://bot:{SECRET}@127.0.0.1:{mailbox.port}?from=logboom%40example.org"
        made = make(client, "email", smtp_url=address, to="a@example.org, b@example.org")
        found = run_test(client, made)
    assert found == {"ok": True, "status": 250, "answer": "accepted for 2 of 2"}
    assert mailbox.logins == [f"\0bot\0{SECRET}"]
    (mail_,) = mailbox.mails
    assert "Subject: [FIRING] Test of a Logboom channel" in mail_
    assert "From: Logboom <logboom@example.org>" in mail_
    assert "To: a@example.org, b@example.org" in mail_


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_mail_goes_over_tls_that_is_verified(
    client: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    identity = make_identity(tmp_path, "mail")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(identity.certificate, identity.key)
    with taking_mail(context=context, is_secure=scheme == "smtps") as mailbox:
        address = f"{scheme}://127.0.0.1:{mailbox.port}"
        made = make(client, "email", smtp_url=address)
        make_context.cache_clear()
        strange = run_test(client, made)
        mailbox.was_encrypted = False
        monkeypatch.setenv("SSL_CERT_FILE", str(identity.certificate))
        make_context.cache_clear()
        known = run_test(client, made)
        make_context.cache_clear()
    assert not strange["ok"]
    assert "certificate" in strange["answer"].lower()
    assert known["ok"]
    assert mailbox.was_encrypted
    assert len(mailbox.mails) == 1


def test_a_mail_server_that_refuses_or_is_mute_is_reported(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with taking_mail(refusal="550 no such user") as mailbox:
        made = make(client, "email", smtp_url=f"smtp://127.0.0.1:{mailbox.port}")
        assert run_test(client, made) == {"ok": False, "status": 550, "answer": "no such user"}
    monkeypatch.setattr(mail, "DEADLINE_S", 0.3)
    with taking_mail(is_mute=True) as mailbox:
        client.patch(f"{PATH}/{made['id']}", json={"smtp_url": f"smtp://127.0.0.1:{mailbox.port}"})
        found = run_test(client, made)
    assert (found["ok"], found["status"]) == (False, None)
