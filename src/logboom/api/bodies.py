"""JSON bodies of requests: safe decoding, and partial changes."""

import json
from typing import Any

import msgspec
from litestar import Request
from litestar.exceptions import SerializationException

from logboom.base.errors import Invalid
from logboom.control.saved.questions import LONGEST_QUERY_BYTES

BODY_LIMIT_BYTES = 64 * 1024
KINDS = {type(None): "null", list: "an array", str: "a string", bool: "a boolean"}
QUESTION_LIMIT_BYTES = 8 * LONGEST_QUERY_BYTES
"""Enough for a query in which every character is escaped."""


class JsonRequest(Request[Any, Any, Any]):
    """A request whose body is a JSON object, whatever its content type; an empty body is an empty object."""

    async def body(self) -> bytes:
        body = await super().body()
        return body if body.strip() else b"{}"

    async def json(self) -> Any:
        try:
            value = await super().json()
        except SerializationException as error:
            fault = find_fault(await self.body()) or error
            raise Invalid(f"the body is not valid JSON: {fault}, expected a JSON object") from error
        except UnicodeDecodeError as error:
            raise Invalid("the body is not valid UTF-8, expected a JSON object") from error
        except RecursionError as error:
            raise Invalid("the body is nested too deeply, expected a flat JSON object") from error
        if not isinstance(value, dict):
            raise Invalid(f"the body is {name_kind(value)}, expected a JSON object")
        return value


def find_fault(body: bytes) -> str | None:
    """Return what is wrong with JSON that only a lenient decoder reads: the strict one says that it is cut off."""
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return None
    return "half of a surrogate pair is not a character"


def name_kind(value: object) -> str:
    return KINDS.get(type(value), "a number")


class Changes(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The members to change; all others keep their values."""

    def __repr__(self) -> str:
        """Without the values, which may contain a password."""
        return f"{type(self).__name__}({sorted(list_given(self))})"


def make_changes(body: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """Return the change type for a `New…` type: the same members, all optional."""
    members = [
        (each.name, each.type | msgspec.UnsetType, msgspec.UNSET)
        for each in msgspec.structs.fields(body)
    ]
    name = f"{body.__name__.removeprefix('New')}Changes"
    return msgspec.defstruct(
        name,
        members,
        bases=(Changes,),
        module=body.__module__,
        frozen=True,
        forbid_unknown_fields=True,
        kw_only=True,
    )


def list_given(body: msgspec.Struct) -> dict[str, Any]:
    """Return the given members of a partial change, by name."""
    members = msgspec.structs.asdict(body)
    return {name: value for name, value in members.items() if value is not msgspec.UNSET}
