"""The filter of long words: it never denies what some text contains, and denies nearly all other ids."""

from random import Random
from uuid import UUID

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.model.twins import open_native
from tests.properties import examples
from tests.together import together

from logboom.model.columns import MESSAGE
from logboom.model.filters.longwords import (
    MAX_PIECES_PER_TEXT,
    WINDOW,
    list_pieces,
    make_long_words,
    may_contain_words,
)
from logboom.model.summary import summarise

LETTERS = "aAbBkKsSiI01_-"
ODD_LETTERS = LETTERS + " .:\u212a\u017f\u0130é錯😀\0\x7f"
words = st.text(st.sampled_from(LETTERS), max_size=40)
odd_texts = st.text(st.sampled_from(ODD_LETTERS), max_size=60) | words
chance = Random(7)


def make_id(length: int = 16) -> str:
    return "".join(chance.choices("0123456789abcdef", k=length))


def make_filter(texts: list[str]) -> bytes:
    """Short texts beside the others keep the filter from being too large."""
    long_words = make_long_words([*texts, *["-"] * sum(map(len, texts))])
    assert long_words is not None
    return long_words


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(odd_texts, min_size=1, max_size=4), st.data())
def test_filters_never_deny_a_part_of_a_text(texts: list[str], data: st.DataObject) -> None:
    long_words = make_filter(texts)
    value = data.draw(st.sampled_from(texts))
    start = data.draw(st.integers(0, len(value)))
    part = value[start : data.draw(st.integers(start, len(value)))]
    assert all(may_contain_words(long_words, case) for case in (part, part.lower(), part.upper()))


@settings(max_examples=examples(400), deadline=None)
@given(st.lists(odd_texts, max_size=6))
@example(["a" * 15, "b" * 16, "c" * 17])
@example(["0123456789\u212aabcdef"])
@example(["0123456789abcdef\u0130" + "x" * 20])
@example(["é" * 30 + "0123456789abcdefg"])
@example(["x" * 200])
def test_the_compiled_shredder_makes_the_same_filter(texts: list[str]) -> None:
    texts = [*texts, *["-"] * sum(map(len, texts))]
    series = pl.Series(MESSAGE.name, texts, pl.String)
    assert open_native().summarise_series(MESSAGE, series) == summarise(MESSAGE, texts)


def test_the_compiled_shredder_makes_the_same_filter_of_many_ids() -> None:
    texts = [f"commit {make_id(20)} of {UUID(int=chance.getrandbits(128))}" for _ in range(3000)]
    series = pl.Series(MESSAGE.name, texts, pl.String)
    summary = open_native().summarise_series(MESSAGE, series)
    assert summary == summarise(MESSAGE, texts)
    assert summary.long_words


@together(
    ("text", "count"),
    [
        ("", 0),
        ("quite a few words, none of which is long", 0),
        ("0123456789abcde", 0),
        ("0123456789abcdef", 1),
        ("0123456789.abcdef", 0),
        ("a" * 100, 1),
    ],
)
def test_pieces(text: str, count: int) -> None:
    assert len(list_pieces(text)) == count


def test_other_ids_are_denied() -> None:
    ids = [make_id() for _ in range(2000)]
    long_words = make_filter([f"request {each} failed" for each in ids[:1000]])
    assert all(may_contain_words(long_words, each.upper()) for each in ids[:1000])
    assert sum(may_contain_words(long_words, each) for each in ids[1000:]) < 120
    longer = [make_id(32) for _ in range(1000)]
    assert sum(may_contain_words(long_words, each) for each in longer) < 10


def test_a_part_of_an_id_is_found_in_it() -> None:
    ids = [make_id(32) for _ in range(50)]
    long_words = make_filter(ids)
    parts = [each[at : at + WINDOW] for each in ids for at in range(len(each) - WINDOW + 1)]
    assert all(may_contain_words(long_words, part) for part in parts)


@pytest.mark.parametrize(
    "text", ["", "short", "錯誤錯誤錯誤錯誤錯誤錯誤錯誤錯誤錯誤", "a b c d e f g h i j k"]
)
def test_texts_without_long_words_may_be_anywhere(text: str) -> None:
    assert may_contain_words(make_filter([]), text)
    assert may_contain_words(make_filter([make_id()]), text)


def test_texts_without_long_words_deny_every_id() -> None:
    assert make_long_words(["no id here"]) == b""
    assert not may_contain_words(b"", "0123456789abcdef")


def test_texts_with_too_many_pieces_have_no_filter() -> None:
    texts = [make_id(400)]
    assert len(list_pieces(texts[0])) > MAX_PIECES_PER_TEXT
    assert make_long_words(texts) is None
    series = pl.Series(MESSAGE.name, texts, pl.String)
    assert open_native().summarise_series(MESSAGE, series).long_words is None
