"""Secret files: checked when read, created when missing."""

import base64
import binascii
import os
import re
import stat
from contextlib import suppress
from pathlib import Path

from logboom.base.errors import Conflict, Invalid
from logboom.base.files import make_directory, publish_new

SECRET_BYTES = 32
HEX_TEXT = re.compile(rb"(?:[0-9a-fA-F]{2})+")


def read_or_create_secret(path: Path) -> bytes:
    """Return the secret in `path`, at least 32 bytes; a missing file is created with a random one, mode 0600.

    The file contains hex, base64 or raw bytes; surrounding whitespace is ignored.
    """
    try:
        if not path.exists():
            _create_secret(path)
    except OSError as error:
        raise _refused(path, error) from error
    return read_secret(path)


def decode_secret(content: bytes) -> bytes:
    """Return the first interpretation that is long enough: hex, base64, raw."""
    text = content.strip()
    is_text = text.isascii() and text.decode().isprintable()
    readings = [text if is_text else content]
    with suppress(binascii.Error):
        readings.insert(0, base64.b64decode(text, validate=True))
    if HEX_TEXT.fullmatch(text):
        readings.insert(0, bytes.fromhex(text.decode()))
    return next((reading for reading in readings if len(reading) >= SECRET_BYTES), readings[-1])


def _create_secret(path: Path) -> None:
    make_directory(path.parent)
    with suppress(Conflict):  # another process created it first: use its secret
        publish_new(path, os.urandom(SECRET_BYTES).hex().encode() + b"\n")


def read_secret(path: Path) -> bytes:
    """Return the secret in `path`; raise Invalid if it is missing, too short, or readable by other users."""
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise Invalid(f"secret file {path} is not a regular file")
        content = path.read_bytes()
    except OSError as error:
        raise _refused(path, error) from error
    if mode & 0o077:
        permissions = f"{stat.S_IMODE(mode):04o}"
        raise Invalid(
            f"secret file {path} is open to other users: mode {permissions}, expected 0600"
        )
    secret = decode_secret(content)
    if len(secret) < SECRET_BYTES:
        raise Invalid(
            f"secret file {path} holds {len(secret)} bytes, expected at least {SECRET_BYTES}"
        )
    return secret


def read_code(path: Path) -> str:
    """Return the setup code in `path`, without surrounding whitespace; raise Invalid if there is none."""
    try:
        code = path.read_bytes().decode().strip()
    except OSError as error:
        raise Invalid(f"setup code file {path} cannot be used: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Invalid(f"setup code file {path} is not valid UTF-8, expected a code") from error
    if not code:
        raise Invalid(f"setup code file {path} is empty, expected a code")
    return code


def _refused(path: Path, error: OSError) -> Invalid:
    return Invalid(f"secret file {path} cannot be used: {error.strerror}")


def name_new_key(path: Path) -> Path:
    """Return where a new control key is kept until every document uses it."""
    return path.with_name(f"{path.name}.new")


def name_old_key(path: Path) -> Path:
    """Return where the previous control key is kept, for older backups."""
    return path.with_name(f"{path.name}.old")
