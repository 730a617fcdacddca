"""Patterns that take a backtracking engine for ever: RE2 runs all of them to the end, and nothing else does."""

import ast
import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.together import together

import logboom.formats
from logboom.formats import open_reader
from logboom.formats.grok.reader import Pattern
from logboom.formats.reader import Options

CORES = (
    "(a+)+", "(a*)*", "(a|a)+", "(a|aa)+", "(a|a?)+", "(.*a){20}", "(.*)*", "(.+)+", "([a-z]+)*",
    r"(\w+\s?)*", "(x+x+)+y", "(a?){100}a{100}", r"(\d+)*", "(a{1,20}){1,20}", "((a+)+)+", "(a+){50}",
    ".*.*.*.*.*", "(.*?,){25}", "(?:a|ab|abc)+", r"[\s\S]*[\s\S]*", ".{0,80}b.{0,80}", "(.{0,30}x){5}",
    "(a|b|ab)*c", "(?:(?:a*)*)*", "(a?b?c?)*", "(?i)(A+)+",
)  # fmt: skip
TAILS = ("$", "!", "b$", "c", "[^a]$", r"\d$", "Z", " %{IP:ip}")
EVIL = [f"(?<f>{core}){tail}" for core, tail in itertools.product(CORES, TAILS)]
LINES = ("a" * 20_000, "a" * 10_000 + "!", "a," * 10_000, "0 " * 10_000)
USERS_PATTERNS = ("grok/reader.py", "grok/expand.py", "multiline.py", "patterns.py")
"""The files that a pattern of a user passes through."""


def test_there_are_enough_of_them() -> None:
    assert len(set(EVIL)) >= 200


@together("core", CORES)
def test_evil_patterns_are_run_to_the_end(core: str) -> None:
    for tail in TAILS:
        pattern = Pattern(f"(?<f>{core}){tail}", 0)
        for line in LINES:
            fields = pattern.parse(line)
            assert fields is None or "f" in fields


def test_an_evil_beginning_of_events_is_run_to_the_end() -> None:
    for core in CORES:
        reader = open_reader("text", Options(multiline=f"{core}Z"))
        reader.feed("\n".join(LINES).encode())
        assert reader.finish().data


def test_no_pattern_of_a_user_reaches_the_backtracking_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever `re` compiles while a pattern is read and used, nothing of it is the user's."""
    compiled: list[str] = []
    original: Callable[..., Any] = re._compile  # type: ignore[attr-defined]

    def record(pattern: Any, flags: int) -> Any:
        compiled.append(str(pattern))
        return original(pattern, flags)

    monkeypatch.setattr(re, "_compile", record)
    assert re.compile("recorded").pattern in compiled
    for mark, pattern in enumerate(EVIL):
        marked = f"(?:mark{mark}){{0}}{pattern}"
        options = Options(grok=marked, multiline=f"(?:mark{mark}){{0}}^")
        reader = open_reader("grok", options)
        reader.feed(b"a line\nand another\n")
        reader.finish()
    assert [pattern for pattern in compiled if "mark" in pattern] == []


def test_the_way_of_a_pattern_has_no_other_engine_on_it() -> None:
    """Every use of `re` there is a fixed expression of our own, compiled when the module is loaded."""
    folder = Path(logboom.formats.__file__).parent
    for name in USERS_PATTERNS:
        calls = [
            node
            for node in ast.walk(ast.parse((folder / name).read_text()))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
        ]
        assert all(isinstance(call.args[0], ast.Constant) for call in calls), name
