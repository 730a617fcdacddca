"""Injects faults with strace: counts a server's system calls, fails them, or kills the server at one of them."""

import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

DURABLE_CALLS = "fsync,fdatasync,link,linkat,rename,renameat,renameat2,unlink,unlinkat,ftruncate"
CALL = re.compile(r"^(\d+) +(\w+)\(")
KILLED = re.compile(r"= \?$|killed by SIGKILL", re.MULTILINE)
DETACH_WITHIN_S = 2.0


class AttachError(Exception):
    """The tracer could not attach to the process."""


def require_strace() -> None:
    """Skip, saying why, where strace is missing or may not attach to a process."""
    if hindrance := find_hindrance():
        pytest.skip(hindrance)


@cache
def find_hindrance() -> str:
    """Return why strace cannot be used, empty if it can."""
    if not shutil.which("strace"):
        return "needs strace"
    sleeper = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        with attached(sleeper.pid, ["-e", "trace=none"]):
            return ""
    except AttachError as error:
        return f"strace may not attach here: {error}"
    finally:
        sleeper.communicate(b"\n")


@contextmanager
def attached(pid: int, options: list[str]) -> Iterator[None]:
    """Attach strace with `options` to every thread of a running process while the context lasts."""
    command = ["strace", "-f", *options, "-p", str(pid)]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert tracer.stderr is not None
    try:
        first_line = tracer.stderr.readline()
        if "attached" not in first_line:
            raise AttachError(first_line.strip())
        yield
    finally:
        _detach(tracer)


def _detach(tracer: subprocess.Popen[str]) -> None:
    """End a tracer; one whose process is dying at this moment may miss the signal and is killed."""
    tracer.send_signal(signal.SIGINT)
    try:
        tracer.communicate(timeout=DETACH_WITHIN_S)
    except subprocess.TimeoutExpired:
        tracer.kill()
        tracer.communicate()


def watch(trace: Path, calls: str = DURABLE_CALLS) -> list[str]:
    """Return the options that write each of `calls` to `trace`."""
    return ["-o", str(trace), "-e", f"trace={calls}"]


def inject(trace: Path, calls: str, effect: str) -> list[str]:
    """Return the options that apply `effect` (`error=EIO`, `signal=SIGKILL:when=3`, …) to `calls`."""
    return [*watch(trace, calls), "-e", f"inject={calls}:{effect}"]


def was_killed(trace: Path) -> bool:
    """Return whether the traced process died of a kill that was injected."""
    return KILLED.search(trace.read_text()) is not None


def read_highest_counts(trace: Path) -> dict[str, int]:
    """Return for each call the highest N for which `when=N` can apply; strace counts each thread separately."""
    counts: Counter[tuple[str, str]] = Counter()
    for line in trace.read_text().splitlines():
        # A call that is newer than strace is in every trace, asked for or not.
        if (match := CALL.match(line)) and not match[2].startswith("syscall_"):
            counts[match[1], match[2]] += 1
    highest: dict[str, int] = {}
    for (_, call), count in counts.items():
        highest[call] = max(highest.get(call, 0), count)
    return highest
