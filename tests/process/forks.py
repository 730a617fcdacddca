"""Servers forked from a process that has imported everything already: most of a start is imports.

Such a server is a process like any other, with its own session, environment and log. What is tested about the start
itself runs the command as users do.
"""

import atexit
import gc
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, NoReturn

NUMBER = struct.Struct("!q")
READY = b"+"
GO = b"+"
DASK = "dask"


class Order(NamedTuple):
    """A command to run, and its environment."""

    arguments: list[str]
    environment: dict[str, str]
    log: str
    is_held: bool


class Forked:
    """A forked server, as far as `subprocess.Popen` is needed of it."""

    def __init__(self, keeper: socket.socket) -> None:
        self._keeper = keeper
        self.pid = self._receive()
        self._code: int | None = None

    def release(self) -> None:
        """Let a server run that is held."""
        self._keeper.sendall(GO)

    def poll(self) -> int | None:
        with suppress(BlockingIOError, TimeoutError):
            return self.wait(0)
        return None

    def wait(self, within_s: float) -> int:
        if self._code is None:
            self._keeper.settimeout(within_s)
            self._code = self._receive()
            self._keeper.close()
        return self._code

    def _receive(self) -> int:
        data = self._keeper.recv(NUMBER.size, socket.MSG_WAITALL)
        (number,) = NUMBER.unpack(data)
        return int(number)


def start_forked(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    log: Path,
    *,
    is_held: bool = False,
    has_dask: bool = False,
) -> Forked:
    """Run `logboom` with these arguments; its output is appended to a log.

    One that is held does nothing before its release. One that needs Dask is forked from a process that has loaded it.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        order = pickle.dumps(Order(list(arguments), dict(environment), str(log), is_held))
        socket.send_fds(start_mother(has_dask).orders, [order], [theirs.fileno()])
    return Forked(ours)


class Mother(NamedTuple):
    """The process that forks; it ends with this one, whose end of the socket it reads from."""

    process: subprocess.Popen[bytes]
    orders: socket.socket


@lru_cache(maxsize=2)
def start_mother(has_dask: bool) -> Mother:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "tests.process.forks", str(theirs.fileno())]
    command += [DASK] if has_dask else []
    with theirs:
        process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, start_new_session=True
        )
    assert ours.recv(1) == READY
    return Mother(process, ours)


def fork_on_order(orders: socket.socket) -> None:
    """Fork a keeper for each order, until the other end of the socket is closed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    orders.send(READY)
    while True:
        data, descriptors, _, _ = socket.recv_fds(orders, 1 << 20, 1)
        if not data:
            return
        if os.fork() == 0:
            orders.close()
            keep(pickle.loads(data), socket.socket(fileno=descriptors[0]))
        os.close(descriptors[0])


def keep(order: Order, asker: socket.socket) -> NoReturn:
    """Run the order in a child; report its process id, and how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        os.setsid()
        if order.is_held:
            asker.recv(len(GO))
        asker.close()
        run(order)
    with suppress(BrokenPipeError, ConnectionResetError):
        asker.sendall(NUMBER.pack(pid))
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert ended is not None
        code = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
        asker.sendall(NUMBER.pack(code))
        # Until the asker knows, the process id must not become that of another process.
        asker.recv(1)
    os.waitpid(pid, 0)
    os._exit(0)


def run(order: Order) -> NoReturn:
    from logboom.cli import main  # noqa: PLC0415 # only here: a test needs the rest of this module

    output = os.open(order.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.dup2(output, sys.stdout.fileno())
    os.dup2(output, sys.stderr.fileno())
    os.close(output)
    os.environ.clear()
    os.environ.update(order.environment)
    sys.argv = ["logboom", *order.arguments]
    # The collection at the end would copy every page that is shared with the process this one was forked from.
    atexit.register(gc.freeze)
    main()
    sys.exit()


def load_modules() -> None:
    """Import what servers import, also what they import late, and do what each of them would do again."""
    # Only here: a test needs the rest of this module.
    import typer._adapters  # noqa: F401, PLC0415 # loads Pydantic when the first command is parsed
    from tests.hashing import hash_quickly  # noqa: PLC0415

    import logboom.server  # noqa: F401, PLC0415
    from logboom.application import find_routes  # noqa: PLC0415
    from logboom.base.structs import prepare_structs  # noqa: PLC0415
    from logboom.model.shredder import open_shredder  # noqa: PLC0415
    from logboom.protocols.routes import TABLE  # noqa: PLC0415

    hash_quickly()
    find_routes()
    TABLE.find("GET", "/ready")
    prepare_structs()
    open_shredder()


def load_dask() -> None:
    """Import what schedulers and workers import."""
    import logboom.engine.cluster.scheduler  # noqa: PLC0415
    import logboom.engine.cluster.worker  # noqa: F401, PLC0415


if __name__ == "__main__":
    load_modules()
    if DASK in sys.argv:
        load_dask()
    fork_on_order(socket.socket(fileno=int(sys.argv[1])))
