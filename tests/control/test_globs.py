"""Globs inside globs: what is covered for certain really is."""

from hypothesis import given
from hypothesis import strategies as st
from tests.together import together

from logboom.control.access.globs import covers_glob, covers_globs, matches_any

GLOBS = st.text("ab*?", max_size=5)
NAMES = st.text("ab", max_size=7)


@given(glob=GLOBS, other=GLOBS, names=st.lists(NAMES, max_size=30))
def test_a_glob_that_is_covered_matches_nothing_else(
    glob: str, other: str, names: list[str]
) -> None:
    if covers_glob(glob, other):
        assert [name for name in names if matches_any((other,), name)] == [
            name for name in names if matches_any((other,), name) and matches_any((glob,), name)
        ]


@together(
    ("mine", "others", "is_covered"),
    [
        (("*",), ("*", "a", "a*", "_*"), True),
        (("a*",), ("ab", "a", "a*", "ab*", "a?", "a*b"), True),
        (("a*",), ("*",), False),
        (("a*",), ("b", "a"), False),
        (("a?",), ("a*",), False),
        (("a?",), ("ab", "a?"), True),
        (("a*", "b"), ("ax", "b"), True),
        (("a*", "b*"), ("?",), False),
        (("a.c",), ("abc",), False),
        ((), ("a",), False),
    ],
)
def test_what_is_covered(mine: tuple[str, ...], others: tuple[str, ...], is_covered: bool) -> None:
    assert covers_globs(mine, others) is is_covered
