"""The user who signed in, according to the identity provider."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Identity:
    """`session_until_s` is when the identity provider wants the session to end, in seconds since 1970."""

    name: str
    request_id: str
    session_until_s: int | None
