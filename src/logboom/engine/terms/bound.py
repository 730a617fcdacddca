"""Filters whose meaning no longer depends on the clock or on another query."""

from dataclasses import dataclass
from typing import TypeAlias

from logboom.lang import ast
from logboom.model.columns import Scalar


@dataclass(frozen=True, slots=True)
class Within:
    """The event's time is from `from_ns` to before `to_ns`."""

    from_ns: int
    to_ns: int


@dataclass(frozen=True, slots=True)
class Values:
    """A value of the field equals one of these, texts ignoring case."""

    field: str
    values: tuple[Scalar, ...]


Filter: TypeAlias = ast.Filter | Within | Values
