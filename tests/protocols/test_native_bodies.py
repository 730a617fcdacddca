"""Bodies of the native endpoint give the same events, however large they are and however they arrive."""

import codecs
import itertools
import json
from collections.abc import Iterator

import pytest
from tests.running import RunningService, encode_lines

LINES = encode_lines({"n": number, "message": f"größe {number}"} for number in range(50))
EVENTS = json.dumps([json.loads(line) for line in LINES.splitlines()]).encode()
SPREAD = EVENTS.replace(b"}, {", b"},\n {")
BODIES = {
    "lines": LINES,
    "without a line feed at the end": LINES.rstrip(),
    "with a mark": codecs.BOM_UTF8 + LINES,
    "UTF-16": codecs.BOM_UTF16_LE + LINES.decode().encode("utf-16-le"),
    "an array": EVENTS,
    "an array over many lines": SPREAD,
    "blank lines": LINES.replace(b"\n", b"\n\r\n"),
}
LARGE = b'{"message":"' + b"x" * 70_000 + b'"}'
"""Makes a body too large to be answered before it has arrived."""
indexes = (f"bodies{number}" for number in itertools.count())


def in_pieces(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), 1000):
        yield body[start : start + 1000]


def enlarge(name: str, body: bytes) -> bytes:
    if name == "UTF-16":
        return body + b"\n\0" + LARGE.decode().encode("utf-16-le")
    return body + (b"" if body.endswith(b"\n") else b"\n") + LARGE


@pytest.mark.parametrize("name", BODIES)
def test_size_and_framing_make_no_difference(service: RunningService, name: str) -> None:
    small = BODIES[name]
    for body, extra in ((small, 0), (enlarge(name, small), 1)):
        for content in (body, in_pieces(body)):
            index = next(indexes)
            answer = service.keep(content, {"index": index})
            assert (answer["ingested"], answer["errors"]) == (50 + extra, 0)
            rows = service.search("n:* | stats sum(n) as s, count() as c", index=index)["rows"]
            assert rows == [{"s": 1225, "c": 50}]


def test_a_bad_line_among_many_does_not_affect_the_others(service: RunningService) -> None:
    index = next(indexes)
    answer = service.keep(LINES + b"no object\n" + LARGE + b"\n" + LINES, {"index": index})
    assert (answer["ingested"], answer["errors"]) == (101, 1)
    assert service.count("n:*", index=index) == 100
    assert service.count('"no object"', index=index) == 1
