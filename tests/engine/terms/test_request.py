"""Cursors and globs of a request."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.together import together

from logboom.base.errors import Invalid
from logboom.engine.terms.request import EventId, EventKey, decode_cursor, encode_cursor

times_ns = st.integers(-(2**63), 2**63 - 1)


@given(time_ns=times_ns, node=st.text(), seq=st.integers(0, 2**63 - 1))
def test_a_cursor_is_read_back(time_ns: int, node: str, seq: int) -> None:
    key = EventKey(time_ns, node, seq)
    assert decode_cursor(encode_cursor(key)) == key


@together("cursor", ["", "x", "====", "é", "\x00", "AAAA", "a" * 100_000, "k6EBoQE"])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(Invalid, match="cursor"):
        decode_cursor(cursor)


@given(st.text())
def test_any_text_is_a_cursor_or_refused(text: str) -> None:
    try:
        assert isinstance(decode_cursor(text), EventKey)
    except Invalid:
        return


def test_ids_order_as_their_events_do() -> None:
    ids = [str(EventId(time_ns, "node", seq)) for time_ns in (0, 1, 2**62) for seq in (0, 1)]
    assert len(set(ids)) == len(ids)
    assert str(EventId(-1, "node", 16)) == "ffffffffffffffff-node-10"
