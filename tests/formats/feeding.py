"""Feeds readers with chunks, and collects the result."""

from collections.abc import Iterable
from typing import Any

import msgspec
from hypothesis import strategies as st

from logboom.formats import open_reader
from logboom.formats.reader import Options

PLAIN = Options()
Read = tuple[list[bytes], int]
"""The lines that are not blank, and the faults among them."""


def read(format: str, chunks: Iterable[bytes], options: Options = PLAIN) -> Read:
    reader = open_reader(format, options)
    pieces = [*map(reader.feed, chunks), reader.finish()]
    lines = b"\n".join(piece.data for piece in pieces).split(b"\n")
    return [line for line in lines if line.strip()], sum(piece.faults for piece in pieces)


def read_events(format: str, text: str, options: Options = PLAIN) -> list[dict[str, Any]]:
    lines, _ = read(format, [text.encode()], options)
    return [msgspec.json.decode(line) for line in lines]


@st.composite
def chunked(draw: st.DrawFn, lines: st.SearchStrategy[bytes]) -> list[bytes]:
    """Return a text in chunks of whole lines."""
    pieces = draw(st.lists(st.lists(lines, max_size=5), max_size=5))
    return [b"".join(line + b"\n" for line in piece) for piece in pieces]
