"""Senders of syslog as they are: Python's handler, logger, rsyslog and syslog-ng, by every transport they have."""

import logging.handlers
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.clients.daemons import (
    SHIPPERS,
    Configuration,
    await_events,
    format_messages,
    is_unpacked,
    run_daemon,
    send_to_rsyslog,
)
from tests.clients.sent import COUNT, Fields, check_fields, check_sequence, list_events
from tests.running import RunningService
from tests.sources.syslog_bed import LOOPBACK, Bed
from tests.waiting import poll_until
from tests.web.identities import make_identity

PAGE = Path(__file__).parents[2] / "docs" / "syslog.md"
SENT = {"sender": LOOPBACK, "source": "syslog", "_index": "syslog"}
FROM_DAEMON = {
    **SENT,
    "hostname": "daemon-host",
    "app_name": "daemon-program",
    "proc_id": "4711",
    "level": "warning",
    "facility": 1,
}

needs_logger = pytest.mark.skipif(not shutil.which("logger"), reason="needs logger of util-linux")
needs_rsyslog = pytest.mark.skipif(
    not is_unpacked("rsyslog"), reason="needs rsyslog, see scripts/system-packages"
)
needs_syslog_ng = pytest.mark.skipif(
    not is_unpacked("syslog-ng"), reason="needs syslog-ng, see scripts/system-packages"
)


@pytest.fixture
def bed(service: RunningService, env: str) -> Iterator[Bed]:
    """A listener for the environment of the test, beside the shared service."""
    bed = Bed(service.store, service.control)
    try:
        bed.switch_on(env=env)
        yield bed
        bed.set(enabled=False, tls_cert="", tls_key="")
    finally:
        bed.close()


def await_rows(service: RunningService, env: str, number: int) -> list[Fields]:
    """So many events, or more if there are."""

    def have_come() -> bool:
        service.flush()
        return service.count(env=env) >= number

    poll_until(have_come, f"{number} events in {env}")
    return list_events(service, env)


@pytest.mark.parametrize("kind", [socket.SOCK_DGRAM, socket.SOCK_STREAM], ids=["UDP", "TCP"])
def test_the_handler_of_python(
    service: RunningService, env: str, bed: Bed, kind: socket.SocketKind
) -> None:
    """It ends messages with a NUL, and has line feeds inside of them."""
    handler = logging.handlers.SysLogHandler(
        (LOOPBACK, bed.port), logging.handlers.SysLogHandler.LOG_LOCAL3, kind
    )
    handler.ident = "my-app: "
    for number in range(100):
        text = f"event {number} says “hello”\n  and more\n"
        handler.handle(logging.makeLogRecord({"msg": text, "levelname": "ERROR"}))
    handler.close()
    rows = await_rows(service, env, 100)
    texts = {f"event {number} says “hello”\n  and more" for number in range(100)}
    assert {row["message"] for row in rows} == texts
    assert len(rows) == 100
    for row in rows:
        expected = {"app_name": "my-app", "hostname": LOOPBACK, "facility": 19, "level": "error"}
        check_fields(row, SENT | expected)


LOGGER: dict[str, Sequence[str]] = {
    "UDP": ("-d",),
    "UDP, RFC 3164": ("-d", "--rfc3164"),
    "TCP": ("-T",),
    "TCP, RFC 3164": ("-T", "--rfc3164"),
    "TCP, counted": ("-T", "--octet-count"),
    "TCP, counted, RFC 3164": ("-T", "--octet-count", "--rfc3164"),
    "TCP, RFC 5424 without time, zone and host": ("-T", "--rfc5424=notime,notq,nohost"),
}


