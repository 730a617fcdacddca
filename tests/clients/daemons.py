"""Log daemons that scripts/system-packages unpacked, run in the foreground for as long as a test needs them."""

import json
import os
import socket
import string
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.clients.sent import COUNT, make_event, make_text
from tests.running import RunningService
from tests.waiting import poll_until

SHIPPERS = Path(__file__).parents[2] / ".venv" / "shippers"
ENDED_WITHIN_S = 10.0


class Configuration(string.Template):
    """A configuration whose open places are written `%name`, as daemons use the dollar themselves."""

    delimiter = "%"


def is_unpacked(name: str) -> bool:
    return (SHIPPERS / name / ".complete").exists()


def list_libraries(root: Path) -> list[str]:
    """Return where the shared libraries of an unpacked daemon are, whatever the machine."""
    patterns = ("usr/lib/*-linux-gnu*", "lib/*-linux-gnu*", "usr/lib/syslog-ng")
    return [str(folder) for pattern in patterns for folder in root.glob(pattern)]


@contextmanager
def run_daemon(root: Path, command: Sequence[str], log: Path) -> Iterator[None]:
    """Run the daemon, with its output in `log`; end it after the context."""
    environment = os.environ | {"LD_LIBRARY_PATH": os.pathsep.join(list_libraries(root))}
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(ENDED_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def send_to_rsyslog(port: Path, messages: bytes) -> None:
    """Send messages over TCP, to the port that rsyslog chose and wrote to a file before it listens."""
    poll_until(lambda: port.exists() and port.read_text() != "", "rsyslog to have a port")
    address = ("127.0.0.1", int(port.read_text()))
    with socket.socket() as connection:
        poll_until(lambda: connection.connect_ex(address) == 0, "rsyslog to listen")
        connection.sendall(messages)


def await_events(service: RunningService, env: str) -> None:
    """Wait until all events have arrived; check for duplicates only after the daemon has ended."""

    def have_come() -> bool:
        service.flush()
        return service.count(env=env) >= COUNT

    poll_until(have_come, f"{COUNT} events in {env}")


def format_messages() -> Iterator[bytes]:
    """Yield a message of RFC 5424 for each event: the event as JSON, with its number in the structured data too."""
    for sequence in range(COUNT):
        event = json.dumps({"message": make_text(sequence), **make_event(sequence)})
        header = f"<12>1 2026-01-02T03:04:05.{sequence:06}Z daemon-host daemon-program 4711 ID7"
        yield f'{header} [test@1 sequence="{sequence}"] {event}\n'.encode()
