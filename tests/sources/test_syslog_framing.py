"""Framing: every way to end a message, on one connection, however the stream is cut."""

from hypothesis import example, given
from hypothesis import strategies as st
from tests.together import together

from logboom.sources.syslog.framing import LARGEST_COUNT, Framer, Message

LIMIT = 64
SENDER = "192.0.2.1"

TEXTS = st.binary(min_size=1, max_size=2 * LIMIT).map(
    lambda data: b"<13>" + data.translate(None, b"\n\r\0")
)
LINES = st.binary(max_size=2 * LIMIT).map(lambda data: data.translate(None, b"\0"))
PLACES = st.lists(st.integers(0, 400), max_size=12)


def cut(stream: bytes, places: list[int]) -> list[bytes]:
    """The stream in chunks that end at these places."""
    ends = sorted({place for place in places if place < len(stream)})
    return [stream[a:b] for a, b in zip([0, *ends], [*ends, len(stream)], strict=True)]


def read(*chunks: bytes) -> list[Message]:
    framer = Framer(SENDER, LIMIT)
    messages = [message for chunk in chunks for message in framer.feed(chunk)]
    return messages + framer.finish()


def list_texts(*chunks: bytes) -> list[bytes]:
    messages = read(*chunks)
    assert not any(message.is_truncated for message in messages)
    assert {message.sender for message in messages} <= {SENDER}
    return [message.data for message in messages]


def count(data: bytes) -> bytes:
    return b"%d %b" % (len(data), data)


STREAMS = {
    "lines": (b"<13>one\n<14>two\n", [b"<13>one", b"<14>two"]),
    "carriage returns": (b"<13>one\r\n<14>two\r\n", [b"<13>one", b"<14>two"]),
    "no end at the end": (b"<13>one\n<14>two", [b"<13>one", b"<14>two"]),
    "empty frames": (b"\n\n<13>one\n\n\r\n\n<14>two\n\n", [b"<13>one", b"<14>two"]),
    "counted": (count(b"<13>one") + count(b"<14>two"), [b"<13>one", b"<14>two"]),
    "counted with its line feed": (count(b"<13>one\n") + count(b"<14>2\n"), [b"<13>one", b"<14>2"]),
    "counted, line feeds inside": (count(b"<13>a\nb\nc"), [b"<13>a\nb\nc"]),
    "counted, line feeds between": (count(b"<1>a") + b"\n" + count(b"<1>b"), [b"<1>a", b"<1>b"]),
    "counted with a NUL": (count(b"<13>one\0") + count(b"<14>two\0"), [b"<13>one", b"<14>two"]),
    "NUL": (b"<13>one\0<14>two\0", [b"<13>one", b"<14>two"]),
    "NUL, line feeds inside": (b"<13>a\nb\nc\0<14>d\ne\0", [b"<13>a\nb\nc", b"<14>d\ne"]),
    "NUL and line feed": (b"<13>one\0\n<14>two\0\n", [b"<13>one", b"<14>two"]),
    "a NUL within a line": (b"<13>a\0b\n<13>c\n<13>d\n", [b"<13>a", b"b", b"<13>c", b"<13>d"]),
    "mixed": (b"<1>a\n" + count(b"<1>b\n") + b"<1>c\n", [b"<1>a", b"<1>b", b"<1>c"]),
    "a line of digits": (b"2026-01-02 x\n17 ants\n5\n", [b"2026-01-02 x", b"17 ants", b"5"]),
    "digits at the end": (b"<13>one\n17 ", [b"<13>one", b"17 "]),
    "a count with a zero in front": (b"07 <13>one\n<13>two\n", [b"07 <13>one", b"<13>two"]),
    "a count too small": (b"5 <13>one\n<13>two\n", [b"<13>o", b"ne", b"<13>two"]),
    "ten digits": (b"1000000000 <13>one\n<13>two\n", [b"1000000000 <13>one", b"<13>two"]),
    "no priority": (b"hello\nthere\n", [b"hello", b"there"]),
    "a byte order mark": (b"\xef\xbb\xbf<13>one\n", [b"\xef\xbb\xbf<13>one"]),
    "nothing": (b"", []),
    "only ends": (b"\n\0\r\n\0", []),
}


