"""Runs `logboom` as a separate process, whose output can be read while it runs."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

WITHIN_S = 30.0
FOREIGN = ("SERVICE_", "LOGBOOM_", "PYTHON", "COLUMNS", "FORCE_COLOR")


def make_environment(**variables: str) -> dict[str, str]:
    """Return this process's environment without variables that would change the command's behaviour."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    return kept | variables


def build(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "logboom", *arguments]


def run(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        build(arguments),
        capture_output=True,
        env=make_environment(**variables),
        timeout=WITHIN_S,
        check=False,
    )


@contextmanager
def running(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Run a process that is ended after the context."""
    with subprocess.Popen(
        build(arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=make_environment(),
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()
