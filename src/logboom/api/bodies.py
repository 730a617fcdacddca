"""JSON bodies of requests: read with care, and what a partial change names."""

from typing import Any

import msgspec
from litestar import Request

from logboom.base.errors import Invalid

BODY_LIMIT_BYTES = 64 * 1024


class JsonRequest(Request[Any, Any, Any]):
    """A request whose unreadable JSON is the client's fault, also where the decoder fails in its own way."""

    async def json(self) -> Any:
        try:
            return await super().json()
        except UnicodeDecodeError as error:
            raise Invalid("the body is not valid UTF-8, expected JSON") from error
        except RecursionError as error:
            raise Invalid("the body is nested too deeply, expected a flat JSON object") from error


def list_given(body: msgspec.Struct) -> dict[str, Any]:
    """The members of a partial change that were given, by name."""
    members = msgspec.structs.asdict(body)
    return {name: value for name, value in members.items() if value is not msgspec.UNSET}
