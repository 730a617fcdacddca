"""Content encodings, decoded piece by piece in bounded memory."""

import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

import brotli

from logboom.base import zstd
from logboom.base.errors import Invalid, TooLarge, UnsupportedEncoding

PIECE_BYTES = 1024 * 1024
ZLIB_HEADER_BYTES = 2
RATIO_LIMIT = 500
RATIO_FREE_BYTES = 64 * 1024 * 1024
WINDOW_BITS = 23
"""Of zstd, as RFC 9659 limits it."""
WINDOW_BYTES = 1 << WINDOW_BITS
"""How much of what they made decoders remember, at most."""


class Decoder(Protocol):
    """Decodes one encoding."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield decoded pieces of bounded size."""

    def finish(self) -> Iterator[bytes]:
        """Yield the pieces that could be decoded only at the end; raise Invalid if the stream ended too early."""


class IdentityDecoder:
    """Passes everything on."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> Iterator[bytes]:
        yield from ()


class ZlibDecoder:
    """gzip or zlib, any number of members."""

    def __init__(self, name: str, window_bits: int) -> None:
        self._name = name
        self._window_bits = window_bits
        self._decoder = zlib.decompressobj(window_bits)
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        has_more = bool(data)
        self._started = self._started or has_more
        while has_more:
            if self._decoder.eof:
                self._decoder = zlib.decompressobj(self._window_bits)
            try:
                piece = self._decoder.decompress(data, PIECE_BYTES)
            except zlib.error as error:
                raise Invalid(f"the body is not valid {self._name}: {error}") from error
            if piece:
                yield piece
            data = self._decoder.unconsumed_tail or self._decoder.unused_data
            # All input may be consumed while output is still pending.
            has_more = bool(data) or (len(piece) == PIECE_BYTES and not self._decoder.eof)

    def finish(self) -> Iterator[bytes]:
        if self._started and not self._decoder.eof:
            raise Invalid(f"the {self._name} body is truncated")
        yield from ()


class DeflateDecoder:
    """deflate with the zlib header that the standard requires, or without, as some clients send it."""

    def __init__(self) -> None:
        self._head = b""
        self._decoder: ZlibDecoder | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._decoder is None:
            self._head += data
            if len(self._head) < ZLIB_HEADER_BYTES:
                return
            data = self._head
            has_header = data[0] & 0x0F == zlib.DEFLATED and (data[0] << 8 | data[1]) % 31 == 0
            window_bits = zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS
            self._decoder = ZlibDecoder("deflate", window_bits)
        yield from self._decoder.feed(data)

    def finish(self) -> Iterator[bytes]:
        if self._decoder is not None:
            yield from self._decoder.finish()
        elif self._head:
            raise Invalid("the deflate body is truncated")


class ZstdDecoder:
    """zstd, any number of frames."""

    def __init__(self) -> None:
        self._decoder = open_zstd()
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        has_more = bool(data)
        self._started = self._started or has_more
        while has_more:
            if self._decoder.eof:
                self._decoder = open_zstd()
            try:
                piece = self._decoder.decompress(data, PIECE_BYTES)
            except zstd.ZstdError as error:
                raise Invalid(f"the body is not valid zstd: {error}") from error
            if piece:
                yield piece
            # It keeps unconsumed input until its frame ends.
            data = self._decoder.unused_data if self._decoder.eof else b""
            has_more = bool(data) or not (self._decoder.eof or self._decoder.needs_input)

    def finish(self) -> Iterator[bytes]:
        if self._started and not self._decoder.eof:
            raise Invalid("the zstd body is truncated")
        yield from ()


def open_zstd() -> zstd.ZstdDecompressor:
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: WINDOW_BITS})


class BrotliDecoder:
    """Brotli."""

    def __init__(self) -> None:
        self._decoder = brotli.Decompressor()
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        has_more = bool(data)
        self._started = self._started or has_more
        while has_more:
            try:
                piece = self._decoder.process(data, output_buffer_limit=PIECE_BYTES)
            except brotli.error as error:
                raise Invalid("the body is not valid br") from error
            if piece:
                yield piece
            data, has_more = b"", bool(piece)

    def finish(self) -> Iterator[bytes]:
        if self._started and not self._decoder.is_finished():
            raise Invalid("the br body is truncated")
        yield from ()


def open_snappy() -> Decoder:
    # Imported here because few senders use it, and its library takes more than a megabyte of memory.
    from logboom.web.snappy import SnappyDecoder  # noqa: PLC0415

    return SnappyDecoder(PIECE_BYTES)


DECODERS: dict[str, Callable[[], Decoder]] = {
    "": IdentityDecoder,
    "identity": IdentityDecoder,
    "none": IdentityDecoder,
    "gzip": lambda: ZlibDecoder("gzip", zlib.MAX_WBITS | 16),
    "x-gzip": lambda: ZlibDecoder("gzip", zlib.MAX_WBITS | 16),
    "deflate": DeflateDecoder,
    "zlib": DeflateDecoder,
    "zstd": ZstdDecoder,
    "br": BrotliDecoder,
    "snappy": open_snappy,
}


def weigh_held(encoding: str) -> int:
    """Return the most memory that is held for each byte of a body before any of it is decoded.

    A block of snappy is decoded as a whole; it may be 22 times as long as its encoded form.
    """
    return 23 if "snappy" in encoding.lower() else 0


class BodyDecoder:
    """Decodes a request's `Content-Encoding` and refuses decompression bombs."""

    def __init__(self, encoding: str) -> None:
        name = encoding.strip().lower()
        if name not in DECODERS:
            known = ", ".join(name for name in DECODERS if name)
            raise UnsupportedEncoding(f"content encoding {encoding!r}, expected one of {known}")
        self._decoder = DECODERS[name]()
        self.is_encoded = not isinstance(self._decoder, IdentityDecoder)
        self._read_bytes = 0
        self._made_bytes = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield decoded pieces of bounded size."""
        self._read_bytes += len(data)
        return self._check(self._decoder.feed(data))

    def finish(self) -> Iterator[bytes]:
        """Return the last pieces; raise Invalid if the body ended too early."""
        return self._check(self._decoder.finish())

    def _check(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self._made_bytes += len(piece)
            if self._made_bytes > max(RATIO_FREE_BYTES, RATIO_LIMIT * self._read_bytes):
                raise TooLarge(f"the body inflates more than {RATIO_LIMIT} times")
            yield piece