@needs_logger
@pytest.mark.parametrize("options", LOGGER.values(), ids=LOGGER)
def test_logger(
    service: RunningService, env: str, bed: Bed, tmp_path: Path, options: Sequence[str]
) -> None:
    file = tmp_path / "lines"
    file.write_text("".join(f"{number} of 20 lines\n" for number in range(20)))
    address = ["-n", LOOPBACK, "-P", str(bed.port)]
    names = ["-t", "backup", "--id=77", "-p", "local0.err"]
    subprocess.run(["logger", *address, *options, *names, "-f", str(file)], check=True, timeout=20)
    rows = await_rows(service, env, 20)
    assert {row["message"] for row in rows} == set(file.read_text().splitlines())
    assert len(rows) == 20
    named = LOOPBACK if "nohost" in options[-1] else socket.gethostname().partition(".")[0]
    for row in rows:
        check_fields(row, SENT | {"app_name": "backup", "proc_id": "77", "level": "error"})
        assert str(row["hostname"]).partition(".")[0] == named.partition(".")[0]


def read_block(begin: str) -> str:
    """The block of code of the page on syslog that begins so."""
    found = re.findall(r"^```\w*\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    [block] = [text for text in found if text.startswith(begin)]
    return str(block)


PROGRAMS = {
    "logger": ("bash", read_block("logger"), "the disk is almost full"),
    "Python": (sys.executable, read_block("import"), "one message\nof two lines"),
}


@needs_logger
@pytest.mark.parametrize(("interpreter", "program", "message"), PROGRAMS.values(), ids=PROGRAMS)
def test_the_programs_of_the_page_work(
    service: RunningService, env: str, bed: Bed, interpreter: str, program: str, message: str
) -> None:
    here = program.replace("5514", str(bed.port))
    subprocess.run([interpreter, "-c", here], check=True, timeout=20)
    assert [row["message"] for row in await_rows(service, env, 1)] == [message]


RSYSLOG = Configuration(r"""
module(load="imptcp")
input(type="imptcp" address="127.0.0.1" port="0" listenPortFileName="%{folder}/port")
action(type="omfwd" target="127.0.0.1" port="%port" %options)
""")
FORWARDING = {
    "UDP": 'protocol="udp" template="RSYSLOG_SyslogProtocol23Format"',
    "TCP": 'protocol="tcp" template="RSYSLOG_SyslogProtocol23Format"',
    "TCP, counted": 'protocol="tcp" TCP_Framing="octet-counted" template="RSYSLOG_SyslogProtocol23Format"',
}
OLD_FORWARDING = {
    "UDP, its default": 'protocol="udp"',
    "TCP, its default": 'protocol="tcp"',
    "TCP, counted": 'protocol="tcp" TCP_Framing="octet-counted"',
    "TCP, RFC 3164": 'protocol="tcp" template="RSYSLOG_TraditionalForwardFormat"',
}


@contextmanager
def forward(bed: Bed, folder: Path, options: str, messages: bytes) -> Iterator[None]:
    """Have rsyslog pass messages on, while the caller looks."""
    configuration = folder / "rsyslog.conf"
    configuration.write_text(RSYSLOG.substitute(folder=folder, port=bed.port, options=options))
    root = SHIPPERS / "rsyslog"
    [modules] = root.glob("usr/lib/*/rsyslog")
    command = [str(root / "usr/sbin/rsyslogd"), "-n", "-i", "NONE"]
    command += ["-f", str(configuration), "-M", str(modules)]
    with run_daemon(root, command, folder / "log"):
        send_to_rsyslog(folder / "port", messages)
        yield
    assert (folder / "log").read_text() == ""


def check_modern(rows: list[Fields]) -> None:
    """All messages of `format_messages`, with all that they say."""
    field = "test@1.sequence"
    for sequence, row in enumerate(check_sequence(rows, field)):
        check_fields(row, FROM_DAEMON | {"msg_id": "ID7", field: str(sequence)})
        assert row["_time"] == f"2026-01-02T03:04:05.{sequence:06}".rstrip("0").rstrip(".") + "Z"
        assert f'"sequence": {sequence},' in row["message"]


def format_old_messages() -> bytes:
    header = "<12>Jan  2 03:04:05 daemon-host daemon-program[4711]:"
    return "".join(f"{header} event {number} of päths\n" for number in range(COUNT)).encode()


def check_old(rows: list[Fields]) -> None:
    texts = sorted(f"event {number} of päths" for number in range(COUNT))
    assert sorted(row["message"] for row in rows) == texts
    for row in rows:
        check_fields(row, FROM_DAEMON)
        assert row["_time"].endswith("-01-02T03:04:05Z")


@needs_rsyslog
@pytest.mark.parametrize("options", FORWARDING.values(), ids=FORWARDING)
def test_rsyslog(service: RunningService, env: str, bed: Bed, tmp_path: Path, options: str) -> None:
    with forward(bed, tmp_path, options, b"".join(format_messages())):
        await_events(service, env)
    check_modern(list_events(service, env))


@needs_rsyslog
@pytest.mark.parametrize("options", OLD_FORWARDING.values(), ids=OLD_FORWARDING)
def test_rsyslog_with_old_formats(
    service: RunningService, env: str, bed: Bed, tmp_path: Path, options: str
) -> None:
    with forward(bed, tmp_path, options, format_old_messages()):
        await_events(service, env)
    check_old(list_events(service, env))


SYSLOG_NG = Configuration(r"""
@version: 3.38
options { keep-hostname(yes); frac-digits(6); };
source messages { file("%{folder}/messages" flags(%flags)); };
destination service { %destination };
log { source(messages); destination(service); };
""")
DESTINATIONS = {
    "syslog() UDP": 'syslog("127.0.0.1" port(%port) transport("udp"));',
    "syslog() TCP": 'syslog("127.0.0.1" port(%port) transport("tcp"));',
    "syslog() TLS": 'syslog("127.0.0.1" port(%port) transport("tls") tls(%trust));',
    "network() TCP": 'network("127.0.0.1" port(%port) flags(syslog-protocol));',
    "network() TLS": 'network("127.0.0.1" port(%port) transport("tls") flags(syslog-protocol) tls(%trust));',
}
OLD_DESTINATIONS = {
    "network() UDP": 'network("127.0.0.1" port(%port) transport("udp"));',
    "network() TCP": 'network("127.0.0.1" port(%port) transport("tcp"));',
}


@contextmanager
def run_syslog_ng(folder: Path, flags: str, destination: str, messages: bytes) -> Iterator[None]:
    """Have syslog-ng send messages, while the caller looks."""
    (folder / "messages").write_bytes(messages)
    configuration = folder / "syslog-ng.conf"
    configuration.write_text(
        SYSLOG_NG.substitute(folder=folder, flags=flags, destination=destination)
    )
    root = SHIPPERS / "syslog-ng"
    [modules] = root.glob("usr/lib/syslog-ng/[0-9]*")
    command = [str(root / "usr/sbin/syslog-ng"), "-F", "--no-caps", "--stderr"]
    command += ["-f", str(configuration), f"--module-path={modules}"]
    command += [f"--persist-file={folder}/persist", f"--control={folder}/control"]
    command += [f"--pidfile={folder}/pid"]
    with run_daemon(root, command, folder / "log"):
        yield


@needs_syslog_ng
@pytest.mark.parametrize("destination", DESTINATIONS.values(), ids=DESTINATIONS)
def test_syslog_ng(
    service: RunningService, env: str, bed: Bed, tmp_path: Path, destination: str
) -> None:
    identity = make_identity(tmp_path, "server")
    if "%trust" in destination:
        bed.switch_on(tls_cert=str(identity.certificate), tls_key=str(identity.key))
    trust = f'ca-file("{identity.certificate}") peer-verify(required-trusted)'
    filled = Configuration(destination).substitute(port=bed.port, trust=trust)
    with run_syslog_ng(tmp_path, "syslog-protocol", filled, b"".join(format_messages())):
        await_events(service, env)
    check_modern(list_events(service, env))


@needs_syslog_ng
@pytest.mark.parametrize("destination", OLD_DESTINATIONS.values(), ids=OLD_DESTINATIONS)
def test_syslog_ng_with_the_old_format(
    service: RunningService, env: str, bed: Bed, tmp_path: Path, destination: str
) -> None:
    filled = Configuration(destination).safe_substitute(port=bed.port)
    with run_syslog_ng(tmp_path, "expect-hostname", filled, format_old_messages()):
        await_events(service, env)
    check_old(list_events(service, env))
