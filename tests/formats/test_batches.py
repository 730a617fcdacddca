"""Patterns for batches find what RE2 finds: in every text that is a sample, and in texts made to tell them apart."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.together import together

from logboom.formats import batches
from logboom.formats.auto.envelopes import ENVELOPES
from logboom.formats.auto.generic import write_strong
from logboom.formats.auto.reading import anchor, compile_begins
from logboom.formats.batches import MAX_TEXT_CHARACTERS, extract_groups, find_each, translate
from logboom.formats.grok.presets import PRESETS
from logboom.formats.grok.reader import compile_patterns
from logboom.formats.patterns import MAX_MATCHED_BYTES, Spans, compile_search

NOW_NS = 1_763_294_400_000_000_000
SAMPLES = Path(__file__).parent / "samples"
ODD = [
    "",
    "-",
    "\u00a0",
    "\x0b",
    "\u0663\u0665",
    "\u017f \u212a",
    "ä-ö",
    "a\u2028b",
    "\x1b[31mx",
    "[&&~--]",
    "\x00",
]
BOUNDARY = r"\b"
PIECES = (
    *(r"\d", r"\D", r"\s", r"\S", r"\w", r"\W", r"[\d.]", r"[^\d.]", r"[\s|]", r"[^\s\]]", r"[\w$/-]"),
    *(r"[^\W_]", r"[[(<]", r"[&&~]", r"[]x]", r"[^]x]", r"\<", r"\>", BOUNDARY, r"(?i:s)", r"(?i:k)"),
    *(".", r"\.", "a", "-", " ", r"\[", r"\n"),
)  # fmt: skip
CHARACTERS = st.sampled_from(
    "aZ0_ -.$/[](&~<>|\t\n\r\x0b\x0c\x00\x1bä\u017f\u212a\u0663\u00a0\u2028😀"
)


def list_texts() -> list[str]:
    """Lines of all samples, and several of them at a time."""
    texts = [*ODD]
    for path in sorted(SAMPLES.glob("*/*.txt")):
        lines = path.read_text(errors="backslashreplace").split("\n")
        texts += lines
        texts += ["\n".join(lines[at : at + 4]) for at in range(0, len(lines), 4)]
    return [text for text in texts if len(text) < MAX_TEXT_CHARACTERS]


TEXTS = list_texts()


@together("name", sorted(PRESETS))
def test_presets_read_the_same_in_batches(name: str) -> None:
    for pattern in compile_patterns(PRESETS[name], NOW_NS):
        assert pattern.parse_all(TEXTS) == [pattern.parse(text) for text in TEXTS]


@pytest.mark.parametrize(
    "begins", [write_strong(), *(envelope.begins for envelope in ENVELOPES)], ids=range(4)
)
def test_lines_begin_events_the_same_in_batches(begins: str) -> None:
    find_begins = compile_begins(anchor(begins))
    found = find_begins(TEXTS)
    assert found == [find_begins([text])[0] for text in TEXTS]
    assert True in found


@given(
    st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(["", "+", "*", "?", "{1,2}", "*?"]))),
    st.lists(st.text(CHARACTERS), min_size=1, max_size=5),
    st.booleans(),
)  # fmt: skip
def test_a_translated_pattern_matches_as_re2_does(
    pieces: list[tuple[str, str]], texts: list[str], whole: bool
) -> None:
    expression = "".join(
        f"({piece}{'' if piece == BOUNDARY else count})" for piece, count in pieces
    )
    search = compile_search(expression, expression, whole=whole)
    found = [search(text.encode()) for text in texts]
    translated = translate(expression, whole=whole)
    assert find_each(translated, texts) == [spans is not None for spans in found]
    if pieces:
        rows = [cut(text, spans, len(pieces)) for text, spans in zip(texts, found, strict=True)]
        columns = [list(column) for column in zip(*rows, strict=True)]
        assert extract_groups(translated, texts) == columns


def cut(text: str, spans: Spans | None, groups: int) -> list[str | None]:
    """What the groups of a match hold."""
    if spans is None:
        return [None] * groups
    return [text.encode()[start:end].decode() for start, end in spans[1:]]


def test_texts_too_long_for_re2_are_not_read_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "MIN_TEXTS", 1)
    line = '192.0.2.7 - bob [02/Mar/2026:10:00:00 +0100] "GET /{} HTTP/1.1" 200 512'
    (pattern, *_) = compile_patterns(PRESETS["common"], NOW_NS)
    short, long = line.format("a"), line.format("a" * MAX_MATCHED_BYTES)
    read_short, read_long = pattern.parse_all([short, long])
    assert read_short is not None
    assert read_long is None
