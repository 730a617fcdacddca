"""The table from node types to the functions that print them; the package fills it."""

from collections.abc import Callable
from typing import Any

FORMATS: dict[type, Callable[[Any], str]] = {}


def format_node(node: object) -> str:
    return FORMATS[type(node)](node)
