"""Which format a text is taken for."""

from pathlib import Path

import msgspec
import pytest
from tests.formats.feeding import read
from tests.together import together

from logboom.base.errors import Invalid
from logboom.formats import FORMATS, open_reader
from logboom.formats.auto.choose import SAMPLE_BYTES
from logboom.formats.auto.kinds.table import KINDS
from logboom.formats.auto.kinds.windows_xml import NAMESPACE
from logboom.formats.reader import Options

SAMPLES = Path(__file__).parents[1] / "samples"
CLEAR = [
    *("ndjson/plain", "json/array", "json/one-line", "json/object", "text/lines", "logfmt/go"),
    *("logfmt/values", "csv/plain", "csv/pipes", "csv/newlines", "tsv/tabs"),
    *("w3c/iis", "w3c/changes", "w3c/cloudfront"),
]
TEXTS = {
    "prose": "The service starts, reads its files.\nThen it waits, and waits, and waits.\n",
    "prose with a time in it": "Once\n" * 40 + "2026-03-02 10:00:00 was a moment\n" + "more\n" * 40,
    "levels between pipes": "INFO|main|started\nINFO|main|stopped\nWARN|main|odd\n",
    "a sentence with a pair": "started worker with pid=123 and more\nstopped worker with pid=123 at last\n",
    "brackets": "[one] two\n[three] four\n",
    "numbers": "12345 one\n12346 two\n",
    "words with pipes": "one | two\nthree | four | five\n",
    "braces": "{not json}\n{neither}\n",
    "one line": "hello\n",
    "stack trace": "Exception in thread main\n\tat a.b.C\n\tat d.e.F\n",
    "headless values": "1,2,3\n4,5,6\n",
    "xml": "<Event xmlns='http://x'><System><Provider Name='X'/><EventID>1</EventID></System></Event>\n",
    "pairs with a date": "x date=2025-06-14 time=15:16:01 is said here\n",
    "words like a header": "start end\n10 20\n30 40\n",
    "comments": "#fields are many\none\ttwo\nthree\tfour\n",
}
OTHERS = {
    "syslog": "<34>Oct 11 22:14:15 host su: failed\nOct 11 22:14:15 host su[1]: failed\n",
    "leef": "LEEF:1.0|v|p|1|2|src=192.0.2.0\tmsg=this is it\n<13>Oct 11 22:14:15 host LEEF:2.0|v|p|1|2|^|a=b\n",
    "vpc_flow": "version srcaddr dstaddr action start log-status\n",
    "windows_event": "Event[0]:\n  Event ID: 7\n",
    "auditd": "type=LOGIN msg=audit(1749914161.123:7): pid=1\n",
    "windows_xml": f"<Event xmlns='{NAMESPACE}'><System><EventID>1</EventID></System></Event>\n",
    "postgres_csv": f"2025-06-14 15:16:01.123 UTC,,,{'1,' * 20}\n",
    "fortigate": 'date=2025-06-14 time=15:16:01 devname="a" logid="1"\n',
    "filterlog": "Jun 14 15:16:01 fw filterlog[1]: 5,,,1,em0,match,block,in,4,0x0\n",
    "macos": "2025-06-14 15:16:01.123 Df a[1:1b4] text\n",
    "zeek": "#separator \\x09\n#fields\tts\tuid\n1.5\ta\n",
    "mongodb": '{"t": {"$date": "2026-03-02T10:00:00Z"}, "s": "I", "msg": "a"}\nnot json\n',
    "cef": "CEF:0|v|p|1|2|n|5|src=10.0.0.1\nOct 11 22:14:15 host CEF:0|v|p|1|2|n|5|a=b\n",
    "json": '[\n  {"a": 1},\n  {"a": 2}\n]\n',
    "ndjson": 'starting up\n{"a":1}\n{"a":2}\n{"a":3}\n',
    "tsv": "host\tlevel\nweb-1\tinfo\n",
    "csv": 'id,"name, full",city\n1,Bob,Berlin\n2,"Li, Amy",Paris\n',
    "logfmt": "level=info msg=up\nlevel=warn msg=slow retry\n",
}
ACCESS = '192.0.2.7 - bob [02/Mar/2026:10:00:00 +0100] "GET /a?b=c HTTP/1.1" 200 512'


