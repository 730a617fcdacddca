"""Devices that signed in before: a signed mark in the browser, so that attackers cannot lock its owner out."""

import hmac
import re
import uuid

DEVICE_S = 180 * 86_400
MARK = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{64})")


class Devices:
    """Creates and verifies marks; a mark proves only that this user once signed in there."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def issue(self, user_id: str) -> str:
        device = uuid.uuid4().hex
        return f"{device}.{self._sign(user_id, device)}"

    def recognise(self, mark: str, user_id: str) -> str:
        """Return the device of a mark that was made for this user; empty for any other mark."""
        found = MARK.fullmatch(mark)
        if not found or not hmac.compare_digest(found[2], self._sign(user_id, found[1])):
            return ""
        return found[1]

    def _sign(self, user_id: str, device: str) -> str:
        return hmac.digest(self._key, f"{user_id} {device}".encode(), "sha256").hex()
