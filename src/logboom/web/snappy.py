"""The content encoding snappy: a single block, or a stream of chunks."""

from collections.abc import Callable, Iterator
from typing import TypeVar

import cramjam

from logboom.base.errors import Invalid, TooLarge

MAX_BLOCK_BYTES = 128 * 1024 * 1024
SNAPPY_STREAM = bytes.fromhex("ff060000734e61507059")
CHUNK_HEAD_BYTES = 4

Undone = TypeVar("Undone")


class SnappyDecoder:
    """snappy: one block, which can only be decoded as a whole, or a stream of chunks of at most 64 KiB."""

    def __init__(self, piece_bytes: int) -> None:
        self._piece_bytes = piece_bytes
        self._held = bytearray()
        self._limit_bytes = 0
        """The longest possible block for the announced length; 0 before that is known."""
        self._is_stream = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._held += data
        if not self._is_stream and not self._limit_bytes:
            if len(self._held) < len(SNAPPY_STREAM):
                return
            self._is_stream = self._held.startswith(SNAPPY_STREAM)
        if self._is_stream:
            yield from self._take_chunks()
        else:
            self._check_block()

    def finish(self) -> Iterator[bytes]:
        if self._is_stream or SNAPPY_STREAM.startswith(self._held):
            if self._held:
                raise Invalid("the snappy body is truncated")
            return
        self._check_block()
        block = memoryview(undo_snappy(cramjam.snappy.decompress_raw, self._held))
        for start in range(0, len(block), self._piece_bytes):
            yield bytes(block[start : start + self._piece_bytes])

    def _take_chunks(self) -> Iterator[bytes]:
        start, length = 0, len(self._held)
        while length - start >= CHUNK_HEAD_BYTES:
            size_bytes = int.from_bytes(self._held[start + 1 : start + CHUNK_HEAD_BYTES], "little")
            end = start + CHUNK_HEAD_BYTES + size_bytes
            if end > length:
                break
            # Each chunk is decoded as its own stream, which verifies its checksum and bounds memory.
            chunk = SNAPPY_STREAM + self._held[start:end]
            piece = bytes(undo_snappy(cramjam.snappy.decompress, chunk))
            if piece:
                yield piece
            start = end
        del self._held[:start]

    def _check_block(self) -> None:
        if not self._limit_bytes:
            size_bytes = undo_snappy(cramjam.snappy.decompress_raw_len, self._held[:10])
            if size_bytes > MAX_BLOCK_BYTES:
                limit = f"expected at most {MAX_BLOCK_BYTES}"
                raise TooLarge(f"the snappy body announces {size_bytes} bytes, {limit}")
            self._limit_bytes = 32 + size_bytes + size_bytes // 6  # as the format says
        if len(self._held) > self._limit_bytes:
            raise Invalid("the body is not valid snappy: it is longer than it announces")


def undo_snappy(undo: Callable[[bytes | bytearray], Undone], data: bytes | bytearray) -> Undone:
    try:
        return undo(data)
    except cramjam.DecompressionError as error:
        raise Invalid(f"the body is not valid snappy: {error}") from error