@together(("stream", "expected"), STREAMS.values())
def test_every_framing_gives_its_messages(stream: bytes, expected: list[bytes]) -> None:
    assert list_texts(stream) == expected


@together(
    ("stream", "expected"),
    [each for name, each in STREAMS.items() if b"a\nb" not in each[0] or "counted" in name],
)
def test_byte_by_byte_they_are_the_same(stream: bytes, expected: list[bytes]) -> None:
    assert list_texts(*(bytes([byte]) for byte in stream)) == expected


@given(st.lists(st.one_of(TEXTS.map(count), LINES.map(lambda line: line + b"\n"))), PLACES)
@example([b"<" * LIMIT + b"\n"], [LIMIT])
@example([b"x" * LIMIT + b"\r\n", b"y\n"], [LIMIT, LIMIT + 1])
@example([b"%d <1>" % (LIMIT + 3), b"x" * LIMIT, b"<13>b\n"], [4, LIMIT])
def test_lines_and_counts_do_not_depend_on_how_they_are_cut(
    frames: list[bytes], places: list[int]
) -> None:
    stream = b"".join(frames)
    assert read(*cut(stream, places)) == read(stream)


@given(st.lists(st.binary(max_size=2 * LIMIT), max_size=8), PLACES)
@example([b"\n<13>", b"x\n1", b"2 <"], [2, 9, 10])
@example([b"x" * LIMIT + b"\n<13>y"], [LIMIT + 6, LIMIT + 7])
def test_after_a_nul_any_stream_does_not_depend_on_how_it_is_cut(
    frames: list[bytes], places: list[int]
) -> None:
    first, stream = b"<13>first\0", b"\0".join(frames)
    assert read(first, *cut(stream, places)) == read(first, stream)


@given(st.lists(TEXTS.filter(lambda text: len(text) <= LIMIT)), st.data())
def test_what_is_framed_is_found_again(texts: list[bytes], data: st.DataObject) -> None:
    frames = [data.draw(st.sampled_from([count(text), text + b"\n"])) for text in texts]
    assert list_texts(b"".join(frames)) == texts


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_no_stream_makes_it_hold_more_than_a_message(chunks: list[bytes]) -> None:
    framer = Framer(SENDER, LIMIT)
    for chunk in chunks:
        messages = framer.feed(chunk)
        assert all(len(message.data) <= LIMIT for message in messages)
        assert len(framer._buffer) <= LIMIT + 13


def test_a_line_that_is_too_long_is_cut_off_and_flagged() -> None:
    stream = b"<13>" + b"x" * (3 * LIMIT) + b"\n<14>next\n"
    first, second = read(stream)
    assert first == Message(stream[:LIMIT], SENDER, True)
    assert second == Message(b"<14>next", SENDER)


def test_a_line_of_exactly_the_limit_is_whole() -> None:
    assert list_texts(b"x" * LIMIT + b"\ny\n") == [b"x" * LIMIT, b"y"]


def test_a_counted_message_that_is_too_long_is_cut_off_and_flagged() -> None:
    long = b"<13>" + b"a line\n" * 50
    first, second = read(count(long) + count(b"<14>next"))
    assert first == Message(long[:LIMIT].rstrip(), SENDER, True)
    assert second == Message(b"<14>next", SENDER)


def test_a_count_beyond_reason_is_text_and_costs_only_its_line() -> None:
    stream = b"%d <13>a\n<14>next\n" % (LARGEST_COUNT + 1)
    assert list_texts(stream) == [stream.partition(b"\n")[0], b"<14>next"]


def test_a_counted_message_without_its_end_is_flagged() -> None:
    assert read(b"50 <13>only this") == [Message(b"<13>only this", SENDER, True)]


def test_after_a_break_the_stream_goes_on_where_it_was() -> None:
    """What came late of a counted message is not taken for another."""
    framer = Framer(SENDER, LIMIT)
    assert framer.feed(b"11 <13>hel") == []
    assert framer.finish() == [Message(b"<13>hel", SENDER, True)]
    assert framer.feed(b"lo!!9 <13>there") == [Message(b"<13>there", SENDER)]
