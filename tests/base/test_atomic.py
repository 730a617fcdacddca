"""Possessive repetitions of groups match the same in every release of Python."""

import importlib
import pkgutil
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import logboom
from logboom.base.atomic import compile_atomic, compile_rightly, repeats_groups_possessively

NOT_EVERYWHERE = ("logboom.mcp", "logboom.engine.cluster", "logboom.__main__")
"""Modules of extras, and one that runs the program."""

# What a group that can match in several ways must not take: releases before 3.11.5 take an `a` too many.
CASES = [
    ("(?:ab?c)?+", "aca", "ac"),
    ("(?:ab?c)++", "aca", "ac"),
    ("(?:ab?c)*+", "abcaca", "abcac"),
    ("(?:ab?c){1,3}+", "acaca", "acac"),
    ("x(?:(?P<inner>ab?)*+c)*+", "xababcaabc", "xababcaabc"),
]


@pytest.mark.parametrize("compiled", [compile_rightly, compile_atomic])
@pytest.mark.parametrize(("pattern", "text", "matched"), CASES)
def test_a_possessive_group_takes_whole_repetitions_only(
    compiled: type[re.Pattern[str]], pattern: str, text: str, matched: str
) -> None:
    found = compiled(pattern).match(text)  # type: ignore[call-arg]
    assert found is not None
    assert found[0] == matched


def test_what_was_taken_is_not_given_back() -> None:
    for compiled in (compile_rightly, compile_atomic):
        assert compiled("(?:a|ab)++b").match("aab") is not None
        assert compiled("(?:ab|a)++b").match("aab") is None
        assert compiled(rb"(?:ab|a)*+b").match(b"aab") is None


@given(st.text('ab\\"u1 ', max_size=12))
def test_texts_of_json_are_found_as_by_atomic_groups(text: str) -> None:
    possessive = r'"(?:[^"\\]++|\\(?:["\\bu]|1{2}))*+"'
    written_out = r'"(?>(?:(?>[^"\\]+)|\\(?:["\\bu]|1{2}))*)"'
    found = [each.span() for each in compile_atomic(possessive).finditer(text)]
    assert found == [each.span() for each in re.finditer(written_out, text)]


def test_knows_which_patterns_need_it() -> None:
    assert repeats_groups_possessively("a(?:(?:bc)?+|d)")
    assert repeats_groups_possessively("(?<=x)(?!(?:ab)++)")
    assert not repeats_groups_possessively("a*+[bc]++(?:d)?+(?>ef)(?:gh)*")


def test_every_pattern_that_needs_it_is_compiled_by_it() -> None:
    """A pattern that `re` has compiled knows its text, so it shows."""
    found = [
        f"{module.name}.{name}"
        for module in pkgutil.walk_packages(logboom.__path__, "logboom.")
        if not module.name.startswith(NOT_EVERYWHERE)
        for name, value in vars(importlib.import_module(module.name)).items()
        if isinstance(value, re.Pattern) and value.pattern
        if repeats_groups_possessively(value.pattern)
    ]
    assert found == []
