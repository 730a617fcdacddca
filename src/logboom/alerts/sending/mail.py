"""Mail about an alert, sent to an SMTP server: over TLS from the start, or as soon as the server offers it."""

import smtplib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate
from urllib.parse import unquote, urlsplit

from logboom.alerts.sending.notification import Notification
from logboom.alerts.sending.receipt import Receipt, make_plain
from logboom.alerts.sending.resolve import resolve_now
from logboom.alerts.sending.trust import make_context
from logboom.base.addresses import parse_address
from logboom.base.clock import NS_PER_S
from logboom.base.errors import Forbidden, LogboomError
from logboom.control.saved.channels import Channel, read_sender

DEADLINE_S = 20.0
OPERATION_S = 10.0
PORTS = {"smtp": 25, "smtps": 465}
TAKEN = 250


def send_mail(channel: Channel, notification: Notification) -> Receipt:
    """Return the server's answer; any error is in the receipt. Slow: call it off the event loop."""
    try:
        return hand_over(channel, make_message(channel, notification))
    except smtplib.SMTPRecipientsRefused as error:
        status, words = next(iter(error.recipients.values()))
        return Receipt(ok=False, status=status, answer=make_plain(decode(words)))
    except smtplib.SMTPResponseException as error:
        return Receipt(
            ok=False, status=error.smtp_code, answer=make_plain(decode(error.smtp_error))
        )
    except LogboomError as error:
        return Receipt(ok=False, answer=error.message)
    except (smtplib.SMTPException, OSError, ValueError) as error:
        return Receipt(ok=False, answer=make_plain(str(error)) or type(error).__name__)


def decode(words: bytes | str) -> str:
    return words.decode("utf-8", "replace") if isinstance(words, bytes) else words


def make_message(channel: Channel, notification: Notification) -> EmailMessage:
    """Return the mail of a notification; a retry is the same message, with the same id."""
    message = EmailMessage()
    message["Subject"] = notification.title
    message["From"] = Address("Logboom", addr_spec=find_sender(channel))
    message["To"] = ", ".join(channel.to)
    message["Date"] = formatdate(notification.to_ns // NS_PER_S)
    message["Message-ID"] = f"<{notification.key}@logboom>"
    message["Auto-Submitted"] = "auto-generated"
    samples = [
        "  " + ", ".join(f"{name}={value}" for name, value in row.items())
        for row in notification.sample
    ]
    lines = [notification.title, "", *notification.lines, *samples, "", notification.link, ""]
    message.set_content("\n".join(lines))
    return message


def find_sender(channel: Channel) -> str:
    """Return the sender that the server's address names, else its user, else ourselves at that server."""
    parts = urlsplit(channel.smtp_url)
    user = unquote(parts.username or "")
    return read_sender(parts) or (user if "@" in user else f"logboom@{name_domain(parts.hostname)}")


def name_domain(host: str | None) -> str:
    return "localhost" if not host or parse_address(host) else host


def hand_over(channel: Channel, message: EmailMessage) -> Receipt:
    parts = urlsplit(channel.smtp_url)
    host = parts.hostname or ""
    is_secure = parts.scheme == "smtps"
    addresses = resolve_now(host, parts.port or PORTS[parts.scheme])
    with connect(host, addresses, parts.port or PORTS[parts.scheme], is_secure=is_secure) as smtp:
        smtp.ehlo_or_helo_if_needed()
        if not is_secure and smtp.has_extn("starttls"):
            smtp.starttls(context=make_context())
            is_secure = True
        if parts.username:
            check_private(addresses, is_secure=is_secure)
            smtp.login(unquote(parts.username), unquote(parts.password or ""))
        refused = smtp.send_message(message)
    taken = len(channel.to) - len(refused)
    return Receipt(ok=True, status=TAKEN, answer=f"accepted for {taken} of {len(channel.to)}")


def check_private(addresses: list[str], *, is_secure: bool) -> None:
    """Raise Forbidden if a password would be sent unencrypted over a network."""
    is_local = all(address and address.is_loopback for address in map(parse_address, addresses))
    if not is_secure and not is_local:
        raise Forbidden("the server offers no TLS, expected it before a password is sent")


class Client(smtplib.SMTP):
    """Connects to the addresses that were checked, with the name of the server."""

    def __init__(self, host: str, addresses: list[str], *, is_secure: bool) -> None:
        self._addresses = addresses
        self._is_secure = is_secure
        super().__init__(timeout=OPERATION_S)
        self._host = host

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:  # noqa: ARG002
        *others, last = self._addresses
        for address in others:
            with suppress(OSError):
                return self._secure(socket.create_connection((address, port), timeout))
        return self._secure(socket.create_connection((last, port), timeout))

    def _secure(self, plain: socket.socket) -> socket.socket | ssl.SSLSocket:
        if not self._is_secure:
            return plain
        return make_context().wrap_socket(plain, server_hostname=self._host)

    def abort(self) -> None:
        """Abort what is under way, from another thread."""
        with suppress(OSError):
            if self.sock:
                self.sock.shutdown(socket.SHUT_RDWR)


@contextmanager
def connect(host: str, addresses: list[str], port: int, *, is_secure: bool) -> Iterator[Client]:
    """Open a connection that ends after a time limit, however slowly the server responds."""
    smtp = Client(host, addresses, is_secure=is_secure)
    watch = threading.Timer(DEADLINE_S, smtp.abort)
    watch.daemon = True
    watch.start()
    try:
        status, words = smtp.connect(host, port)
        if status != 220:
            raise smtplib.SMTPConnectError(status, words)
        yield smtp
        with suppress(smtplib.SMTPException, OSError):
            smtp.quit()
    finally:
        watch.cancel()
        smtp.close()
