"""Possessive repetitions of groups, such as `(?:ab?|c)*+`, for the first releases of Python 3.11.

Up to 3.11.4, which Debian 12 has, they match wrongly if what is repeated can match in several ways. An atomic group
around an ordinary repetition means the same and is right in every release.
"""

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any, AnyStr

IS_RIGHT = sys.version_info >= (3, 11, 5)
"""Whether `re` matches possessive repetitions rightly."""


def compile_rightly(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Do what `re.compile` does, rightly in every release."""
    return re.compile(pattern, flags) if IS_RIGHT else compile_atomic(pattern, flags)


def compile_atomic(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Compile with atomic groups for possessive repetitions of groups; the result does not know its pattern."""
    tree = parse(pattern, flags)
    for each in walk(tree):
        for place, step in enumerate(each.data):
            each.data[place] = make_atomic(step)
    compiled: re.Pattern[AnyStr] = import_module("re._compiler").compile(tree, flags)
    return compiled


def repeats_groups_possessively(pattern: AnyStr, flags: int = 0) -> bool:
    """Return whether a pattern needs to be compiled by `compile_rightly`."""
    return any(is_possessive(step) for each in walk(parse(pattern, flags)) for step in each.data)


def parse(pattern: AnyStr, flags: int) -> Any:
    return import_module("re._parser").parse(pattern, flags)


def walk(tree: Any) -> Iterator[Any]:
    """Yield the sequences of steps that a pattern is made of, the innermost first."""
    for step in tree.data:
        for inner in list_inner(step):
            yield from walk(inner)
    yield tree


def list_inner(step: Any) -> Iterator[Any]:
    """Yield the sequences inside a step, which is a tuple of what to do and with what."""
    if isinstance(step, tuple | list):
        for part in step:
            yield from list_inner(part)
    elif hasattr(step, "getwidth"):
        yield step


def make_atomic(step: Any) -> Any:
    """Return the step, or the atomic group that means the same."""
    if not is_possessive(step):
        return step
    constants, (_, repetition) = import_module("re._constants"), step
    tree = repetition[2]
    repeated = (constants.MAX_REPEAT, repetition)
    return constants.ATOMIC_GROUP, type(tree)(tree.state, [repeated])


def is_possessive(step: Any) -> bool:
    """Return whether a step repeats more than a single character possessively."""
    operation, repetition = step
    if str(operation) != "POSSESSIVE_REPEAT":
        return False
    return not bool(import_module("re._compiler")._simple(repetition[2]))
