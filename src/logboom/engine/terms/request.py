"""A request to the engine: a query, where it searches, and how much of the answer is wanted."""

import base64
import binascii
import fnmatch
import re
from collections.abc import Mapping
from datetime import UTC, tzinfo
from functools import lru_cache
from typing import NamedTuple

import msgspec
import polars as pl
from msgspec import field

from logboom.base.errors import Invalid
from logboom.base.structs import InternalStruct
from logboom.control.access.globs import EVERY_INDEX, IndexBounds
from logboom.lang.ast import Query
from logboom.lang.notices import Notice

MIN_NS, END_NS = -(2**63), 2**63
"""The bounds of a request without any: every possible time is from the first to before the second."""


class EventKey(NamedTuple):
    """An event's position in the order of answers: newest first, with a stable order of ties."""

    time_ns: int
    node: str
    seq: int


class Request(InternalStruct, frozen=True):
    """A query, and where and when to search.

    `from_ns` is included, `to_ns` is not; `after` continues a page.
    `indexes` are globs of what is requested, `allowed` is what the user may see; `allowed_envs` are environments that
    the query may name beside `envs`, which are always searched.
    """

    query: Query
    envs: tuple[str, ...]
    indexes: tuple[str, ...] = ("*",)
    allowed: IndexBounds = EVERY_INDEX
    allowed_envs: tuple[str, ...] = ()
    from_ns: int = MIN_NS
    to_ns: int = END_NS
    limit: int = 100
    after: EventKey | None = None
    count: bool = False
    raw: bool = False
    now_ns: int = 0
    zone: tzinfo = UTC
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()


@lru_cache(maxsize=256)
def compile_globs(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that matches what any of the globs matches; without globs nothing."""
    return re.compile("|".join(map(fnmatch.translate, globs)) or r"(?!)")


class EventId(NamedTuple):
    """The parts of `_id`."""

    time_ns: int
    node: str
    seq: int

    def __str__(self) -> str:
        return f"{self.time_ns & (1 << 64) - 1:016x}-{self.node}-{self.seq:x}"


ID = re.compile(r"(?P<time>[0-9a-f]{16})-(?P<node>[0-9a-f]{8})-(?P<seq>[0-9a-f]{1,15})")
SIGN_BIT = 1 << 63


def parse_id(text: str) -> EventId | None:
    """Parse an `_id`; return None for any other text."""
    match = ID.fullmatch(text)
    if match is None:
        return None
    time_ns = (int(match["time"], 16) ^ SIGN_BIT) - SIGN_BIT
    return EventId(time_ns, match["node"], int(match["seq"], 16))


def encode_cursor(key: EventKey) -> str:
    return base64.urlsafe_b64encode(msgspec.msgpack.encode(key)).decode().rstrip("=")


def decode_cursor(text: str) -> EventKey:
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        return msgspec.msgpack.decode(data, type=EventKey)
    except (binascii.Error, ValueError, msgspec.MsgspecError) as error:
        raise Invalid("the cursor is not valid, expected one that a search returned") from error
