"""The requests that receivers understand, one function for each kind; `FORMS` lists them."""

import hashlib
import hmac
from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from logboom.alerts.sending.notification import Notification
from logboom.base.clock import NS_PER_S, format_time
from logboom.base.structs import InternalStruct
from logboom.control.saved.channels import Channel, Kind

LONGEST_SUMMARY = 1_024
LONGEST_TEXT = 3_000
ALERTS_PATH = "/api/v2/alerts"
NEVER_NS = 365 * 86_400 * NS_PER_S
"""Alertmanager resolves an alert without an end after five minutes; the real end is sent when it comes."""
TEST_NS = 300 * NS_PER_S


class Post(InternalStruct, frozen=True):
    """A request to send; its headers may contain secrets."""

    url: str
    body: bytes
    headers: dict[str, str]


Form = Callable[[Channel, Notification], Post]


def make_post(channel: Channel, notification: Notification) -> Post:
    """Return the request for an HTTP channel, signed if it has a secret."""
    post = FORMS[channel.kind](channel, notification)
    headers = {
        "Content-Type": "application/json",
        "Idempotency-Key": notification.key,
        "User-Agent": "logboom",
        **channel.headers,
    }
    if channel.secret:
        headers["X-Logboom-Signature"] = sign(post.body, channel.secret)
    return replace(post, headers=headers)


def sign(body: bytes, secret: str) -> str:
    """Return the HMAC-SHA-256 of the body as lower-case hexadecimal digits."""
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def make_request(url: str, content: object) -> Post:
    return Post(url, msgspec.json.encode(content), {})


def form_webhook(channel: Channel, notification: Notification) -> Post:
    content = {
        "alert": notification.alert,
        "state": notification.state,
        "severity": notification.severity,
        "value": notification.value,
        "threshold": notification.threshold,
        "from": format_time(notification.from_ns),
        "to": format_time(notification.to_ns),
        "query": notification.query,
        "link": notification.link,
        "labels": notification.labels,
        "sample": notification.sample,
    }
    return make_request(channel.url, content)


def form_slack(channel: Channel, notification: Notification) -> Post:
    """Return a request in whose text an alert can neither mention people nor fake a link."""
    lines = [f"*{escape(notification.title)}*", *map(escape, notification.lines)]
    text = "\n".join(lines)[:LONGEST_TEXT]
    return make_request(
        channel.url, {"text": f"{text}\n<{escape(notification.link)}|Open in Logboom>"}
    )


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def form_alertmanager(channel: Channel, notification: Notification) -> Post:
    alert = {
        "labels": {
            **{name: value for name, value in notification.labels.items() if value},
            "alertname": notification.alert,
            "severity": notification.severity,
            "alert_id": notification.alert_id,
        },
        "annotations": {
            "summary": f"{notification.alert}: {notification.condition}",
            "description": notification.description,
            "query": notification.query,
        },
        "startsAt": format_time(notification.since_ns),
        "endsAt": format_time(find_end(notification)),
        "generatorURL": notification.link,
    }
    return make_request(channel.url.rstrip("/") + ALERTS_PATH, [alert])


def find_end(notification: Notification) -> int:
    if notification.state == "resolved":
        return notification.to_ns
    return notification.to_ns + (TEST_NS if notification.is_test else NEVER_NS)


def form_pagerduty(channel: Channel, notification: Notification) -> Post:
    content: dict[str, object] = {
        "routing_key": channel.routing_key,
        "event_action": "trigger" if notification.state == "firing" else "resolve",
        "dedup_key": notification.alert_id,
    }
    if notification.state == "firing":
        content |= {
            "client": "Logboom",
            "client_url": notification.link,
            "payload": describe_incident(notification),
        }
    return make_request(channel.url, content)


def describe_incident(notification: Notification) -> dict[str, object]:
    return {
        "summary": f"{notification.alert}: {notification.condition}"[:LONGEST_SUMMARY],
        "source": "logboom",
        "severity": notification.severity,
        "timestamp": format_time(notification.since_ns),
        "custom_details": {
            "description": notification.description,
            "value": notification.value,
            "threshold": notification.threshold,
            "query": notification.query,
            "from": format_time(notification.from_ns),
            "to": format_time(notification.to_ns),
            "labels": notification.labels,
            "sample": notification.sample,
        },
    }


FORMS: dict[Kind, Form] = {
    "webhook": form_webhook,
    "slack": form_slack,
    "alertmanager": form_alertmanager,
    "pagerduty": form_pagerduty,
}
