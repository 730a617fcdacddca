"""Streams and their text: the same bytes from any place on, however they are stored."""

import gzip
import tempfile
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from logboom.sources.files.identity import START, Reached, list_names, name_marks
from logboom.sources.files.reading import Text
from logboom.sources.files.streams import Stream, open_stream

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "none": bytes,
    "gzip": gzip.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
CHARSETS = ("utf-16-le", "utf-16-be")
NOT_HALF = st.characters(exclude_categories=["Cs"])


def with_stream(content: bytes, use: Callable[[Stream], None], compression: str = "auto") -> None:
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        use(open_stream(file.fileno(), compression))


@given(
    st.lists(st.binary(max_size=300), max_size=4),
    st.lists(st.tuples(st.integers(0, 1200), st.integers(0, 1200)), max_size=8),
    st.sampled_from(list(PACKERS)),
)
def test_any_place_can_be_read_in_any_order(
    members: list[bytes], places: list[tuple[int, int]], packer: str
) -> None:
    content = b"".join(members)

    def use(stream: Stream) -> None:
        for offset, size in places:
            assert stream.read_at(offset, size) == content[offset : offset + size]
        stream.examine()
        assert (stream.is_whole, stream.fault) == (True, "")
        assert stream.read_at(0, len(content) + 1) == content

    with_stream(b"".join(map(PACKERS[packer], members)), use, packer)


@given(st.text(NOT_HALF, max_size=40), st.integers(2, 90), st.sampled_from(CHARSETS))
def test_text_has_the_places_of_its_stream(text: str, size: int, charset: str) -> None:
    content = f"\ufeff{text}".encode(charset)

    def use(stream: Stream) -> None:
        read, at = b"", 0
        decoded = Text(stream)
        # Two units at least, or a character of two would never come.
        while (piece := decoded.read_at(at, max(size, 4)))[0]:
            read += piece[0]
            at += decoded.measure(piece[0])
        assert read.decode() == f"\ufeff{text}"
        assert at == len(content)

    with_stream(content, use, "none")


def test_halves_of_characters_are_kept() -> None:
    content = "\ufeffa\ud800b\n".encode("utf-16-le", "surrogatepass")

    def use(stream: Stream) -> None:
        text = Text(stream)
        data, is_end = text.read_at(0, 100)
        assert is_end
        assert text.measure(data) == len(content)

    with_stream(content, use, "none")


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=20))
def test_a_place_is_known_again_in_the_same_content_only(lines: list[bytes]) -> None:
    content = b"\n".join(lines) + b"\n"
    inode = 1, 2

    def use(stream: Stream) -> None:
        for offset in (0, content.index(b"\n") + 1, len(content)):
            reached = Reached.at(stream, offset)
            assert Reached.decode(reached.encode()) == reached
            assert reached.fits(stream)
            names = name_marks(inode, content, offset)
            assert not offset or names in list_names(inode, content[:1024])
        assert not Reached.at(stream, len(content))._replace(offset=len(content) + 1).fits(stream)

    with_stream(content, use, "none")
    assert START.encode() == 0


@pytest.mark.parametrize("packer", PACKERS)
def test_what_compression_a_file_has_is_seen_by_its_first_bytes(packer: str) -> None:
    def use(stream: Stream) -> None:
        assert stream.is_packed == (packer != "none")
        assert stream.read_at(0, 100) == b"text"

    with_stream(PACKERS[packer](b"text"), use)


@pytest.mark.parametrize("later", [b"", b"other lines\n" * 40])
@pytest.mark.parametrize("start", [0, 300, 390])
def test_a_place_is_noted_by_what_was_read_there(start: int, later: bytes) -> None:
    """A log that is copied and cut off between the two must be known again as its copy."""
    content = b"".join(b"line %03d\n" % number for number in range(44))
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        stream = open_stream(file.fileno(), "none")
        assert stream.read_at(start, 1000) == content[start:]
        file.truncate(0)
        file.seek(0)
        file.write(later)
        file.flush()
        reached = Reached.at(stream, len(content))
    with_stream(content, lambda copy: check_fits(reached, copy))


def check_fits(reached: Reached, stream: Stream) -> None:
    assert reached.fits(stream)
