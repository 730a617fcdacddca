"""The listening socket."""

import errno
import socket
import sys

import pytest

from logboom.web.server.listening import end_silent, open_listener


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has this option")
def test_a_connection_ends_when_its_client_acknowledges_nothing() -> None:
    with open_listener("127.0.0.1", 0) as listener, socket.socket() as client:
        end_silent(listener, 200)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(listener.getsockname())
        connection, _ = listener.accept()
        with connection, pytest.raises(TimeoutError) as ended:
            connection.sendall(bytes(64 << 20))
    assert ended.value.errno == errno.ETIMEDOUT


def test_connections_inherit_what_ends_them() -> None:
    with open_listener("127.0.0.1", 0) as listener, socket.socket() as client:
        client.connect(listener.getsockname())
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
            if sys.platform == "linux":
                assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) > 0
