"""Things with names that are out to harm who looks at them, in a browser: they are shown, and that is all."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page
from tests.process.service import PASSWORD, USERNAME, Service
from tests.running import RunningService
from tests.ui.administering import dialog, error_at, rows_of
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import take_tool
from tests.ui.hostile import HOSTILE, expect_harmless, show_line
from tests.waiting import poll_until

ACCEPTED = 250
"""The API refuses names that cannot be printed or are too long; so many it takes at least."""
LONGEST_FILE_NAME = 250
Wish = dict[str, object]


class Slot(NamedTuple):
    """Where names are given to things, and the page with a table of them."""

    path: str
    make: Callable[[str], Wish]
    place: str
    table: str


SLOTS = [
    Slot(
        "/api/tokens",
        lambda text: {"name": text, "env": "default", "indexes": ["*"]},
        "/admin/ingestion/tokens",
        "Tokens",
    ),
    Slot("/api/keys", lambda text: {"name": text, "scopes": ["search"]}, "/admin/keys", "API keys"),
    Slot(
        "/api/sources",
        lambda text: {"name": text, "path": f"/nowhere/{text}", "enabled": False},
        "/admin/ingestion/sources",
        "Sources",
    ),
]


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with RunningService(tmp_path_factory.mktemp("attacked")) as running:
        yield running


def create_all(service: RunningService, path: str, make: Callable[[str], Wish]) -> list[str]:
    """The names of those that the API takes."""
    answers = [(text, service.client.post(path, json=make(text))) for text in HOSTILE]
    assert {answer.status_code for _, answer in answers} <= {201, 400, 409}
    names = [text for text, answer in answers if answer.status_code == 201]
    assert len(names) > ACCEPTED
    return names


def texts_of(locator: Locator) -> list[str]:
    texts: list[str] = locator.evaluate_all("all => all.map((each) => each.textContent)")
    return texts


@pytest.mark.parametrize("slot", SLOTS, ids=[slot.table for slot in SLOTS])
def test_tables_show_names(open_page: OpenPage, attacked: RunningService, slot: Slot) -> None:
    names = create_all(attacked, slot.path, slot.make)
    page = open_page(f"#{slot.place}", on=attacked)
    rows = rows_of(page, slot.table)
    expect(rows).to_have_count(len(names))
    shown = texts_of(rows.locator("td:first-child strong"))
    assert sorted(shown) == sorted(show_line(name) for name in names)
    expect_harmless(page)


def test_saved_queries_show_names_and_queries(
    open_page: OpenPage, attacked: RunningService
) -> None:
    names = create_all(
        attacked,
        "/api/queries",
        lambda text: {"name": text, "description": text, "query": "*", "is_shared": True},
    )
    page = open_page(on=attacked)
    take_tool(page, "Saved queries")
    saved = dialog(page).get_by_role("listitem")
    expect(saved).to_have_count(len(names))
    assert sorted(texts_of(saved.locator("strong"))) == sorted(show_line(name) for name in names)
    expect_harmless(page)


def test_the_history_shows_queries(open_page: OpenPage, attacked: RunningService) -> None:
    page = open_page(on=attacked)
    past = [
        {
            "query": text,
            "filters": [],
            "env": "default",
            "index": "*",
            "from": "-1h",
            "to": "now",
            "time": f"2026-03-02T10:00:00.{place:03}Z",
        }
        for place, text in enumerate(HOSTILE)
    ]
    page.evaluate("past => localStorage.setItem('logboom.history', JSON.stringify(past))", past)
    page.reload()
    take_tool(page, "History")
    queries = dialog(page).get_by_role("listitem")
    expect(queries).to_have_count(len(HOSTILE))
    expect(dialog(page)).to_contain_text("<script>strike(1)</script>")
    expect_harmless(page)


def test_preferences_of_any_kind_break_nothing(
    open_page: OpenPage, attacked: RunningService
) -> None:
    page = open_page(on=attacked)
    kept = {"pinnedFields": HOSTILE, "widths": dict.fromkeys(HOSTILE, 10**9), "theme": HOSTILE[0]}
    page.evaluate("kept => localStorage.setItem('logboom.preferences', JSON.stringify(kept))", kept)
    page.reload()
    expect(page.get_by_role("region", name="Results", exact=True)).to_be_visible()
    expect_harmless(page)


def test_the_directory_browser_shows_files(
    open_page: OpenPage, attacked: RunningService, tmp_path: Path
) -> None:
    names = [text for text in HOSTILE if is_file_name(text)]
    assert len(names) > 200
    for name in names:
        (tmp_path / name).write_bytes(b"")
    page = open_page("#/admin/ingestion/sources", on=attacked)
    page.get_by_role("button", name="New source").click()
    page.get_by_label("Path", exact=True).fill(f"{tmp_path}/*")
    page.get_by_role("button", name="Browse…").click()
    files = page.get_by_role("list", name="Directories and files").get_by_role("button")
    expect(files).to_have_count(len(names))
    assert sorted(texts_of(files.locator(".name"))) == sorted(show_line(name) for name in names)
    expect_harmless(page)


def is_file_name(text: str) -> bool:
    is_short = len(text.encode()) < LONGEST_FILE_NAME
    return is_short and not {"/", "\0"} & set(text) and not text.startswith(".")


def test_index_names_are_what_the_server_leaves_of_them(
    open_page: OpenPage, attacked: RunningService
) -> None:
    for text in HOSTILE:
        attacked.ingest(b'{"message":"x"}', {"index": text})
    attacked.flush()
    indexes = attacked.client.get("/api/indexes", params={"env": "default"}).json()
    page = open_page("#/admin/indexes", on=attacked)
    rows = rows_of(page, "Indexes of default")
    expect(rows).to_have_count(len(indexes))
    expect_harmless(page)
    page.goto("/#/explore")
    page.get_by_role("combobox", name="Index").click()
    expect(page.get_by_role("listbox", name="Index").get_by_role("option").first).to_be_visible()
    expect_harmless(page)


@pytest.mark.parametrize("place", ["/send", "/admin/indexes", "/admin/audit"])
def test_addresses_of_other_pages_are_only_read(
    open_page: OpenPage, attacked: RunningService, place: str
) -> None:
    page = open_page(f"#{place}", on=attacked)
    for text in HOSTILE[::20]:
        parts = dict.fromkeys(("env", "index", "who", "action", "outcome", "from", "to"), text)
        page.goto(f"/#{place}?{urlencode(parts)}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect_harmless(page)


def test_errors_repeat_what_was_typed(open_page: OpenPage, attacked: RunningService) -> None:
    page = open_page("#/admin/environments", on=attacked)
    page.get_by_role("button", name="New environment").click()
    for text in ("<script>strike(1)</script>", '"><svg/onload=strike(1)>', "{{7*7}}"):
        type_name(page, text)
        expect(error_at(page, "Name")).to_contain_text("is not valid")
        expect(error_at(page, "Name")).to_contain_text(text)
    expect_harmless(page)


def type_name(page: Page, text: str) -> None:
    page.get_by_label("Name", exact=True).fill(text)
    page.get_by_role("button", name="Create").click()


def test_the_audit_trail_shows_what_was_done_to_what(
    open_page: OpenPage, fresh_server: Service
) -> None:
    fresh_server.sign_in()
    made = [
        text
        for text in HOSTILE[:120]
        if fresh_server.post("/api/tokens", {"name": text, "env": "default"}).is_success
    ]
    poll_until(lambda: count_made(fresh_server) == len(made), "the records of all tokens")
    account = {"username": USERNAME, "password": PASSWORD}
    page = open_page("#/admin/audit?action=token.create", on=fresh_server, account=account)
    page.get_by_role("button", name="Load older").click()
    targets = rows_of(page, "Audit records").locator("td:nth-child(4)")
    expect(targets).to_have_count(len(made))
    assert sorted(texts_of(targets)) == sorted(show_line(name) for name in made)
    expect_harmless(page)


def count_made(server: Service) -> int:
    server.flush()
    query = "action:=token.create"
    total: int = server.search(query, env="_system", index="_self", limit=0, count=True)["total"]
    return total
