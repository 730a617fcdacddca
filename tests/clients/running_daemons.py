"""Shippers that run beside the service, with a documented configuration and input to read."""

import re
import shlex
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.clients.daemons import SHIPPERS, is_unpacked, run_daemon, send_to_rsyslog
from tests.clients.documented import Place
from tests.waiting import poll_until

TAKEN_WITHIN_S = 20.0
Feed = Callable[[list[str]], None]
"""Gives lines to a shipper."""
RSYSLOG_INPUT = """
global(workDirectory="{folder}")
module(load="imptcp")
input(type="imptcp" address="127.0.0.1" port="0" listenPortFileName="{folder}/port")
"""
SYSLOG_NG_INPUT = """
@version: 3.38
@include "{root}/usr/share/syslog-ng/include/scl/elasticsearch/elastic-http.conf"
source s_src {{ unix-stream("{folder}/socket"); }};
"""
SYSLOG_NG_4_INPUT = """
@version: current
@include "scl.conf"
source s_src {{ unix-stream("{folder}/socket"); }};
"""


class Daemon(NamedTuple):
    """A shipper, what is missing to run it on this machine, and how to run it."""

    missing: str
    run: Callable[[Place, str], AbstractContextManager[Feed]]


@contextmanager
def run_rsyslog(place: Place, configuration: str) -> Iterator[Feed]:
    folder = place.folder
    root = SHIPPERS / "rsyslog"
    file = folder / "rsyslog.conf"
    file.write_text(RSYSLOG_INPUT.format(folder=folder) + configuration)
    [modules] = root.glob("usr/lib/*/rsyslog")
    command = [str(root / "usr/sbin/rsyslogd"), "-n", "-i", "NONE"]
    command += ["-f", str(file), "-M", str(modules)]
    with run_daemon(root, command, folder / "output"):
        yield lambda lines: send_to_rsyslog(folder / "port", format_messages(lines))


@contextmanager
def run_syslog_ng(place: Place, configuration: str) -> Iterator[Feed]:
    """Run the unpacked syslog-ng."""
    root = SHIPPERS / "syslog-ng"
    [modules] = root.glob("usr/lib/syslog-ng/[0-9]*")
    command = [str(root / "usr/sbin/syslog-ng"), f"--module-path={modules}"]
    head = SYSLOG_NG_INPUT.format(root=root, folder=place.folder)
    with listen_at_socket(root, command, place.folder, head + configuration) as feed:
        yield feed


@contextmanager
def run_syslog_ng_4(place: Place, configuration: str) -> Iterator[Feed]:
    """Run the syslog-ng on the path."""
    head = SYSLOG_NG_4_INPUT.format(folder=place.folder)
    folder = place.folder
    with listen_at_socket(folder, ["syslog-ng"], folder, head + configuration) as feed:
        yield feed


@contextmanager
def listen_at_socket(
    root: Path, command: list[str], folder: Path, configuration: str
) -> Iterator[Feed]:
    """Run syslog-ng with a configuration whose source is a socket in the folder."""
    (folder / "syslog-ng").mkdir()
    file = folder / "syslog-ng.conf"
    file.write_text(configuration.lstrip())
    command = [*command, "-F", "--no-caps", "--stderr", "-f", str(file)]
    command += [f"--persist-file={folder}/persist", f"--control={folder}/control"]
    command += [f"--pidfile={folder}/pid"]
    with run_daemon(root, command, folder / "output"):
        yield lambda lines: send_to_socket(folder / "socket", format_messages(lines))


@contextmanager
def follow_file(command: str, suffix: str, place: Place, configuration: str) -> Iterator[Feed]:
    """Run a shipper that follows the files below `/var/log/app` of its configuration."""
    folder = place.folder
    file = folder / f"configuration{suffix}"
    file.write_text(configuration)
    log = folder / "app" / "app.log"
    log.parent.mkdir()
    log.touch()
    arguments = shlex.split(command.format(file=file, folder=folder))
    with run_daemon(folder, arguments, folder / "output"):
        yield lambda lines: append(log, lines)


def format_messages(lines: list[str]) -> bytes:
    """Return the lines as messages that programs write to the log socket of the system."""
    return "".join(f"<13>Mar  2 10:00:00 app: {line}\n" for line in lines).encode()


def send_to_socket(path: Path, messages: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(TAKEN_WITHIN_S)
        poll_until(lambda: connection.connect_ex(str(path)) == 0, "syslog-ng to listen")
        connection.sendall(messages)


def append(path: Path, lines: list[str]) -> None:
    with path.open("a") as file:
        file.write("".join(f"{line}\n" for line in lines))


RSYSLOG = Daemon(
    ""
    if is_unpacked("rsyslog") and shutil.which("jq")
    else "needs rsyslog and jq, see scripts/system-packages",
    run_rsyslog,
)
SYSLOG_NG = Daemon(
    "" if is_unpacked("syslog-ng") else "needs syslog-ng, see scripts/system-packages",
    run_syslog_ng,
)


def find_syslog_ng(oldest: tuple[int, int]) -> Daemon:
    """Return the syslog-ng on the path, if it is not older than this."""
    missing = f"needs syslog-ng {oldest[0]}.{oldest[1]} or later on the path"
    if shutil.which("syslog-ng"):
        said = subprocess.run(["syslog-ng", "--version"], capture_output=True, text=True)
        version = re.search(r"syslog-ng (?:\S+ )?\(?(\d+)\.(\d+)", said.stdout)
        if version and tuple(map(int, version.groups())) >= oldest:
            missing = ""
    return Daemon(missing, run_syslog_ng_4)


SYSLOG_NG_4 = find_syslog_ng((4, 2))


def find_follower(command: str, suffix: str = ".yaml") -> Daemon:
    """Return a shipper that is installed if its program, the first word of the command, is on the path.

    Some tell the language of a configuration by the suffix of its file.
    """
    program = command.partition(" ")[0]
    missing = "" if shutil.which(program) else f"needs {program} on the path"
    return Daemon(missing, partial(follow_file, command, suffix))


FLUENT_BIT = find_follower("fluent-bit -c {file}")
FLUENTD = find_follower("fluentd -c {file}", ".conf")
FILEBEAT = find_follower("filebeat -c {file} --path.home {folder}/filebeat")
PROMTAIL = find_follower("promtail -config.file={file}")
COLLECTOR = find_follower("otelcol-contrib --config {file}")
