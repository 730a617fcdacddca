"""Patterns of users: what is wrong with one is said with its place."""

import pytest
import re2
from tests.together import together

from logboom.base.errors import Invalid
from logboom.formats.grok.library import PATTERNS
from logboom.formats.grok.presets import PRESETS
from logboom.formats.grok.reader import Pattern
from logboom.formats.patterns import MAX_MATCHED_BYTES, compile_search

WORST = "[ab]*[a-c]*"
"""Every step of it takes every byte, so that all of them are under way at once."""


@together(
    ("pattern", "position"),
    [
        ("x(ab", 1),
        ("xx(a))c", 5),
        ("ü)", 1),
        (r"\((a", 2),
        ("[(](b", 3),
        ("[])(](b", 5),
        ("(a)(b", 3),
        ("a**", 1),
        ("ab[c", 2),
        (r"ab\y", 2),
        ("a{2,1}", 1),
    ],
)
def test_the_place_of_a_mistake_is_told(pattern: str, position: int) -> None:
    with pytest.raises(Invalid) as caught:
        compile_search(pattern, pattern)
    assert caught.value.data["position"] == position


def test_the_library_still_has_what_is_called_beside_its_documented_names() -> None:
    """It has no documented way to get all places of a match at once; fails when it is changed."""
    matcher = re2.compile(r"(b)(c)?")._regexp
    anchors = re2._Anchor
    assert matcher.Match(anchors.UNANCHORED, b"ab", 0, 2) == [(1, 2), (1, 2), (-1, -1)]
    assert matcher.Match(anchors.UNANCHORED, b"ab", 0, 1)[0] == (-1, -1)
    assert matcher.Match(anchors.ANCHOR_BOTH, b"ab", 0, 2)[0] == (-1, -1)
    assert matcher.Match(anchors.ANCHOR_BOTH, b"bc", 0, 2) == [(0, 2), (0, 1), (1, 2)]


@together(
    "pattern",
    [
        "(?:.*)" + WORST * 1_000,
        "(.*)" * 127,
        "([ab]*)" * 127 + WORST * 40,
        "(.*)(.*)" + WORST * 500,
        "((a{1,30}){1,30})",
        "(.{0,300}b.{0,300})",
        "((.{0,100}x){5})",
        r"(\pL+ )" * 20,
        "x{1000}" * 10,
    ],
)
def test_what_could_cost_too_much_is_refused(pattern: str) -> None:
    with pytest.raises(
        Invalid, match=r"too large when compiled, \d+ steps and \d+ groups"
    ) as caught:
        compile_search(pattern, pattern)
    assert caught.value.data["position"] == 0


@pytest.mark.parametrize(
    "pattern",
    ["(.*)" * 70, "([ab]*)" * 127 + WORST * 30, "(.*)(.*)" + WORST * 350, "()" + WORST * 380],
)
def test_the_worst_that_is_taken_is_run_to_the_end(pattern: str) -> None:
    assert compile_search(pattern, pattern)(b"ab" * 4_000) is not None


def test_what_people_write_is_far_from_too_large() -> None:
    columns = " ".join(f"%{{NOTSPACE:column{number}}}" for number in range(50))
    assert Pattern(columns, 0).parse(" ".join(["x"] * 50)) is not None
    for preset in PRESETS.values():
        for pattern in preset.patterns:
            Pattern(f"{pattern}(?<rest>.{{0,20}})", 0)
    for name in PATTERNS:
        Pattern(f"%{{{name}:one}} %{{{name}:other}}", 0)


def test_only_the_beginning_of_a_very_long_text_is_looked_at() -> None:
    search = compile_search("b", "b")
    assert search(b"a" * (MAX_MATCHED_BYTES - 1) + b"b") is not None
    assert search(b"a" * MAX_MATCHED_BYTES + b"b") is None
