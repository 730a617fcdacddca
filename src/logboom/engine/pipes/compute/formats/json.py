"""JSON objects: nested names joined by dots, arrays as many values."""

from typing import Any

import msgspec

from logboom.base.texts import write_value
from logboom.engine.rows.distinct import fit
from logboom.model.columns import MAX_ARRAY_ELEMENTS, MAX_PATH_LENGTH, MAX_PATH_SEGMENTS, Scalar


def parse_json(text: str) -> dict[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    fields: dict[str, list[Scalar]] = {}
    lists: set[str] = set()
    try:
        for name, value in msgspec.json.decode(text).items():
            gather(value, name, 1, fields, lists)
    except (msgspec.MsgspecError, RecursionError):
        return None
    return {
        name: settle(values) if name in lists or len(values) > 1 else values[0]
        for name, values in fields.items()
    }


def gather(
    value: Any, name: str, depth: int, fields: dict[str, list[Scalar]], lists: set[str]
) -> None:
    """Add the scalars of a value to those of its name; deeply nested values stay JSON, as in events."""
    if isinstance(value, dict):
        if depth < MAX_PATH_SEGMENTS and len(name) <= MAX_PATH_LENGTH:
            for key, item in value.items():
                gather(item, f"{name}.{key}", depth + 1, fields, lists)
        else:
            fields.setdefault(name, []).append(msgspec.json.encode(value).decode())
    elif isinstance(value, list):
        if value:
            lists.add(name)
        for item in value[:MAX_ARRAY_ELEMENTS]:
            gather(item, name, depth, fields, lists)
    elif value is not None:
        fields.setdefault(name, []).append(fit(value) if type(value) is int else value)


def settle(values: list[Scalar]) -> list[Scalar]:
    """Return the scalars in their common type: numbers as floats, anything mixed as texts."""
    kinds = {type(value) for value in values}
    if len(kinds) == 1:
        return values
    if kinds == {int, float}:
        return [float(value) for value in values]
    return list(map(write_value, values))
