"""Channels: where alerts are sent, with the secrets that this needs."""

from collections.abc import Callable, Mapping
from typing import Literal
from urllib.parse import SplitResult, quote, unquote, urlsplit

import msgspec

from logboom.base.addresses import is_refused, parse_address
from logboom.base.clock import Clock
from logboom.base.errors import Conflict, Invalid, about
from logboom.base.ids import make_ulid
from logboom.base.patterns import compile_later
from logboom.control.documents.records import (
    Allow,
    Record,
    Records,
    allow_all,
    apply_changes,
    check_label,
)
from logboom.control.documents.store import Documents

MOST_CHANNELS = 100
MOST_HEADERS = 20
MOST_RECIPIENTS = 50
LONGEST_ADDRESS = 2_000
LONGEST_SECRET = 1_000
MASK = "********"
"""Shown instead of a secret. Sent back, it stands for the stored secret."""

Kind = Literal["webhook", "slack", "alertmanager", "pagerduty", "email"]

PAGERDUTY_URL = "https://events.pagerduty.com/v2/enqueue"
OVER_HTTP = frozenset({"url", "secret", "headers"})
TAKES: dict[Kind, frozenset[str]] = {
    "webhook": OVER_HTTP,
    "slack": OVER_HTTP,
    "alertmanager": OVER_HTTP,
    "pagerduty": OVER_HTTP | {"routing_key"},
    "email": frozenset({"to", "smtp_url"}),
}
NEEDS: dict[Kind, tuple[str, ...]] = {
    "webhook": ("url",),
    "slack": ("url",),
    "alertmanager": ("url",),
    "pagerduty": ("url", "routing_key"),
    "email": ("to", "smtp_url"),
}
HEADER_NAME = compile_later(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
HEADER_VALUE = compile_later(r"[\x21-\x7e](?:[\t\x20-\x7e]{0,1998}[\x21-\x7e])?")
OWN_HEADERS = frozenset(
    {
        *("connection", "content-length", "content-type", "host", "idempotency-key"),
        *("transfer-encoding", "upgrade", "x-logboom-signature"),
    }
)
MAIL_ADDRESS = compile_later(r"[^\s@<>,;:\"()\[\]\\]{1,64}@[A-Za-z0-9.\[\]:-]{1,255}")


class Channel(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A receiver; `TAKES` lists which members each kind uses.

    `secret`, `headers`, `routing_key`, the password in `smtp_url` and the whole `url` of Slack are secrets.
    """

    name: str
    kind: Kind
    created_ns: int
    updated_ns: int
    url: str = ""
    secret: str = ""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    routing_key: str = ""
    to: tuple[str, ...] = ()
    smtp_url: str = ""

    def __repr__(self) -> str:
        return f"Channel(id={self.id!r}, kind={self.kind!r})"


MEMBERS = frozenset({"url", "secret", "headers", "routing_key", "to", "smtp_url"})
CHANGEABLE = MEMBERS | {"name", "kind"}


class Channels(Records[Channel]):
    """All channels. Thread-safe."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        super().__init__(documents, "channels", Channel, check_channels)
        self._clock = clock

    def create(self, kind: Kind, members: Mapping[str, object]) -> Channel:
        """Create a channel; raise Invalid if a member is missing, wrong, or not of its kind."""
        now_ns = self._clock()
        url = PAGERDUTY_URL if kind == "pagerduty" else ""
        blank = Channel(
            id=make_ulid(now_ns), name="", kind=kind, created_ns=now_ns, updated_ns=now_ns, url=url
        )
        channel = check_channel(apply_changes(blank, members, CHANGEABLE))
        self._add(channel)
        return channel

    def update(
        self,
        channel_id: str,
        changes: Mapping[str, object],
        expected_generation: int | None = None,
        allow: Allow[Channel] = allow_all,
    ) -> Channel:
        """Replace the members named in `changes`; the kind cannot change."""

        def change(channel: Channel) -> Channel:
            changed = apply_changes(channel, unmask(channel, changes), CHANGEABLE)
            if changed.kind != channel.kind:
                raise Invalid(f"kind is {channel.kind}, expected no other", field="kind")
            check_channel(changed)
            check_secrets_stay(channel, changed)
            return msgspec.structs.replace(changed, updated_ns=self._clock())

        return self._replace(channel_id, change, expected_generation, allow)


def unmask(channel: Channel, changes: Mapping[str, object]) -> dict[str, object]:
    """Return the changes with masks replaced by the stored secrets."""
    given = dict(changes)
    headers = given.get("headers")
    if isinstance(headers, dict):
        given["headers"] = {
            name: channel.headers.get(name, value) if value == MASK else value
            for name, value in headers.items()
        }
    for name in ("secret", "routing_key"):
        if given.get(name) == MASK:
            del given[name]
    for name, shown in (("url", show_url(channel)), ("smtp_url", show_smtp_url(channel))):
        if given.get(name) == shown:
            del given[name]
    return given


def check_secrets_stay(before: Channel, after: Channel) -> None:
    """Raise Invalid if a secret that was not given again would be sent to another host."""
    if find_origin(before.url) == find_origin(after.url):
        return
    kept = {
        "headers": any(before.headers.get(name) == after.headers[name] for name in after.headers),
        "routing_key": bool(after.routing_key) and after.routing_key == before.routing_key,
        "secret": bool(after.secret) and after.secret == before.secret,
    }
    for field, is_kept in kept.items():
        if is_kept:
            raise Invalid(f"the url names another host, expected {field} again", field=field)


def find_origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def show_url(channel: Channel) -> str:
    """Return the address as it may be shown: anybody who knows the path of a Slack webhook can post there."""
    if channel.kind != "slack":
        return channel.url
    scheme, netloc = find_origin(channel.url)
    return f"{scheme}://{netloc}/{MASK}"


def show_smtp_url(channel: Channel) -> str:
    """Return the address of the mail server without its password."""
    parts = urlsplit(channel.smtp_url)
    if not parts.password:
        return channel.smtp_url
    user, _, place = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user.partition(':')[0]}:{MASK}@{place}").geturl()


def check_channels(channels: Mapping[str, Channel]) -> None:
    if len(channels) > MOST_CHANNELS:
        raise Conflict(f"there are {MOST_CHANNELS} channels, the maximum")
    names = set[str]()
    for channel in channels.values():
        name = channel.name.lower()
        if name in names:
            raise Conflict(f"channel {channel.name!r} exists already", field="name")
        names.add(name)


def check_channel(channel: Channel) -> Channel:
    """Return the channel; raise Invalid if a member is missing, wrong, or not of its kind."""
    check_label("channel", channel.name)
    takes = TAKES[channel.kind]
    for name in sorted(MEMBERS):
        if getattr(channel, name) and name not in takes:
            raise Invalid(f"a channel of kind {channel.kind} has no {name}", field=name)
    for name in NEEDS[channel.kind]:
        if not getattr(channel, name):
            raise Invalid(
                f"{name} is missing, expected it for a channel of kind {channel.kind}", field=name
            )
    for name, check in CHECKS.items():
        if name in takes:
            with about(name):
                check(channel)
    return channel


def check_url(channel: Channel) -> None:
    parts = split_address(channel.url, ("http", "https"))
    if parts.username is not None or parts.password is not None:
        raise Invalid("url has a user name or a password, expected an Authorization header instead")


def split_address(address: str, schemes: tuple[str, ...]) -> SplitResult:
    """Return the parts of an address; raise Invalid if its text shows that it must not be connected to."""
    expected = f"expected {schemes[0]}:// or {schemes[1]}:// and a host"
    if not 0 < len(address) <= LONGEST_ADDRESS or not address.isascii():
        raise Invalid(f"the address has {len(address)} characters or is not ASCII, {expected}")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise Invalid(f"the address cannot be read: {error}, {expected}") from error
    is_plain = address.isprintable() and " " not in address and "\\" not in address
    if parts.scheme not in schemes or not host or port == 0 or parts.fragment or not is_plain:
        raise Invalid(f"the address is not valid, {expected}")
    literal = parse_address(host)
    if literal and is_refused(literal):
        raise Invalid(f"{host} is link-local or a metadata service, expected another address")
    return parts


def check_secret(channel: Channel) -> None:
    check_text(channel.secret)


def check_routing_key(channel: Channel) -> None:
    check_text(channel.routing_key)


def check_text(text: str) -> None:
    if len(text) > LONGEST_SECRET or not text.isprintable():
        raise Invalid(f"expected at most {LONGEST_SECRET} printable characters")


def check_headers(channel: Channel) -> None:
    if len(channel.headers) > MOST_HEADERS:
        raise Invalid(f"there are {len(channel.headers)} headers, expected at most {MOST_HEADERS}")
    for name, value in channel.headers.items():
        if not HEADER_NAME.fullmatch(name) or name.lower() in OWN_HEADERS:
            raise Invalid(f"header {name[:80]!r} cannot be set, expected another name")
        if not HEADER_VALUE.fullmatch(value) or value == MASK:
            raise Invalid(f"the value of header {name[:80]!r}, expected printable ASCII")


def check_recipients(channel: Channel) -> None:
    if len(channel.to) > MOST_RECIPIENTS:
        raise Invalid(f"to has {len(channel.to)} addresses, expected at most {MOST_RECIPIENTS}")
    for address in channel.to:
        if not MAIL_ADDRESS.fullmatch(address) or not address.isprintable():
            raise Invalid(f"to {address[:80]!r}, expected an address such as ops@example.org")


def check_smtp_url(channel: Channel) -> None:
    parts = split_address(channel.smtp_url, ("smtp", "smtps"))
    if parts.path not in ("", "/"):
        raise Invalid("smtp_url has a path, expected a host and a port")
    if MASK in (parts.password, parts.username):
        raise Invalid("smtp_url names another server or user, expected the password again")
    sender = read_sender(parts)
    if sender and not MAIL_ADDRESS.fullmatch(sender):
        raise Invalid(f"from {sender[:80]!r}, expected an address such as logboom@example.org")


def read_sender(parts: SplitResult) -> str:
    """Return the sender address, given as `?from=`; empty if absent."""
    if not parts.query:
        return ""
    name, is_given, value = parts.query.partition("=")
    if name != "from" or not is_given or "&" in value:
        raise Invalid(f"?{quote(parts.query)[:80]} in smtp_url, expected ?from= and an address")
    return unquote(value)


CHECKS: dict[str, Callable[[Channel], None]] = {
    "url": check_url,
    "secret": check_secret,
    "headers": check_headers,
    "routing_key": check_routing_key,
    "to": check_recipients,
    "smtp_url": check_smtp_url,
}
