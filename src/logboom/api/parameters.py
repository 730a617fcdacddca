"""Query parameters: each set is a struct, which decodes them and describes them in the OpenAPI document."""

from typing import Any, TypeVar

import msgspec
from litestar import Request
from litestar.openapi.spec import Operation, Parameter

from logboom.base.decoding_errors import explain_decoding_error
from logboom.web.asgi import parse_parameters

Body = TypeVar("Body", bound=msgspec.Struct)


def read_parameters(request: Request[Any, Any, Any], kind: type[Body]) -> Body:
    """Decode the query parameters into a struct."""
    try:
        parameters = parse_parameters(request.scope["query_string"])
        return msgspec.convert(parameters, kind, strict=False)
    except msgspec.ValidationError as error:
        raise explain_decoding_error(error) from error


def document(kind: type[msgspec.Struct]) -> type[Operation]:
    """Return the `operation_class` of a handler that reads `kind`.

    The parameters are described only when the OpenAPI document is made.
    """

    class Documented(Operation):
        def __init__(self, **members: Any) -> None:
            super().__init__(**members)
            self.parameters = [*(self.parameters or ()), *describe_parameters(kind)]

    return Documented


def describe_parameters(kind: type[msgspec.Struct]) -> list[Parameter]:
    _, components = msgspec.json.schema_components([kind])
    schema = components[kind.__name__]
    return [
        Parameter(
            name=name,
            param_in="query",
            required=name in schema["required"],
            description=member.pop("description"),
            schema=forbid_null(member),  # type: ignore[arg-type]
        )
        for name, member in schema["properties"].items()
    ]


def forbid_null(member: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an optional member without null, which a query parameter cannot express."""
    choices = [each for each in member.get("anyOf", ()) if each != {"type": "null"}]
    kept = {name: value for name, value in member.items() if name != "anyOf" and value is not None}
    if len(choices) == 1:
        return {**choices[0], **kept}
    return {"anyOf": choices, **kept} if choices else kept
