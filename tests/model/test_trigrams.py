"""Trigram sets: they never deny what some text contains, and deny most of the rest."""

import json
import re
from collections.abc import Callable
from random import Random

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.model.twins import make_batches, open_native, shred_both
from tests.properties import examples
from tests.together import together

from logboom.model.filters.trigrams import (
    LARGEST_BYTES,
    LETTERS,
    SMALLEST_BYTES,
    list_runs,
    make_trigrams,
    may_contain,
)

ODD_LETTERS = "kKsSiI\u212a\u017f\u0130\u0131\u0307ßẞÅåéÉ\u03c3\u03c2\u03a3µ\u03bc\0\x7f\x80 錯😀"
odd_texts = st.text(st.sampled_from(ODD_LETTERS) | st.characters(codec="utf-8"), max_size=12)
CASES: list[Callable[[str], str]] = [
    *(str.lower, str.upper, str.swapcase, str.title, str.casefold),
]


def make_set(texts: list[str]) -> bytes:
    trigrams = make_trigrams(texts)
    assert trigrams is not None
    return trigrams


def contains_in_any_case(value: str, text: str) -> bool:
    """By Unicode's simple case folding, which expressions match by, or in lower case."""
    found = pl.Series([value]).str.contains(f"(?is){re.escape(text)}").item()
    return bool(found) or text.lower() in value.lower()


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(odd_texts, min_size=1, max_size=4), st.data())
def test_sets_never_deny_a_part_of_a_text_in_any_case(
    texts: list[str], data: st.DataObject
) -> None:
    trigrams = make_set(texts)
    value = data.draw(st.sampled_from(texts))
    start = data.draw(st.integers(0, len(value)))
    part = value[start : data.draw(st.integers(start, len(value)))]
    assert may_contain(trigrams, part)
    for case in CASES:
        text = case(part)
        assert may_contain(trigrams, text) or not contains_in_any_case(value, text)


@settings(max_examples=examples(200), deadline=None)
@given(odd_texts, odd_texts)
@example("aX\u0130", "axi\u0307")
@example("xx\u212a", "XXK")
@example("xxk", "XX\u212a")
@example("\u017f\u017fs", "SSS")
def test_what_a_set_denies_no_text_contains(value: str, text: str) -> None:
    assert may_contain(make_set([value]), text) or not contains_in_any_case(value, text)


def test_every_letter_that_may_match_ascii_is_known() -> None:
    beyond = [chr(code) for code in range(0x80, 0x110000) if not 0xD800 <= code < 0xE000]
    expression = "(?i)[\\x00-\\x7f]"
    folded = pl.Series(beyond).str.contains(expression)
    lowered = {letter for letter in beyond if any(part < "\x80" for part in letter.lower())}
    assert set(pl.Series(beyond).filter(folded)) | lowered == set(LETTERS)


@together(
    ("text", "runs"),
    [
        ("", []),
        ("Plain Text", ["plain text"]),
        ("größe", ["gr", "e"]),
        ("\u212aELVIN Me\u017f\u017fage", ["kelvin message"]),
        ("D\u0130R", ["di", "r"]),
        ("錯誤", []),
    ],
)
def test_runs(text: str, runs: list[str]) -> None:
    assert list_runs(text) == runs


@pytest.mark.parametrize("text", ["", "zz", "錯誤錯誤", "zzézz"])
def test_texts_without_trigrams_may_be_anywhere(text: str) -> None:
    assert may_contain(make_set([]), text)


@pytest.mark.parametrize("text", ["zzz", "connection lost", "ézzzé", "Timeouts", "錯誤 timed-out"])
def test_absent_words_are_denied(text: str) -> None:
    assert not may_contain(make_set(["connection refused", "timeout", "es waren größere"]), text)


def test_trigrams_do_not_reach_from_text_to_text() -> None:
    trigrams = make_set(["ab", "cd", "", "e", "f"])
    assert trigrams == bytes(SMALLEST_BYTES)


def test_large_sets_deny_most_of_what_they_do_not_hold() -> None:
    chance = Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chance.choices(letters, k=8)) for _ in range(2000)]
    trigrams = make_set(words[:400])
    assert all(may_contain(trigrams, word) for word in words[:400])
    assert sum(may_contain(trigrams, word) for word in words[400:]) < 16


@pytest.mark.parametrize(
    ("count", "size_bytes"), [(0, 64), (60, 64), (70, 128), (1000, 1024), (1100, 2048)]
)
def test_sets_are_as_large_as_their_texts_need(count: int, size_bytes: int) -> None:
    texts = [chr(97 + number // 100) + f"{number % 100:02}" for number in range(count)]
    assert len(make_set(texts)) == size_bytes


def write_noise(length: int) -> str:
    return "".join(map(chr, Random(2).choices(range(128), k=length)))


def test_sets_never_outgrow_their_limit() -> None:
    noise = write_noise(100_000)
    trigrams = make_set([noise])
    assert len(trigrams) == LARGEST_BYTES
    assert may_contain(trigrams, noise)


def test_sets_that_are_half_full_are_not_kept() -> None:
    assert make_trigrams([write_noise(300_000)]) is None


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(odd_texts, max_size=8), st.lists(odd_texts, max_size=8))
def test_the_compiled_sets_are_the_same(messages: list[str], listed: list[str]) -> None:
    check_twins([{"message": text, "list": [*listed, text]} for text in messages])


@pytest.mark.parametrize("length", [1_000, 40_000, 100_000, 300_000])
def test_the_compiled_sets_of_noise_are_the_same(length: int) -> None:
    noise = write_noise(length)
    check_twins([{"message": noise[at : at + 500]} for at in range(0, length, 500)])


def check_twins(events: list[dict[str, object]]) -> None:
    native = open_native()
    lines = (json.dumps(event, ensure_ascii=False).encode() for event in events)
    shred_both(native, make_batches(native, [b"\n".join(lines)]))
