"""Password hashes: argon2id, deliberately slow, a limited number at a time."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from cryptography.exceptions import InvalidKey, UnsupportedAlgorithm
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from logboom.base.errors import Overloaded, Unavailable

PASSES = 2
MEMORY_KIB = 19 * 1024
SALT_BYTES = 16
HASH_BYTES = 32
HASHES_AT_ONCE = 2
LONGEST_WAIT_S = 20.0
NOBODYS_HASH = "$argon2id$v=19$m=19456,t=2,p=1$VvIhNpmK8IAqShQ9NoCtcQ$FFfMkYXEANwyRTAUkc4eN2h4pfi6GK+9R3wg9Wd8lB4"
"""Hash of a random text that nobody knows, checked for unknown users, so that this takes the same time."""


class Passwords:
    """Creates and checks hashes.

    Each takes tens of milliseconds and MEMORY_KIB of memory: never call it on an event loop. Excess attempts wait,
    then get Overloaded, so they cannot exhaust the memory.
    """

    def __init__(self) -> None:
        self._places = threading.BoundedSemaphore(HASHES_AT_ONCE)

    def hash(self, password: str) -> str:
        with self._place():
            return make_argon2id().derive_phc_encoded(password.encode())

    def matches(self, password: str, password_hash: str | None) -> bool:
        """Return whether a password has this hash; without a hash, for an unknown user, it takes the same time."""
        with self._place():
            try:
                Argon2id.verify_phc_encoded(password.encode(), password_hash or NOBODYS_HASH)
            except InvalidKey:
                return False
            return True

    @contextmanager
    def _place(self) -> Iterator[None]:
        if not self._places.acquire(timeout=LONGEST_WAIT_S):
            raise Overloaded("too many sign-ins at once, try again soon")
        try:
            yield
        except (MemoryError, UnsupportedAlgorithm) as error:
            raise Unavailable(f"the password could not be hashed: {error}") from error
        finally:
            self._places.release()


def make_argon2id() -> Argon2id:
    """Return a hasher with its own salt, for a single hash."""
    return Argon2id(
        salt=os.urandom(SALT_BYTES),
        length=HASH_BYTES,
        iterations=PASSES,
        lanes=1,
        memory_cost=MEMORY_KIB,
    )
