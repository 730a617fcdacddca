"""The user who signed in, according to the identity provider."""

from logboom.base.structs import InternalStruct


class Identity(InternalStruct, frozen=True):
    """The user who signed in.

    `session_until_s` is when the identity provider wants the session to end, in seconds since 1970.
    """

    name: str
    request_id: str
    session_until_s: int | None
