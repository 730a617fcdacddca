"""Texts made harmless."""

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from logboom.cli.screen import defuse


def test_escape_sequences_are_shown_instead_of_obeyed() -> None:
    assert defuse("\x1b[2Jgone\r\n\x9b31m\u202e") == "\\u001b[2Jgone\\r\\n\\u009b31m\\u202e"


def test_ordinary_text_stays_as_it_is() -> None:
    text = "Grüße, 世界 👩\u200d🚀 «ok» \\n"
    assert defuse(text) == text


@given(st.text())
def test_nothing_that_controls_is_left(text: str) -> None:
    shown = defuse(text)
    assert not {unicodedata.category(each) for each in shown} & {"Cc", "Cs", "Zl", "Zp"}
    assert not {unicodedata.bidirectional(each) for each in shown} & {
        *("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"),
    }


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_keeps_its_meaning(text: str) -> None:
    assert json.loads(defuse(json.dumps(text, ensure_ascii=False))) == text
