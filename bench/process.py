"""The server as a child process: started, watched through /proc, stopped."""

import http.client
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bench.client import Client, WrongAnswerError

START_LIMIT_S = 120
STOP_LIMIT_S = 120
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Server:
    """A server that was ready `ready_s` after its start; it leads a session of its own."""

    pid: int
    port: int
    ready_s: float

    def connect(self, token: str = "") -> Client:
        return Client(self.port, token)

    def set_up(self) -> str:
        """Create the admin account; return a token that outlives restarts."""
        return self.connect().set_up(secrets.token_urlsafe(16))

    def cpu_s(self) -> float:
        """Return the CPU time used so far, children included, in finer steps than /proc/PID/stat has."""
        return sum(read_cpu_s(pid) for pid in self._processes())

    def peak_bytes(self) -> int:
        return sum(read_status_bytes(pid, "VmHWM") for pid in self._processes())

    def resident_bytes(self) -> int:
        return sum(read_status_bytes(pid, "VmRSS") for pid in self._processes())

    def settle(self, limit_s: float = 20) -> None:
        """Wait until the server has nothing left to do in the background."""
        deadline_s = time.monotonic() + limit_s
        used_s = self.cpu_s()
        while time.monotonic() < deadline_s:
            time.sleep(0.25)
            before_s, used_s = used_s, self.cpu_s()
            if used_s - before_s < 0.005:
                return

    def _processes(self) -> list[int]:
        pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        return [pid for pid in pids if read_session(pid) == self.pid]


def read_session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return 0


def read_cpu_s(pid: int) -> float:
    """Return a process's own CPU clock plus what it has waited for; 0 when it is gone."""
    clock = (~pid << 3) | 2  # what clock_getcpuclockid(3) answers on Linux
    with suppress(OSError):
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        reaped_ticks = int(stat[13]) + int(stat[14])
        return time.clock_gettime_ns(clock) / 1e9 + reaped_ticks / TICKS_PER_S
    return 0.0


def read_status_bytes(pid: int, name: str) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return 0


@contextmanager
def serve(data: Path, settings: Mapping[str, str]) -> Iterator[Server]:
    """Run the server on a free port for as long as the block lasts; a clean stop is part of it."""
    port = find_free_port()
    program = Path(sys.executable).with_name("logboom")
    command = [
        str(program),
        "serve",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--data",
        str(data),
    ]
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("SERVICE_")
    }
    log_path = data.with_suffix(".log")
    with log_path.open("ab") as log:
        started_s = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=log, stderr=log, env={**inherited, **settings}, start_new_session=True
        )
    try:
        wait_until_ready(process, port)
        yield Server(process.pid, port, time.perf_counter() - started_s)
        stop(process)
    except WrongAnswerError as error:
        error.add_note(
            f"the end of the server's log:\n{log_path.read_text(errors='replace')[-1000:]}"
        )
        raise
    finally:
        kill(process)


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_ready(process: subprocess.Popen[bytes], port: int) -> None:
    deadline_s = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline_s:
        if process.poll() is not None:
            raise WrongAnswerError(f"the server ended with exit status {process.returncode}")
        if is_ready(port):
            return
        time.sleep(0.005)
    raise WrongAnswerError(f"the server was not ready within {START_LIMIT_S} s")


def is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/ready")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_LIMIT_S)
    except subprocess.TimeoutExpired as error:
        raise WrongAnswerError(f"the server did not stop within {STOP_LIMIT_S} s") from error
    if process.returncode not in (0, -signal.SIGTERM):
        raise WrongAnswerError(f"the server stopped with exit status {process.returncode}")


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill all processes of the session; processes that have ended already are no error."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
