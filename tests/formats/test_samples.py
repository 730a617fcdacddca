"""Golden samples: `samples/<format>/<name>.txt` is read to the lines of `<name>.ndjson`, however it is fed.

`<name>.json` beside them, if there is one, has the options of the reader and how many faults there are.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec
from tests.formats.feeding import read
from tests.together import together

from logboom.formats import FORMATS
from logboom.formats.reader import Options

SAMPLES = sorted((Path(__file__).parent / "samples").glob("*/*.txt"))
NAMES = [f"{path.parent.name}/{path.stem}" for path in SAMPLES]


INTERLEAVED = {"cri-java", "docker-json"}
"""Samples of two streams that interleave: an event of one may be complete only after later ones of the other."""


class About(msgspec.Struct, forbid_unknown_fields=True):
    options: Options = Options()
    faults: int = 0


def read_about(path: Path) -> About:
    beside = path.with_suffix(".json")
    return msgspec.json.decode(beside.read_bytes(), type=About) if beside.exists() else About()


def chunkings(lines: list[bytes]) -> Iterator[list[bytes]]:
    """In one, line by line, with nothing in between, and in two at every place."""
    yield [b"".join(lines)]
    yield lines
    yield [piece for line in lines for piece in (line, b"")]
    for place in range(1, len(lines)):
        yield [b"".join(lines[:place]), b"".join(lines[place:])]


@together("path", SAMPLES)
def test_a_sample_is_read_to_its_lines_in_every_chunking(path: Path) -> None:
    about = read_about(path)
    expected = [line for line in path.with_suffix(".ndjson").read_bytes().split(b"\n") if line]
    for chunks in chunkings(path.read_bytes().splitlines(keepends=True)):
        lines, faults = read(path.parent.name, chunks, about.options)
        if path.stem in INTERLEAVED:
            lines, expected = sorted(lines), sorted(expected)
        assert (lines, faults) == (expected, about.faults)


@together("path", SAMPLES)
@together("change", ["crlf", "byte order mark", "no last line feed"])
def test_line_ends_and_byte_order_marks_are_no_part_of_the_text(path: Path, change: str) -> None:
    options = read_about(path).options
    text = path.read_bytes()
    changed = {
        "crlf": text.replace(b"\n", b"\r\n"),
        "byte order mark": b"\xef\xbb\xbf" + text,
        "no last line feed": text.removesuffix(b"\n"),
    }[change]
    lines, faults = read(path.parent.name, [changed], options)
    if path.parent.name == "ndjson":
        lines = [line.removesuffix(b"\r") for line in lines]
    assert (lines, faults) == read(path.parent.name, [text], options)


def test_every_format_has_samples() -> None:
    assert {path.parent.name for path in SAMPLES} == set(FORMATS)
