"""Types of captured values; all are in TYPES. A value that does not match its type stays a text."""

import math
import re
from collections.abc import Callable

from logboom.base.patterns import compile_later

Value = str | int | float | bool

INTEGER = compile_later(r"[+-]?\d{1,18}", re.ASCII)
FLOAT = compile_later(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
BOOLEANS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}  # fmt: skip
LEVELS = {
    "D": "debug", "I": "info", "W": "warning", "E": "error", "F": "fatal",
    ".": "debug", "*": "notice", "#": "warning",
    "trce": "trace", "dbug": "debug", "warn": "warning", "fail": "error", "crit": "critical",
}  # fmt: skip
"""Levels of one character, as glog and Redis write them, and of four, as .NET does."""


def read_integer(text: str) -> Value:
    return int(text) if INTEGER.fullmatch(text) else text


def read_float(text: str) -> Value:
    if not FLOAT.fullmatch(text):
        return text
    value = float(text)
    return value if math.isfinite(value) else text


def read_boolean(text: str) -> Value:
    return BOOLEANS.get(text.lower(), text)


def read_level(text: str) -> Value:
    return LEVELS.get(text, text)


TYPES: dict[str, Callable[[str], Value]] = {
    "string": str,
    "int": read_integer,
    "long": read_integer,
    "float": read_float,
    "double": read_float,
    "bool": read_boolean,
    "boolean": read_boolean,
    "level": read_level,
}
