"""A connection between a browser and a service that can be cut, or stopped in the middle of an answer."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer

PIECE_BYTES = 16 << 10


class Wire:
    """Passes bytes on to a service, until it is told to stop."""

    def __init__(self, upstream: int) -> None:
        self.upstream = upstream
        self.port = 0
        self._is_cut = threading.Event()
        """While set, whoever connects is sent away."""
        self.reached = threading.Event()
        """An answer has come to where it stops."""
        self._released = threading.Event()
        self._held = b""
        self._held_after = 0
        self._open: set[socket.socket] = set()

    def hold(self, request: bytes, after_bytes: int) -> None:
        """Stop answers to such requests after so many bytes, until they are released."""
        self._held, self._held_after = request, after_bytes
        self.reached.clear()
        self._released.clear()

    def release(self) -> None:
        self._held = b""
        self._released.set()

    def cut(self) -> None:
        """Abort all connections, and refuse new ones."""
        self._is_cut.set()
        for end in list(self._open):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        # Not before: what was held back would go through.
        self.release()

    def mend(self) -> None:
        self._is_cut.clear()

    def join(self, near: socket.socket) -> None:
        """Pass on bytes between a browser and the service until one of them closes the connection."""
        if self._is_cut.is_set():
            return
        far = socket.create_connection(("127.0.0.1", self.upstream))
        passing = Passing(self, near, far)
        ends = {near, far}
        self._open |= ends
        if self._is_cut.is_set():  # meanwhile, and it ended those that were open then
            passing.end()
        answers = threading.Thread(target=passing.pass_answers)
        answers.start()
        passing.pass_requests()
        answers.join()
        self._open -= ends
        far.close()

    def waits_for(self, request: bytes) -> int | None:
        """Return after how many bytes the answer to a request stops."""
        return self._held_after if self._held and self._held in request else None

    def stop(self) -> None:
        self.reached.set()
        self._released.wait()


class Passing:
    """One connection through a wire."""

    def __init__(self, wire: Wire, near: socket.socket, far: socket.socket) -> None:
        self._wire = wire
        self._near = near
        self._far = far
        self._left: int | None = None

    def pass_requests(self) -> None:
        with suppress(OSError):
            while piece := self._near.recv(PIECE_BYTES):
                left = self._wire.waits_for(piece)
                # A body may come on its own, after its head.
                self._left = self._left if left is None else left
                self._far.sendall(piece)
        self.end()

    def pass_answers(self) -> None:
        with suppress(OSError):
            while piece := self._far.recv(PIECE_BYTES):
                left = self._left
                if left is not None:
                    self._near.sendall(piece[:left])
                    self._left = left - len(piece)
                    if left > len(piece):
                        continue
                    self._wire.stop()
                    self._left = None
                    piece = piece[left:]
                self._near.sendall(piece)
        self.end()

    def end(self) -> None:
        for end in (self._near, self._far):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextmanager
def laid(upstream: int) -> Iterator[Wire]:
    """Run a wire to the service that listens on a port."""
    wire = Wire(upstream)

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            wire.join(self.request)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler, bind_and_activate=False) as server:
        server.server_bind()
        server.server_activate()
        wire.port = int(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield wire
        finally:
            wire.cut()
            server.shutdown()
            thread.join()
