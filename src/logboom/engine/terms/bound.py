"""Filters whose meaning no longer depends on the clock or on another query."""

from typing import TypeAlias

from logboom.base.structs import InternalStruct
from logboom.lang import ast
from logboom.model.columns import Scalar


class Within(InternalStruct, frozen=True):
    """The event's time is from `from_ns` to before `to_ns`."""

    from_ns: int
    to_ns: int


class Values(InternalStruct, frozen=True):
    """A value of the field equals one of these, texts ignoring case."""

    field: str
    values: tuple[Scalar, ...]


Filter: TypeAlias = ast.Filter | Within | Values
