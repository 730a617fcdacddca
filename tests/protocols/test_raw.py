"""`POST /api/ingest/raw`: every format from end to end, what is answered, and what is refused."""

import gzip
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import brotli
import httpx
import pytest
import zstandard
from tests.api.signing_in import bearer, make_token
from tests.running import Body, RunningService
from tests.together import together

from logboom.formats import FORMATS
from logboom.formats.auto.kinds.table import KINDS
from logboom.formats.grok.presets import PRESETS

DOCS = Path(__file__).parents[2] / "docs"

DAY = "2024-05-06"
TIME = f"{DAY}T07:08:09Z"
ACCESS = (
    '10.0.0.1 - ann [06/May/2024:07:08:09 +0000] "GET /cart HTTP/1.1" 503 17 "-" "curl/8.11.0"\n'
)


class Sample(NamedTuple):
    """A text of one event, and fields that it is found with."""

    text: str
    event: dict[str, Any]
    options: Mapping[str, str] = {}


SAMPLES = {
    "ndjson": Sample(f'{{"ts":"{TIME}","msg":"hello"}}\n', {"message": "hello"}),
    "json": Sample(f'[{{"ts":"{TIME}",\n"msg":"hello"}}]', {"message": "hello"}),
    "text": Sample("hello world\n", {"message": "hello world"}),
    "syslog": Sample(
        f'<165>1 {TIME} web-1 shop 42 ID47 [origin ip="10.0.0.1"] hello\n',
        {"message": "hello", "hostname": "web-1", "app_name": "shop", "origin.ip": "10.0.0.1"},
    ),
    "logfmt": Sample(
        f'ts={TIME} level=info msg="hello world" status=503\n',
        {"message": "hello world", "level": "info", "status": 503},
    ),
    "csv": Sample(
        f'time;level;message;status\n{TIME};warn;"two\nlines; one cell";503\n',
        {"message": "two\nlines; one cell", "level": "warn", "status": 503},
    ),
    "tsv": Sample(f"time\tmessage\n{TIME}\thello world\n", {"message": "hello world"}),
    "grok": Sample(ACCESS, {"_time": TIME}, {"grok": "combined"}),
    "cef": Sample(
        "CEF:0|Acme|Wall|1.0|100|port scan|7|src=10.0.0.1 msg=many ports\n",
        {"src": "10.0.0.1", "message": "many ports"},
    ),
    "w3c": Sample(
        f"#Version: 1.0\n#Fields: date time cs-method sc-status\n{DAY} 07:08:09 GET 503\n",
        {"_time": TIME, "cs-method": "GET", "sc-status": 503},
    ),
}


def post(
    service: RunningService,
    body: Body,
    params: Mapping[str, str],
    headers: Mapping[str, str] | None = None,
) -> httpx.Response:
    return service.anonymous.post(
        "/api/ingest/raw", content=body, params=dict(params), headers=headers
    )


def keep(service: RunningService, body: Body, params: Mapping[str, str]) -> dict[str, Any]:
    """The answer to what must be accepted, and is searchable then."""
    answer = post(service, body, params)
    assert answer.status_code == 200, answer.text
    service.flush()
    content: dict[str, Any] = answer.json()
    return content


def check_row(service: RunningService, env: str, sample: Sample) -> None:
    (row,) = service.search(env=env)["rows"]
    assert {name: row.get(name) for name in sample.event} == sample.event


def test_every_format_has_a_sample() -> None:
    assert {*SAMPLES, "auto"} == set(FORMATS)


def test_the_documentation_names_every_format_and_preset_and_kind() -> None:
    page = (DOCS / "formats.md").read_text()
    headings = set(re.findall(r"^## (.+)$", page, re.MULTILINE))
    assert set(FORMATS) <= headings
    assert [name for name in (*PRESETS, *KINDS) if f"`{name}`" not in page] == []


@pytest.mark.parametrize("format", SAMPLES)
def test_every_format_is_read(service: RunningService, env: str, format: str) -> None:
    sample = SAMPLES[format]
    answer = keep(service, sample.text.encode(), {"env": env, "format": format, **sample.options})
    assert (answer["ingested"], answer["errors"], answer["format"]) == (1, 0, format)
    check_row(service, env, sample)


