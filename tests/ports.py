"""Ports for servers of tests, which stay reserved while the server is down."""

import socket
from collections import deque

KEPT = 200
RESERVATIONS: deque[socket.socket] = deque()
"""The last ones: bound sockets that do not listen. Only a server that asks for the port by number gets it."""


def choose_port() -> int:
    """Return a free port that nobody else gets by chance before a server starts, or between two starts."""
    reservation = socket.socket()
    # Servers set this too; without it on both sides, only one of them could be bound.
    reservation.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reservation.bind(("127.0.0.1", 0))
    RESERVATIONS.append(reservation)
    if len(RESERVATIONS) > KEPT:
        RESERVATIONS.popleft().close()
    return int(reservation.getsockname()[1])
