"""Compiled modules: each has a definition in Python, which serves where it was not built."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any


@cache
def find_compiled(name: str) -> Any:
    """Return a compiled module.

    Return None if it was not built. One that was built from other sources is an ImportError.
    """
    if find_spec(name) is None:
        return None
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"{name} cannot be loaded, build it again: {error}") from error
