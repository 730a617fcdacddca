"""The documentation at `/docs/`: how it is sent, and that people can read and search it."""

import asyncio
import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import ViewportSize
from tests.running import RunningService
from tests.ui.axe import find_faults
from tests.ui.conftest import DESKTOP, PHONE, OpenPage
from tests.ui.expecting import expect

from logboom.ui.docs import Docs, read_docs
from logboom.ui.files import PageFile
from logboom.web.asgi import send_answer
from logboom.web.types import Receive, Scope, Send

SIZES = {"desktop": DESKTOP, "phone": PHONE}
ELEMENT = re.compile(r'<(\w+(?: class="(?!language-)[^"]*")?)')


async def answer_rest(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send_answer(send, 200, b'"rest"')


@pytest.fixture
def files(tmp_path: Path) -> dict[str, PageFile]:
    (tmp_path / "saml").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>First</title>")
    (tmp_path / "saml/index.html").write_text("<!doctype html><title>SAML</title>")
    (tmp_path / "site-12ab.css").write_text("a {}")
    return read_docs(tmp_path)


def ask(files: dict[str, PageFile], path: str, method: str = "GET") -> httpx.Response:
    async def send_request() -> httpx.Response:
        transport = httpx.ASGITransport(Docs(files, answer_rest))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, path)

    return asyncio.run(send_request())


def test_pages_are_asked_for_each_time_and_what_they_use_is_kept(
    files: dict[str, PageFile],
) -> None:
    for path, title in (
        ("/docs/", "First"),
        ("/docs/saml/", "SAML"),
        ("/docs/index.html", "First"),
    ):
        answer = ask(files, path)
        assert (answer.status_code, title in answer.text) == (200, True)
        assert answer.headers["Cache-Control"] == "no-cache"
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "immutable" in ask(files, "/docs/site-12ab.css").headers["Cache-Control"]


def test_without_the_slash_one_is_led_to_it(files: dict[str, PageFile]) -> None:
    answer = ask(files, "/docs")
    assert answer.status_code == 200
    assert 'content="0; url=/docs/"' in answer.text
    assert '"/docs/reference/api.html"' in answer.text


@pytest.mark.parametrize("path", ["/docs/nothing.html", "/docs/saml", "/docs//", "/docs/x/"])
def test_what_is_no_page_is_not_found(files: dict[str, PageFile], path: str) -> None:
    assert ask(files, path).status_code == 404


def test_it_can_only_be_read_and_leaves_the_rest_alone(files: dict[str, PageFile]) -> None:
    assert ask(files, "/docs/", "POST").status_code == 405
    assert ask(files, "/docsx").json() == "rest"
    assert ask(files, "/api/docs/").json() == "rest"


def test_a_site_that_was_not_built_says_so(tmp_path: Path) -> None:
    answer = ask(read_docs(tmp_path / "nothing"), "/docs/")
    assert "make docs" in answer.text
    assert "/api/openapi.json" in answer.text


def test_a_server_has_it_for_everybody(service: RunningService) -> None:
    answer = service.anonymous.get("/docs/")
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert "Quick start" in answer.text
    again = service.anonymous.get("/docs/", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304


def choose_pages() -> list[str]:
    """Short pages that together have every kind of element: long ones only repeat them."""
    pages = {name: file.content.decode() for name, file in read_docs().items() if file.is_page}
    elements = {name: set(ELEMENT.findall(content)) for name, content in pages.items()}
    left, chosen = set().union(*elements.values()), []
    while left:
        chosen.append(max(pages, key=lambda name: len(elements[name] & left) / len(pages[name])))
        left -= elements[chosen[-1]]
    return chosen


@pytest.mark.parametrize("size", SIZES)
def test_pages_keep_nobody_out_and_fit_the_screen(open_page: OpenPage, size: str) -> None:
    shape: ViewportSize = SIZES[size]
    pages = choose_pages()
    assert len(pages) > 1
    for path in pages:
        page = open_page(f"docs/{path}", account=None, size=shape)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= shape["width"], path
        assert find_faults(page) == []


def test_the_search_finds_sections_and_leads_to_them(open_page: OpenPage) -> None:
    page = open_page("docs/saml/", account=None)
    page.keyboard.press("/")
    page.keyboard.type("largest groups come first")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/docs/search\.html\?q=largest"))
    results = page.get_by_role("main").get_by_role("listitem")
    expect(results.first).to_contain_text("Query language: stats")
    results.first.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"/docs/query-language\.html#stats$"))


def test_the_search_takes_what_is_typed_for_text(open_page: OpenPage) -> None:
    page = open_page("docs/search.html?q=%3Cimg+src%3Dx+onerror%3Dstrike()%3E", account=None)
    expect(page.get_by_role("status")).to_contain_text("Nothing found")
    page.get_by_role("searchbox").fill("SERVICE_PORT")
    expect(page.get_by_role("main").get_by_role("listitem").first).to_contain_text("SERVICE_PORT")
    assert find_faults(page) == []
    page.get_by_role("searchbox").fill("")
    expect(page.get_by_role("status")).to_have_text("Type into the field above.")


def test_the_menu_is_closed_on_a_phone_until_it_is_asked_for(open_page: OpenPage) -> None:
    page = open_page("docs/", account=None, size=PHONE)
    entry = page.get_by_role("navigation", name="Documentation").get_by_role("link", name="Alerts")
    expect(entry).to_be_hidden()
    page.get_by_text("Menu", exact=True).click()
    entry.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Alerts")


def test_the_theme_is_the_one_of_the_pages(open_page: OpenPage) -> None:
    page = open_page("docs/", account=None)
    page.evaluate("localStorage.setItem('logboom.preferences', '{\"theme\":\"dark\"}')")
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(27, 32, 39)"
    page.evaluate("localStorage.clear()")
