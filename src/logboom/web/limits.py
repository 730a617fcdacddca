"""Limits for the clients of a server."""

from logboom.base.structs import InternalStruct


class ConnectionLimits(InternalStruct, frozen=True):
    """Time limits for sending a head, for stalls and between requests, and the maximum number of connections."""

    head_s: float = 10.0
    stall_s: float = 30.0
    idle_s: int = 75
    connections: int = 4000
