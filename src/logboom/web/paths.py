"""Refuses ambiguous paths, which two readers could interpret differently."""

import re
from urllib.parse import unquote_to_bytes

from logboom.base.errors import Invalid

MAX_PATH_BYTES = 2048

PLAIN = re.compile(rb"(?:/[\w-]+)+")
AMBIGUOUS: dict[str, re.Pattern[bytes]] = {
    "an empty segment": re.compile(rb"//"),
    "a segment that ends in a dot": re.compile(rb"\.(?:/|$)"),
    "an encoded slash, backslash, dot or NUL": re.compile(rb"%(?:2f|5c|2e|00)", re.IGNORECASE),
    "a percent sign without an encoded byte": re.compile(rb"%(?![0-9a-fA-F]{2})"),
    "a semicolon, a backslash or a character that must be encoded": re.compile(
        rb"[;\\\x00-\x20\x7f-\xff]"
    ),
}


def is_plain(raw_path: bytes) -> bool:
    """Return whether there is nothing to check about a path, as with nearly all."""
    return len(raw_path) <= MAX_PATH_BYTES and PLAIN.fullmatch(raw_path) is not None


def check_path(raw_path: bytes) -> None:
    """Raise Invalid unless the path, as it was sent, can be read in only one way."""
    if len(raw_path) > MAX_PATH_BYTES:
        raise Invalid(f"the path is {len(raw_path)} bytes long, expected at most {MAX_PATH_BYTES}")
    if is_plain(raw_path):
        return
    for what, pattern in AMBIGUOUS.items():
        if pattern.search(raw_path):
            raise Invalid(f"the path has {what}, expected plain segments between single slashes")
    if b"%" in raw_path:
        try:
            unquote_to_bytes(raw_path).decode()
        except UnicodeDecodeError as error:
            raise Invalid("the path is not valid UTF-8") from error
