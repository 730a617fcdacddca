"""What the clients of a server may take."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Seconds to send a head, without a byte moving, and between requests; connections at once."""

    head_s: float = 10.0
    stall_s: float = 30.0
    idle_s: int = 75
    connections: int = 4000
