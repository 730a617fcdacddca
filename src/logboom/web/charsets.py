"""Text in UTF-16, as Windows writes it, becomes UTF-8."""

import codecs

CHARSETS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""Charsets by the byte order mark that a text starts with."""
MARK_BYTES = 2


class Transcoder:
    """Converts a stream in pieces that may end within a character.

    A lone surrogate, and a single byte at the end, stay as they are: bytes that are not UTF-8.
    """

    def __init__(self, charset: str) -> None:
        self._decoder = codecs.getincrementaldecoder(charset)("surrogatepass")

    def feed(self, data: bytes) -> bytes:
        return encode(self._decoder.decode(data))

    def finish(self) -> bytes:
        """Return what is left of an incomplete character."""
        rest, _ = self._decoder.getstate()
        single = rest[len(rest) // 2 * 2 :]
        self._decoder.setstate((rest.removesuffix(single), 0))
        return encode(self._decoder.decode(b"", final=True)) + single


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
