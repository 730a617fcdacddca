"""Simulates a faulty disk, by replacing functions of `os`."""

import errno
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

Call = Callable[..., object]
PATIENCE_S = 20.0


def fail(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def name_of(handle: int) -> str:
    """Return the path behind an open file."""
    return os.readlink(f"/proc/self/fd/{handle}")


@contextmanager
def replaced(call: str, make: Callable[[Call], Call]) -> Iterator[None]:
    """Replace a function of `os`; `make` gets the real one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, call, make(getattr(os, call)))
        yield


@contextmanager
def failing(
    call: str, number: int = errno.EIO, *, when: Callable[..., bool] = lambda *_args: True
) -> Iterator[list[tuple[object, ...]]]:
    """Let `os.<call>` fail if `when` accepts its arguments; yields the arguments of the failed calls."""
    failed: list[tuple[object, ...]] = []

    def make(real: Call) -> Call:
        def call_or_fail(*args: object, **kwargs: object) -> object:
            if when(*args):
                failed.append(args)
                raise fail(number)
            return real(*args, **kwargs)

        return call_or_fail

    with replaced(call, make):
        yield failed


class Gate:
    """Holds calls of `os` back: `reached` when one has come, which goes on after `go_on`."""

    def __init__(self) -> None:
        self.calls = 0
        self.reached = threading.Event()
        self.go_on = threading.Event()

    @contextmanager
    def holding(self, call: str, when: Callable[..., bool] = lambda *_args: True) -> Iterator[None]:
        def make(real: Call) -> Call:
            def call_later(*args: object, **kwargs: object) -> object:
                if when(*args):
                    self.calls += 1
                    self.reached.set()
                    assert self.go_on.wait(PATIENCE_S)
                return real(*args, **kwargs)

            return call_later

        with replaced(call, make):
            try:
                yield
            finally:
                self.go_on.set()

    def wait(self) -> None:
        assert self.reached.wait(PATIENCE_S)


def behind(part: str) -> Callable[[int], bool]:
    """Return a test for calls that take a handle: whether the file's path ends with `part`."""
    return lambda handle: name_of(handle).endswith(part)