@pytest.mark.parametrize("format", SAMPLES)
def test_every_format_is_found_out(service: RunningService, env: str, format: str) -> None:
    sample = SAMPLES[format]
    answer = keep(service, sample.text.encode(), {"env": env})
    assert (answer["ingested"], answer["errors"]) == (1, 0)
    expected = "combined" if format == "grok" else format
    assert (answer["format"], answer["confidence"]) == (expected, 1.0)
    check_row(service, env, sample)


def test_a_log_of_no_known_format_is_read_by_its_times(service: RunningService, env: str) -> None:
    """Times, levels and folded traces, and the answer says what the text was taken for."""
    body = (
        b"Starting\n"
        b"2026-03-02 10:00:00,123 [worker 1] INFO shop.app - up\n"
        b'2026-03-02 10:00:01,004 [worker 2] ERROR shop.app - {"order":17,"msg":"failed"}\n'
        b"2026-03-02 10:00:02,000 [worker 2] ERROR shop.app - failed\n"
        b"Traceback (most recent call last):\n"
        b'  File "shop.py", line 1\n'
    )
    answer = post(service, body, {"env": env}).json()
    assert list(answer) == [
        *("ingested", "errors", "partitions", "write_errors", "throttled", "format", "confidence")
    ]
    assert (answer["ingested"], answer["errors"]) == (4, 0)
    assert (answer["format"], answer["confidence"]) == ("java", 1.0)
    service.flush()
    rows = service.search("logger:shop.app", env=env)["rows"]
    assert [row["_time"] for row in rows] == [
        *("2026-03-02T10:00:02Z", "2026-03-02T10:00:01.004Z", "2026-03-02T10:00:00.123Z")
    ]
    assert [row["level"] for row in rows] == ["ERROR", "ERROR", "INFO"]
    assert rows[0]["message"].count("\n") == 2
    assert (rows[1]["order"], rows[1]["message"]) == (17, "failed")


def test_the_answer_is_the_documented_object_in_its_order(
    service: RunningService, env: str
) -> None:
    answer = post(service, SAMPLES["logfmt"].text.encode(), {"env": env, "format": "logfmt"})
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.text == (
        f'{{"ingested":1,"errors":0,"partitions":["default/{DAY}"],'
        '"write_errors":[],"throttled":false,"format":"logfmt"}'
    )
    document = service.anonymous.get("/api/openapi.json").json()
    operation = document["paths"]["/api/ingest/raw"]["post"]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    assert list(answer.json()) == schema["required"]
    assert list(schema["properties"]) == [*schema["required"], "confidence"]
    named = {each["name"] for each in operation["parameters"] if each["in"] == "query"}
    assert named == {"format", "grok", "multiline", "max_lines", "env", "index", "source"}


def test_templates_are_filled_from_parsed_fields(service: RunningService, env: str) -> None:
    body = b"service=Web level=info\nservice=db\nlevel=warn\nno pairs here\n"
    params = {"env": env, "format": "logfmt", "index": "app-{{service}}"}
    answer = keep(service, body, params)
    names = [partition.partition("/")[0] for partition in answer["partitions"]]
    assert names == ["app-db", "app-unknown", "app-web"]
    rows = service.search(env=env)["rows"]
    assert sorted(row["_index"] for row in rows) == [
        "app-db",
        "app-unknown",
        "app-unknown",
        "app-web",
    ]


def test_lines_that_are_not_of_the_format_are_kept_and_counted(
    service: RunningService, env: str
) -> None:
    body = b'a=1\n"just" words, no pair\n\n  \nb=2\r\n\xff\xfe\n'
    answer = keep(service, body, {"env": env, "format": "logfmt"})
    assert (answer["ingested"], answer["errors"]) == (2, 2)
    rows = service.search(env=env)["rows"]
    messages = {row["message"] for row in rows if "message" in row}
    assert messages == {'"just" words, no pair', r"\xff\xfe"}
    assert service.count("a:1 OR b:2", env=env) == 2


