"""Content encodings, undone piece by piece in bounded memory."""

import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

import brotli
import zstandard

from logboom.base.errors import Invalid, TooLarge, UnsupportedEncoding

PIECE_BYTES = 1024 * 1024
INPUT_SLICE_BYTES = 1024
"""A decoder without an output limit gets so little at a time that even a bomb stays small."""
ZLIB_HEADER_BYTES = 2
RATIO_LIMIT = 500
RATIO_FREE_BYTES = 64 * 1024 * 1024
MAX_WINDOW_BYTES = 128 * 1024 * 1024


class Decoder(Protocol):
    """Undoes one encoding."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Decoded pieces of bounded size."""

    def finish(self) -> None:
        """Invalid when the stream ended too early."""


class IdentityDecoder:
    """Passes everything on."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> None:
        """Every stream is a whole one."""


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
            # All input may be taken while the output of its last bits still waits.
            has_more = bool(data) or (len(piece) == PIECE_BYTES and not self._decoder.eof)

    def finish(self) -> None:
        if self._started and not self._decoder.eof:
            raise Invalid(f"the {self._name} body is truncated")


class DeflateDecoder:
    """deflate with the zlib header that the standard asks for, or without, as some clients send it."""

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

    def finish(self) -> None:
        if self._decoder is not None:
            self._decoder.finish()
        elif self._head:
            raise Invalid("the deflate body is truncated")


class ZstdDecoder:
    """zstd, any number of frames."""

    def __init__(self) -> None:
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES)
        self._decoder = self._decompressor.decompressobj()
        self._open = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), INPUT_SLICE_BYTES):
            rest = data[start : start + INPUT_SLICE_BYTES]
            while rest:
                if self._decoder.eof:
                    self._decoder = self._decompressor.decompressobj()
                try:
                    piece = self._decoder.decompress(rest)
                except zstandard.ZstdError as error:
                    raise Invalid(f"the body is not valid zstd: {error}") from error
                self._open = not self._decoder.eof
                rest = self._decoder.unused_data
                if piece:
                    yield piece

    def finish(self) -> None:
        if self._open:
            raise Invalid("the zstd body is truncated")


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

    def finish(self) -> None:
        if self._started and not self._decoder.is_finished():
            raise Invalid("the br body is truncated")


DECODERS: dict[str, Callable[[], Decoder]] = {
    "": IdentityDecoder,
    "identity": IdentityDecoder,
    "gzip": lambda: ZlibDecoder("gzip", zlib.MAX_WBITS | 16),
    "x-gzip": lambda: ZlibDecoder("gzip", zlib.MAX_WBITS | 16),
    "deflate": DeflateDecoder,
    "zstd": ZstdDecoder,
    "br": BrotliDecoder,
}


class BodyDecoder:
    """Undoes a request's `Content-Encoding` and refuses bombs."""

    def __init__(self, encoding: str) -> None:
        name = encoding.strip().lower()
        if name not in DECODERS:
            known = ", ".join(name for name in DECODERS if name)
            raise UnsupportedEncoding(f"content encoding {encoding!r}, expected one of {known}")
        self._decoder = DECODERS[name]()
        self._read_bytes = 0
        self._made_bytes = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._read_bytes += len(data)
        for piece in self._decoder.feed(data):
            self._made_bytes += len(piece)
            if self._made_bytes > max(RATIO_FREE_BYTES, RATIO_LIMIT * self._read_bytes):
                raise TooLarge(f"the body inflates more than {RATIO_LIMIT} times")
            yield piece

    def finish(self) -> None:
        self._decoder.finish()
