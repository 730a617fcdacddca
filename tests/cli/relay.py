"""A relay between a client and a server, whose connections can be cut."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

READ_BYTES = 65_536


class Relay:
    """Passes connections on to a port, each in its own thread; `cuts` are bytes after which one is cut."""

    def __init__(self, port: int, cuts: list[int]) -> None:
        self._target = port
        self._cuts = cuts
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.requests: list[bytes] = []
        self.answers: list[bytes] = []
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._target))
            except ConnectionRefusedError:
                client.close()
                continue
            self._open += [client, server]
            for work in (self._pass_request, self._pass_answer):
                thread = threading.Thread(target=work, args=(client, server))
                self._threads.append(thread)
                thread.start()

    def _pass_request(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := client.recv(READ_BYTES):
                self.requests.append(data)
                server.sendall(data)

    def _pass_answer(self, client: socket.socket, server: socket.socket) -> None:
        left = self._cuts.pop(0) if self._cuts else 1 << 40
        with suppress(OSError):
            while left and (data := server.recv(min(left, READ_BYTES))):
                left -= len(data)
                self.answers.append(data)
                client.sendall(data)
        hang_up(client)
        hang_up(server)

    def cut(self) -> None:
        """Interrupt every connection."""
        for each in self._open:
            hang_up(each)

    def close(self) -> None:
        hang_up(self._listener)
        self.cut()
        for thread in self._threads:
            thread.join()
        for each in (self._listener, *self._open):
            each.close()


def hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def relayed(port: int, *cuts: int) -> Iterator[Relay]:
    relay = Relay(port, list(cuts))
    try:
        yield relay
    finally:
        relay.close()