def test_source_and_index_are_those_of_the_parameters(service: RunningService, env: str) -> None:
    params = {"env": env, "format": "logfmt", "source": "given", "index": "Some Logs"}
    keep(service, b"a=1\na=2 source=own\n", params)
    rows = service.search(env=env)["rows"]
    assert {row["a"]: row["source"] for row in rows} == {1: "given", 2: "own"}
    assert {row["_index"] for row in rows} == {"some-logs"}


def test_lines_are_folded(service: RunningService, env: str) -> None:
    body = b"1 first\n  at one\n  at two\n2 second\n  at three\n"
    params = {"env": env, "format": "text", "multiline": r"^\d"}
    assert keep(service, body, params)["ingested"] == 2
    rows = service.search(env=env)["rows"]
    assert {row["message"] for row in rows} == {
        "1 first\n  at one\n  at two",
        "2 second\n  at three",
    }


def test_a_folded_event_has_no_more_lines_than_it_may(service: RunningService, env: str) -> None:
    params = {"env": env, "format": "text", "multiline": "^x", "max_lines": "2"}
    assert keep(service, b"x\n1\n2\n3\n4\n", params)["ingested"] == 3


@pytest.mark.parametrize("body", [b"", b"\n", b"\r\n \r\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("format", FORMATS)
def test_a_body_without_lines_brings_nothing(
    service: RunningService, env: str, format: str, body: bytes
) -> None:
    options = {"grok": "combined"} if format == "grok" else {}
    answer = post(service, body, {"env": env, "format": format, **options}).json()
    assert (answer["ingested"], answer["errors"], answer["partitions"]) == (0, 0, [])
    assert answer["format"] == ("text" if format == "auto" else format)
    assert ("confidence" in answer) == (format == "auto")


BAD_PARAMETERS: dict[str, tuple[dict[str, str], str]] = {
    "unknown format": ({"format": "xml"}, "expected one of ndjson"),
    "no preset": ({"format": "grok", "grok": "nonsense"}, "nonsense"),
    "bad grok": ({"format": "grok", "grok": "%{NOTHING:a}"}, "NOTHING"),
    "bad regex": ({"format": "grok", "grok": "(?P<a>[)"}, "at"),
    "no pattern": ({"format": "grok", "grok": ""}, "grok"),
    "bad fold": ({"format": "text", "multiline": "a(b"}, "a(b"),
    "look-ahead": ({"multiline": "a(?=b)"}, "(?="),
    "no number": ({"max_lines": "many"}, "'many'"),
    "too few lines": ({"max_lines": "0"}, "expected at least 1"),
    "unknown environment": ({"env": "nowhere"}, "nowhere"),
    "reserved index": ({"index": "_self"}, "_self"),
}


@together("case", BAD_PARAMETERS)
def test_a_bad_parameter_is_told_before_the_body_is_in(service: RunningService, case: str) -> None:
    params, expected = BAD_PARAMETERS[case]
    answer = post(service, (b"x" * 99_999 + b"\n" for _ in range(200)), params)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "invalid"
    assert expected in error["message"]
    assert error["field"] == list(params)[-1]


@pytest.mark.parametrize(
    "params", [{"multiline": "abc(d"}, {"format": "grok", "grok": "%{WORD:a} %{NOTHING:b}"}]
)
def test_a_bad_pattern_has_its_position(service: RunningService, params: dict[str, str]) -> None:
    error = post(service, b"", params).json()["error"]
    assert isinstance(error["position"], int)
    assert error["position"] <= len("%{WORD:a} ")


@pytest.mark.parametrize(
    ("encoding", "encode"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("zstd", zstandard.compress),
        ("br", brotli.compress),
        ("identity", bytes),
    ],
)
def test_every_encoding_is_read(
    service: RunningService, env: str, encoding: str, encode: Callable[[bytes], bytes]
) -> None:
    lines = b"".join(b"id=%d\n" % number for number in range(5_000))
    answer = post(service, encode(lines), {"env": env}, {"Content-Encoding": encoding}).json()
    assert (answer["ingested"], answer["errors"], answer["format"]) == (5_000, 0, "logfmt")


def test_a_body_that_cannot_be_decoded_leaves_nothing(service: RunningService, env: str) -> None:
    body = gzip.compress(b"a=1\n" * 100_000)[:-5]
    answer = post(service, body, {"env": env}, {"Content-Encoding": "gzip"})
    assert answer.status_code == 400
    service.flush()
    assert service.count(env=env) == 0


def cut(body: bytes, size: int) -> Iterator[bytes]:
    return (body[start : start + size] for start in range(0, len(body), size))


def test_a_body_may_come_in_tiny_chunks(service: RunningService, env: str) -> None:
    text = "a,b\n" + "".join(f'{number},"x\ny"\n' for number in range(50))
    answer = keep(service, cut(text.encode(), 3), {"env": env, "format": "csv"})
    assert (answer["ingested"], answer["errors"]) == (50, 0)


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be"])
def test_utf_16_with_a_byte_order_mark_is_decoded(
    service: RunningService, env: str, charset: str
) -> None:
    lines = "".join(f"id={number} name=𝄞ü\r\n" for number in range(1_000))
    body = f"\ufeff{lines}".encode(charset) + b"\n"
    answer = keep(service, cut(body, 997), {"env": env})
    assert (answer["ingested"], answer["errors"], answer["format"]) == (1_000, 0, "logfmt")
    assert service.count("name:𝄞ü", env=env) == 1_000
    events = '\ufeff{"message":"naïve"}\r\n'.encode(charset)
    answer = service.anonymous.post("/api/ingest", content=events, params={"env": env}).json()
    assert (answer["ingested"], answer["errors"]) == (1, 0)


def test_a_large_body_is_loaded_as_a_whole(service: RunningService, env: str) -> None:
    """More than one batch holds: the header of the first chunk counts for all that follow."""
    rows, filler = 20_000, "x" * 1_000
    text = "id,text\n" + "".join(f"{number},{filler}\n" for number in range(rows))
    assert len(text) > 16 * 1024 * 1024
    answer = post(service, cut(text.encode(), 1 << 20), {"env": env}).json()
    assert (answer["ingested"], answer["errors"], answer["format"]) == (rows, 0, "csv")
    found = service.search("* | stats count, max(id)", env=env)["rows"]
    assert found == [{"count": rows, "max(id)": rows - 1}]


def test_a_large_body_that_breaks_off_leaves_nothing(service: RunningService, env: str) -> None:
    text = b"a=1 b=%s\n" % (b"x" * 1_000) * 20_000
    assert len(text) > 16 * 1024 * 1024
    body = zstandard.compress(text)
    answer = post(service, body[:-1], {"env": env}, {"Content-Encoding": "zstd"})
    assert answer.status_code == 400
    service.flush()
    assert service.count(env=env) == 0


def test_a_repeated_request_is_stored_once(service: RunningService, env: str) -> None:
    headers = {"Idempotency-Key": f"raw-{env}"}
    first, second = (
        post(service, b"a=1\nno pair\na=2\n", {"env": env, "format": "logfmt"}, headers)
        for _ in range(2)
    )
    assert first.json() == second.json()
    assert (first.json()["ingested"], first.json()["errors"]) == (2, 1)
    service.flush()
    assert service.count(env=env) == 3


def test_a_token_decides_where_events_may_go(service: RunningService, env: str) -> None:
    headers = bearer(make_token(service, env, ("app-*",)))
    body = b"to=app-1\nto=db\nto=app-2\n"
    answer = post(service, body, {"format": "logfmt", "index": "{{to}}"}, headers)
    assert (answer.json()["ingested"], answer.json()["errors"]) == (2, 1)
    service.flush()
    assert sorted(row["_index"] for row in service.search(env=env)["rows"]) == ["app-1", "app-2"]
    assert post(service, body, {"env": "default"}, headers).status_code == 403
    assert post(service, body, {}, bearer("wrong")).status_code == 401


def test_it_is_switched_off_with_native_ingest(
    start_service: Callable[..., RunningService],
) -> None:
    service = start_service()
    service.client.patch("/api/settings", json={"ingest": {"native_enabled": False}})
    answer = post(service, b"a=1\n", {})
    assert answer.status_code == 403
    assert "switched off" in answer.json()["error"]["message"]
    service.client.patch("/api/settings", json={"ingest": {"native_enabled": True}})
    assert post(service, b"a=1\n", {}).status_code == 200
