"""Every route with parameters, bodies and answers, from the OpenAPI document."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from logboom.api.documents import make_document
from logboom.application import find_routes
from release.reference.tables import code, make_table

Schema = Mapping[str, Any]

HEAD = """# HTTP API, every route

Made from the OpenAPI document that a server has at `/api/openapi.json`. [The HTTP API, explained](../http-api.md) has examples,
errors, and what the answers mean; [shippers](../protocols/README.md) have pages of their own.
"""
METHODS = ("get", "head", "post", "put", "patch", "delete")
OBJECTS = "#/components/schemas/"


def make_api() -> str:
    document = make_document(find_routes())
    objects: dict[str, Schema] = document["components"]["schemas"]
    parts = [HEAD]
    for tag, operations in sorted(sort_by_tag(document).items()):
        parts += [f"## {tag.capitalize()}\n", *operations]
    parts.append("## Objects\n")
    parts += [describe_object(name, schema) for name, schema in sorted(objects.items())]
    return "\n".join(parts)


def sort_by_tag(document: Schema) -> dict[str, list[str]]:
    tagged: dict[str, list[str]] = {}
    for path, operations in sorted(document["paths"].items()):
        for method in METHODS:
            if operation := operations.get(method):
                [tag] = operation["tags"]
                tagged.setdefault(tag, []).append(describe_operation(method, path, operation))
    return tagged


def describe_operation(method: str, path: str, operation: Schema) -> str:
    about = operation.get("description") or ""
    title = operation["summary"].rstrip(".")
    parameters = make_table(
        ("Parameter", "In", "Type", "Meaning"),
        (describe_parameter(each) for each in operation.get("parameters") or []),
    )
    answers = make_table(
        ("Status", "Body", "Meaning"),
        (describe_answer(status, answer) for status, answer in operation["responses"].items()),
    )
    parts = [f"### `{method.upper()} {path}`\n\n{title}. {about}".rstrip() + "\n", parameters]
    parts += [describe_body(operation.get("requestBody")), answers]
    return "\n".join(filter(None, parts))


def describe_parameter(parameter: Schema) -> tuple[str, ...]:
    needed = " (required)" if parameter.get("required") else ""
    schema = parameter.get("schema") or {}
    about = parameter.get("description") or schema.get("description") or ""
    return code(parameter["name"]), parameter["in"] + needed, name_type(schema), about


def describe_body(body: Schema | None) -> str:
    if not body:
        return ""
    kinds = " or ".join(
        f"`{media}` ({name_type(content.get('schema') or {})})"
        for media, content in body["content"].items()
    )
    return f"Body: {kinds}.\n"


def describe_answer(status: str, answer: Schema) -> tuple[str, str, str]:
    kinds = {
        name_body(media, each.get("schema") or {})
        for media, each in (answer.get("content") or {}).items()
    }
    # The framework adds its own schema to its errors; ours all have one form.
    shown = "" if int(status) >= 400 else ", ".join(sorted(kinds))
    known = HTTPStatus(int(status))
    about = answer.get("description") or known.description
    return code(status), shown, known.phrase if about == known.description else about


def name_body(media: str, schema: Schema) -> str:
    """Return the name of a body in the reference; a streamed answer is a text without a schema."""
    is_plain = schema.get("type") == "string"
    return code(media) if is_plain else name_type(schema)


def describe_object(name: str, schema: Schema) -> str:
    if "enum" in schema:
        return f"### {name}\n\nOne of {', '.join(code(str(each)) for each in schema['enum'])}.\n"
    needed = set(schema.get("required") or [])
    rows = (
        describe_member(member, each, is_needed=member in needed)
        for member, each in (schema.get("properties") or {}).items()
    )
    about = " ".join((schema.get("description") or "").split())
    table = make_table(("Member", "Type", "Default", "Meaning"), rows)
    return "\n".join(filter(None, [f"### {name}\n", f"{about}\n" if about else "", table]))


def describe_member(name: str, schema: Schema, *, is_needed: bool) -> tuple[str, ...]:
    default = schema.get("default")
    shown = "required" if is_needed else code("" if default in (None, "", [], {}) else str(default))
    return code(name), name_type(schema), shown, schema.get("description") or ""


def name_type(schema: Schema) -> str:
    """Return the type in words, such as `list of string, or null`; objects are linked."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(OBJECTS)
        return f"[{name}](#{name.lower()})"
    if choices := schema.get("oneOf") or schema.get("anyOf"):
        return " or ".join(dict.fromkeys(name_type(each) for each in choices))
    if "enum" in schema:
        return " or ".join(code(str(each)) for each in schema["enum"])
    if "const" in schema:
        return code(str(schema["const"]))
    return " or ".join(dict.fromkeys(name_kinds(schema)))


def name_kinds(schema: Schema) -> Iterator[str]:
    kinds = schema.get("type") or "any"
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if kind == "array" and schema.get("items"):
            yield f"list of {name_type(schema['items'])}"
        elif kind == "array":
            yield "list"
        else:
            yield str(kind) + write_range(schema)


def write_range(schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is None and most is None:
        return ""
    if most is None:
        return f" from {least:g}"
    return f" {least:g} to {most:g}" if least is not None else f" up to {most:g}"