def choose(text: bytes, options: Options | None = None) -> str:
    reader = open_reader("auto", options or Options())
    reader.feed(text)
    reader.finish()
    return reader.format


@together("name", CLEAR)
def test_a_clear_sample_is_taken_for_what_it_is(name: str) -> None:
    text = (SAMPLES / f"{name}.txt").read_bytes()
    format = name.partition("/")[0]
    assert choose(text) == format
    assert read("auto", [text]) == read(format, [text])


@together("name", sorted(TEXTS))
def test_what_only_looks_like_a_format_is_text(name: str) -> None:
    assert choose(TEXTS[name].encode()) == "text"


@together("format", sorted(OTHERS))
def test_a_few_lines_are_enough(format: str) -> None:
    assert choose(OTHERS[format].encode()) == format


@pytest.mark.parametrize("rest", ["", ' "https://example.com/" "curl/8.5"'])
def test_access_logs_are_read_by_their_preset(rest: str) -> None:
    lines, faults = read("auto", [f"{ACCESS}{rest}\n".encode() * 3])
    assert (len(lines), faults) == (3, 0)
    assert b"/a?b=c" in lines[0]
    assert choose(f"{ACCESS}{rest}\n".encode()) == ("combined" if rest else "common")


@pytest.mark.parametrize(
    "piece",
    ["[", "{", '"', " [", "a ", "a=", ",", "<", 'a",', "CEF:1", "\\", '"" ', "- - [] ", "1"],
)
@pytest.mark.parametrize("before", ["", "a b c ", "2026-03-02T10:00:00Z h ", '{"', "#Fields: a\n"])
def test_long_lines_of_any_kind_are_judged_in_one_pass(before: str, piece: str) -> None:
    lines, _ = read("auto", [f"{before}{piece * 100_000}\n".encode()])
    assert lines or piece == ","


def test_it_is_not_known_before_there_is_enough() -> None:
    reader = open_reader("auto", Options())
    line = b'{"a":"' + b"x" * 1000 + b'"}\n'
    for _ in range(SAMPLE_BYTES // len(line)):
        assert reader.feed(line).data == b""
        assert reader.format == "auto"
    assert reader.feed(line).data.count(b"\n") == SAMPLE_BYTES // len(line) + 1
    assert reader.format == "ndjson"


def test_the_beginning_decides_for_all() -> None:
    text = b"a=1 b=2\n" * 20_000 + b'{"json":"later"}\n'
    lines, faults = read("auto", [text])
    assert (len(lines), faults) == (20_001, 1)


def test_one_line_that_is_longer_than_the_sample_is_looked_at_whole() -> None:
    assert choose(b'{"a":"' + b"x" * (2 * SAMPLE_BYTES) + b'"}\nno json\n') == "ndjson"


@pytest.mark.parametrize("text", ["host,level,msg\n", "host\tlevel", "hello, world\n"])
def test_a_header_without_rows_is_a_message_when_nothing_follows(text: str) -> None:
    reader = open_reader("auto", Options())
    assert reader.feed(text.encode()).data == b""
    lines = reader.finish()
    assert msgspec.json.decode(lines.data) == {"message": text.strip("\n")}
    assert (reader.format, lines.faults) == ("text", 0)


def test_nothing_is_text() -> None:
    assert choose(b"") == choose(b"\n\n") == "text"


def test_a_pattern_means_grok() -> None:
    assert choose(b"hello\n", Options(grok="%{WORD:first}")) == "grok"
    with pytest.raises(Invalid):
        open_reader("auto", Options(grok="%{NOSUCH:first}"))


def test_folded_lines_are_judged_by_what_they_are_together() -> None:
    trace = b'level=error trace="one\n two\n three\n four"\n'
    assert choose(trace * 3) == "text"
    assert choose(trace * 3, Options(multiline="^level=")) == "logfmt"


def test_folded_lines_are_never_taken_for_rows() -> None:
    text = b"a,b\n1,2\n3,4\n"
    assert choose(text) == "csv"
    assert choose(text, Options(multiline="^.")) == "text"


def test_every_format_can_be_chosen() -> None:
    chosen = {choose(text.encode()) for text in OTHERS.values()}
    chosen |= {choose((SAMPLES / f"{name}.txt").read_bytes()) for name in CLEAR}
    assert chosen == set(FORMATS) - {"auto", "grok"} | set(KINDS)
