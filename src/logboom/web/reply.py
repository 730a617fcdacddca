"""The answer of a protocol."""

from collections.abc import Mapping

from msgspec import field

from logboom.base.structs import InternalStruct

PLAIN_TEXT = "text/plain; charset=utf-8"


class Reply(InternalStruct, frozen=True):
    """An answer ready to be sent; a content type among its headers takes precedence."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
