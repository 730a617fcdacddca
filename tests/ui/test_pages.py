"""How the pages' files are sent."""

import asyncio
import gzip
import html
from pathlib import Path

import brotli
import httpx
import pytest
from tests.running import RunningService

from logboom.ui.docs import read_docs
from logboom.ui.files import FIRST_PAGE, MEDIA_TYPES, PAGES, PageFile, read_files
from logboom.ui.pages import Pages
from logboom.web.asgi import send_answer
from logboom.web.types import Receive, Scope, Send

SCRIPT = b"export const answer = 42\n" * 100
NAME = "index-AbC_1-2.js"


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


async def answer_rest(scope: Scope, _receive: Receive, send: Send) -> None:
    is_missing = "missing" in scope["path"]
    await send_answer(send, 404 if is_missing else 200, b'"rest"')


@pytest.fixture
def files(tmp_path: Path) -> dict[str, PageFile]:
    (tmp_path / FIRST_PAGE).write_text("<!doctype html><title>Logboom</title>")
    (tmp_path / NAME).write_bytes(SCRIPT)
    return read_files(tmp_path)


def ask(
    files: dict[str, PageFile], path: str, method: str = "GET", **headers: str
) -> httpx.Response:
    async def send_request() -> httpx.Response:
        transport = httpx.ASGITransport(Pages(files, answer_rest))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return await client.request(method, path, headers=named)

    return asyncio.run(send_request())


def test_the_first_page_is_asked_for_each_time(files: dict[str, PageFile]) -> None:
    answer = ask(files, "/")
    assert answer.text == "<!doctype html><title>Logboom</title>"
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-cache"
    again = ask(files, "/", if_none_match=answer.headers["ETag"])
    assert (again.status_code, again.content) == (304, b"")


def test_other_files_are_kept_by_browsers(files: dict[str, PageFile]) -> None:
    answer = ask(files, f"/ui/{NAME}")
    assert answer.content == SCRIPT
    assert answer.headers["Content-Type"].startswith("text/javascript")
    assert "immutable" in answer.headers["Cache-Control"]


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip;q=0.5", "gzip"),
        ("BR;q=0, gzip", "gzip"),
        ("br; q=0.0, gzip ; q=0.000", None),
        ("identity", None),
    ],
)
def test_files_come_in_the_best_encoding(
    files: dict[str, PageFile], accepted: str, encoding: str | None
) -> None:
    answer = ask(files, f"/ui/{NAME}", accept_encoding=accepted)
    assert answer.headers.get("Content-Encoding") == encoding
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert answer.content == SCRIPT  # the client has decoded it
    if encoding:
        assert int(answer.headers["Content-Length"]) < len(SCRIPT) / 4


def test_both_encodings_hold_the_same() -> None:
    file = PageFile(NAME, SCRIPT)
    assert gzip.decompress(file.gzip) == brotli.decompress(file.brotli) == SCRIPT


@pytest.mark.parametrize("path", ["/ui/", "/ui/nothing.js", f"/ui/{NAME}/", "/ui/files.py"])
def test_what_is_no_file_is_not_found(files: dict[str, PageFile], path: str) -> None:
    answer = ask(files, path)
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


def test_pages_can_only_be_read(files: dict[str, PageFile]) -> None:
    answer = ask(files, "/", "POST")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("path", ["/api/search", "/uix", "/_bulk"])
def test_everything_else_goes_on(files: dict[str, PageFile], path: str) -> None:
    assert ask(files, path).json() == "rest"


def test_without_built_pages_the_first_one_says_so(tmp_path: Path) -> None:
    answer = ask(read_files(tmp_path / "nothing"), "/")
    assert "make setup" in answer.text
    assert 'href="/docs/"' in answer.text


def test_a_real_server_serves_them(service: RunningService) -> None:
    answer = service.anonymous.get("/", headers={"Accept": "text/html"})
    assert answer.text.startswith("<!doctype html>")
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert service.anonymous.head("/", headers={"Accept": "text/html"}).content == b""


@pytest.mark.parametrize("path", ["/missing", "/ui/nothing.js", "/missing/<b>x"])
def test_a_browser_gets_a_page_where_there_is_nothing(
    files: dict[str, PageFile], path: str
) -> None:
    answer = ask(files, path, accept=BROWSER)
    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert '<a href="/">Open Logboom</a>' in answer.text
    assert html.escape(path) in answer.text
    assert "<b>" not in answer.text


@pytest.mark.parametrize(
    ("path", "method", "accepted"),
    [
        ("/missing", "GET", "*/*"),
        ("/missing", "GET", "application/json"),
        ("/missing", "POST", BROWSER),
        ("/api/missing", "GET", BROWSER),
    ],
)
def test_programs_get_the_error_itself(
    files: dict[str, PageFile], path: str, method: str, accepted: str
) -> None:
    answer = ask(files, path, method, accept=accepted)
    assert (answer.status_code, answer.text) == (404, '"rest"')


def test_what_is_there_is_not_changed_for_browsers(files: dict[str, PageFile]) -> None:
    assert ask(files, "/other", accept=BROWSER).text == '"rest"'
    assert ask(files, "/", accept=BROWSER).text == ask(files, "/").text


def test_every_file_that_was_built_has_its_type() -> None:
    built = read_files(PAGES) | read_docs()
    assert {Path(name).suffix for name in built} <= MEDIA_TYPES.keys()
