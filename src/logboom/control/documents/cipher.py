"""Sealing of control documents: encrypted with AES-256-GCM, or plain with a checksum.

Both bind the content to the object's name, which contains the document's name and generation: an object under another
name cannot be opened.
"""

import hashlib
import os
import re
from typing import Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from logboom.base.errors import Corrupt, Unavailable
from logboom.base.versions import CONTROL, check_version, parse_version

ENCRYPTED, PLAIN = b"aes-256-gcm", b"plain-sha256"
FORMAT_LINE = re.compile(rb"logboom-control ([0-9]+(?:\.[0-9]+)?) ([a-z0-9-]{1,40})\n")
"""The version, and how the rest is sealed; a minor version of 0 is not written."""
ENCRYPTED_FORMAT = b"logboom-control %d %s\n" % (CONTROL.major, ENCRYPTED)
PLAIN_FORMAT = b"logboom-control %d %s\n" % (CONTROL.major, PLAIN)
KEY_BYTES = 32
NONCE_BYTES = 12
CHECKSUM_BYTES = 64


class Cipher(Protocol):
    """Turns a document's body into the bytes of an object and back."""

    def seal(self, object_name: str, body: bytes) -> bytes:
        """Return the object's bytes; different each time if encrypted."""

    def unseal(self, object_name: str, sealed: bytes) -> bytes:
        """Return the body; raise Corrupt unless exactly these bytes were sealed under exactly this name."""


class AesCipher:
    """Format line, nonce, ciphertext and tag; the format line and the name are authenticated too."""

    def __init__(self, secret: bytes) -> None:
        derivation = HKDF(SHA256(), KEY_BYTES, salt=None, info=b"logboom control documents")
        self._aead = AESGCM(derivation.derive(secret))

    def seal(self, object_name: str, body: bytes) -> bytes:
        nonce = os.urandom(NONCE_BYTES)
        sealed = self._aead.encrypt(nonce, body, ENCRYPTED_FORMAT + object_name.encode())
        return ENCRYPTED_FORMAT + nonce + sealed

    def unseal(self, object_name: str, sealed: bytes) -> bytes:
        line, kind = read_format(object_name, sealed)
        if kind != ENCRYPTED:
            raise Unavailable(
                f"{object_name} is not encrypted, but SERVICE_CONTROL_ENCRYPTION is on"
            )
        content = sealed[len(line) :]
        nonce, ciphertext = content[:NONCE_BYTES], content[NONCE_BYTES:]
        try:
            return self._aead.decrypt(nonce, ciphertext, line + object_name.encode())
        except (InvalidTag, ValueError) as error:
            reason = "it does not decrypt: altered, misplaced, or sealed with another control key"
            raise Corrupt(object_name, 0, reason) from error


class PlainCipher:
    """Format line, checksum line, then the readable body."""

    def seal(self, object_name: str, body: bytes) -> bytes:
        return PLAIN_FORMAT + _checksum(PLAIN_FORMAT, object_name, body) + b"\n" + body

    def unseal(self, object_name: str, sealed: bytes) -> bytes:
        line, kind = read_format(object_name, sealed)
        if kind != PLAIN:
            raise Unavailable(f"{object_name} is encrypted, but SERVICE_CONTROL_ENCRYPTION is off")
        content = sealed[len(line) :]
        checksum, body = content[: CHECKSUM_BYTES + 1], content[CHECKSUM_BYTES + 1 :]
        if checksum != _checksum(line, object_name, body) + b"\n":
            raise Corrupt(object_name, len(line), "its checksum does not match")
        return body


class RotatingCipher:
    """Seals with the new cipher, opens what either cipher sealed."""

    def __init__(self, new: Cipher, old: Cipher) -> None:
        self._new = new
        self._old = old

    def seal(self, object_name: str, body: bytes) -> bytes:
        return self._new.seal(object_name, body)

    def unseal(self, object_name: str, sealed: bytes) -> bytes:
        try:
            return self._new.unseal(object_name, sealed)
        except Corrupt:
            return self._old.unseal(object_name, sealed)


def read_format(object_name: str, sealed: bytes) -> tuple[bytes, bytes]:
    """Return the format line and the kind of seal; raise TooNew if a newer build wrote it."""
    line = FORMAT_LINE.match(sealed)
    if line:
        check_version(object_name, parse_version(line[1].decode()), CONTROL)
    if not line or line[2] not in (ENCRYPTED, PLAIN):
        raise Corrupt(object_name, 0, "it does not start like a control document")
    return line[0], line[2]


def _checksum(line: bytes, object_name: str, body: bytes) -> bytes:
    """Return the checksum of a body under a name; it covers the format line, except that of version 1.0."""
    covered = b"" if line == PLAIN_FORMAT else line
    return hashlib.sha256(covered + object_name.encode() + b"\n" + body).hexdigest().encode()
