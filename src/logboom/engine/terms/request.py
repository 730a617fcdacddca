"""What is asked of the engine: a query, where it looks, and how much of the answer is wanted."""

import base64
import binascii
import fnmatch
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import NamedTuple

import msgspec
import polars as pl

from logboom.base.errors import Invalid
from logboom.control.access.globs import EVERY_INDEX, IndexBounds
from logboom.lang.ast import Query
from logboom.lang.notices import Notice

MIN_NS, END_NS = -(2**63), 2**63
"""The bounds of a request that has none: every time there can be is from the first to before the second."""


class EventKey(NamedTuple):
    """An event's place in the order of answers: newest first, ties broken for ever the same way."""

    time_ns: int
    node: str
    seq: int


@dataclass(frozen=True)
class Request:
    """`from_ns` is included, `to_ns` is not; `after` continues a page.

    `indexes` are globs of what is asked for, `allowed` is what the asker may see; `allowed_envs` are
    environments that the query may name beside `envs`, which are looked at in any case.
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


def compile_globs(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Matches what any of the globs does; without globs that is nothing."""
    return re.compile("|".join(map(fnmatch.translate, globs)) or r"(?!)")


class EventId(NamedTuple):
    """The parts of `_id`."""

    time_ns: int
    node: str
    seq: int

    def __str__(self) -> str:
        return f"{self.time_ns & (1 << 64) - 1:016x}-{self.node}-{self.seq:x}"


def encode_cursor(key: EventKey) -> str:
    return base64.urlsafe_b64encode(msgspec.msgpack.encode(key)).decode().rstrip("=")


def decode_cursor(text: str) -> EventKey:
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        return msgspec.msgpack.decode(data, type=EventKey)
    except (binascii.Error, ValueError, msgspec.MsgspecError) as error:
        raise Invalid("cursor is not one that a search gave out") from error
