"""Words in texts: the compiled finder says what the definition says, of every text and in every layout."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logboom.model.containing import compile_finder, define_finder
from logboom.model.shredder import is_compiled

pytestmark = pytest.mark.skipif(not is_compiled(), reason="there is no compiled finder")

LETTERS = "aAkKsS10 -@`[{\x00\u212a\u017fäß日"
texts = st.one_of(
    st.none(),
    st.text(st.sampled_from(LETTERS), max_size=60),
    st.text(max_size=20),
)
words = st.text(st.sampled_from("aAkKsS10 -@`[{\x00"), min_size=1, max_size=20)


def find_both(found: list[str | None], wanted: tuple[str, ...]) -> list[bool]:
    series = pl.Series(found, dtype=pl.String)
    expected = define_finder(wanted)(series).to_list()
    assert compile_finder(wanted)(series).to_list() == expected
    return expected


@given(st.lists(texts, max_size=20), st.lists(words, min_size=1, max_size=3))
def test_the_compiled_finder_keeps_to_the_definition(
    found: list[str | None], wanted: list[str]
) -> None:
    find_both(found, tuple(wanted))


@given(st.lists(texts, max_size=20), st.integers(0, 20), st.integers(0, 20), words)
def test_parts_and_pieces_of_a_column_are_read_as_well(
    found: list[str | None], first: int, second: int, word: str
) -> None:
    series = pl.Series(found, dtype=pl.String)
    pieces = pl.concat([series[first:], series[:second]], rechunk=False)
    finder, definition = compile_finder((word,)), define_finder((word,))
    assert finder(pieces).to_list() == definition(pieces).to_list()


@pytest.mark.parametrize("length", range(1, 40))
def test_a_word_is_found_at_every_place(length: int) -> None:
    word = "quokka".ljust(length, "x")[:length]
    padded = [
        "." * before + word.upper() + "." * after for before in range(40) for after in (0, 5, 40)
    ]
    assert all(find_both([*padded], (word,)))
    assert not any(find_both([text[1:] for text in padded[:1]], (word,)))


def test_a_letter_beyond_ascii_that_is_the_same_in_another_case_is_found() -> None:
    found: list[str | None] = ["\u212aelvin", "mi\u017fs", "kelvin", None, ""]
    assert find_both(found, ("kelvin",)) == [True, False, True, False, False]
    assert find_both(found, ("miss",)) == [False, True, False, False, False]


def test_only_texts_can_be_searched() -> None:
    with pytest.raises(ValueError, match="Arrow type"):
        compile_finder(("a",))(pl.Series([1, 2]))
