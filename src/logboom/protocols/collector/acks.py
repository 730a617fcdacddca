"""Stateless acknowledgement ids: nothing is stored, and they are valid on every node and after a restart.

An id is a count and a code over it and the channel, so that only the service can make one. It is issued when the
events of its request are durable, and stays valid forever.
"""

import hmac
import secrets
from collections.abc import Iterable
from itertools import count
from uuid import UUID

PURPOSE = b"event collector acknowledgements"
COUNT_BITS = 21
CODE_BITS = 32
"""BlockGroup 53 bits, the most that JSON numbers keep everywhere."""
NUMBERS = count(secrets.randbelow(1 << COUNT_BITS))
"""Starts at a random value, so that ids from before a restart are not soon issued again."""


def issue_ack(key: bytes, channel: UUID) -> int:
    """Return a new id for a request on this channel, all of whose events are durable."""
    number = next(NUMBERS) % (1 << COUNT_BITS)
    return number << CODE_BITS | compute_code(key, channel, number)


def check_acks(key: bytes, channel: UUID, ids: Iterable[int]) -> dict[str, bool]:
    """Return which of these ids were issued on this channel."""
    return {str(each): is_issued(key, channel, each) for each in ids}


def is_issued(key: bytes, channel: UUID, ack_id: int) -> bool:
    number, code = divmod(ack_id, 1 << CODE_BITS)
    return 0 <= number < 1 << COUNT_BITS and code == compute_code(key, channel, number)


def compute_code(key: bytes, channel: UUID, number: int) -> int:
    message = channel.bytes + number.to_bytes(4, "big")
    return int.from_bytes(hmac.digest(key, message, "sha256")[: CODE_BITS // 8], "big")
