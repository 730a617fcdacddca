"""Limits for the clients of a server."""

from logboom.base.structs import InternalStruct


class ConnectionLimits(InternalStruct, frozen=True):
    """Seconds to send a head, without progress, and between requests; maximum number of connections."""

    head_s: float = 10.0
    stall_s: float = 30.0
    idle_s: int = 75
    connections: int = 4000
