"""The table from node types to the functions that format them; filled by the package."""

from collections.abc import Callable
from typing import Any

FORMATS: dict[type, Callable[[Any], str]] = {}


def format_node(node: object) -> str:
    return FORMATS[type(node)](node)
