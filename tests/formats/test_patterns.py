"""Patterns of users: what is wrong with one is said with its place."""

import pytest

from logboom.base.errors import Invalid
from logboom.formats.patterns import compile_search


@pytest.mark.parametrize(
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
