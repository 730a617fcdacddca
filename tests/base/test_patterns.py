"""Patterns that are compiled late act like those of `re`, and each of ours can be compiled."""

import importlib
import pkgutil
import re

import pytest

import logboom
from logboom.base.patterns import LatePattern, compile_later


def test_acts_like_a_compiled_pattern() -> None:
    late, compiled = (make(r"(?P<a>x+)", re.IGNORECASE) for make in (compile_later, re.compile))
    assert late.match("XXy", 1, 2)["a"] == compiled.match("XXy", 1, 2)["a"] == "X"  # type: ignore[index]
    assert late.sub("-", "axxb") == "a-b"
    assert (late.flags, late.groupindex) == (compiled.flags, compiled.groupindex)


def test_takes_bytes() -> None:
    assert compile_later(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_is_not_compiled_before_it_is_used() -> None:
    late = compile_later("(")
    assert late.pattern == "("
    with pytest.raises(re.error):
        late.match("a")


def test_has_no_other_members() -> None:
    with pytest.raises(AttributeError):
        _ = compile_later("a").matches  # type: ignore[attr-defined]
    assert not hasattr(compile_later("a"), "__deepcopy__")


def test_every_pattern_of_ours_can_be_compiled() -> None:
    names = [
        module.name
        for module in pkgutil.walk_packages(logboom.__path__, "logboom.")
        if module.name.startswith(("logboom.lang.", "logboom.formats."))
    ]
    modules = [importlib.import_module(name) for name in names]
    found = [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, LatePattern)
    ]
    assert len(found) > 100
    for late in found:
        assert isinstance(late.compiled, re.Pattern)
