"""Pictures of all pages, light, dark and on a phone, for people to look at: `make pictures`.

They are taken only when LOGBOOM_SCREENSHOTS names a folder. What must hold of every page is in test_accessibility.py.
"""

from collections.abc import Callable, Iterator
from typing import Literal

import pytest
from playwright.sync_api import Page
from tests.process.service import PASSWORD, USERNAME, Service
from tests.ui.administering import act, row_of
from tests.ui.conftest import DESKTOP, PHONE, OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import event_rows

ACCOUNT = {"username": USERNAME, "password": PASSWORD}
KeepPicture = Callable[[Page, str], None]

Scheme = Literal["light", "dark"]
LOOKS: dict[str, dict[str, Scheme]] = {
    "desktop": {"light": "light", "dark": "dark"},
    "phone": {"phone": "light"},
}
"""The pictures of each size by how their names end, and the colours they have."""
SIZES = {"desktop": DESKTOP, "phone": PHONE}
VIEWS = {
    "explore": "from=-24h",
    "explore-patterns": "from=-24h&tab=patterns",
    "explore-table": "from=-24h&q=%7C+stats+count()+as+events,+p95(duration_ms)+by+service&tab=table",
    "explore-chart": "from=-24h&q=%7C+timechart+count()+by+service&tab=chart",
    "explore-bars": "from=-24h&q=%7C+stats+count()+as+events+by+service&tab=chart&chart=bar",
    "explore-pie": "from=-24h&q=%7C+stats+count()+as+events+by+service&tab=chart&chart=pie",
    "explore-nothing": "from=-24h&q=servise:chekout+level:error",
}
PAGES = {
    "dashboards": "/dashboards",
    "alerts": "/alerts",
    "send": "/send",
    "sources": "/admin/ingestion/sources",
    "syslog": "/admin/ingestion/syslog",
    "tokens": "/admin/ingestion/tokens",
    "environments": "/admin/environments",
    "general": "/admin/general",
    "tunables": "/admin/tunables",
    "users": "/admin/users",
    "keys": "/admin/keys",
    "channels": "/admin/channels",
    "lookups": "/admin/lookups",
    "single-sign-on": "/admin/single-sign-on",
    "indexes": "/admin/indexes",
    "status": "/admin/status",
    "audit": "/admin/audit",
    "account": "/account",
}
ALERT: dict[str, object] = {
    "name": "Errors of a service",
    "description": "Somebody should look at it soon.",
    "query": "level:error | stats count() as errors by service",
    "operator": "above",
    "threshold": 20,
    "window_secs": 600,
}
MADE: list[tuple[str, dict[str, object]]] = [
    ("/api/samples", {"env": "default", "events": 50_000, "hours": 24}),
    ("/api/envs", {"name": "staging", "retention_days": 14}),
    ("/api/tokens", {"name": "Vector in Frankfurt", "env": "default", "indexes": ["*"]}),
    ("/api/keys", {"name": "Dashboards", "scopes": ["search"]}),
    ("/api/users", {"username": "ann", "password": "quite long enough", "role": "editor"}),
    ("/api/alerts", ALERT),
    ("/api/sources", {"name": "nginx", "path": "/var/log/nginx/*.log*"}),
]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The real server with the sample data, and one of everything that can be set up."""
    folder = tmp_path_factory.mktemp("pictures")
    server = Service(folder / "data", folder / "server.log", {})
    try:
        server.start()
        for path, document in MADE:
            answer = server.post(path, document)
            assert answer.is_success, answer.text
        server.flush()
        yield server
    finally:
        server.close()


@pytest.fixture(params=LOOKS)
def look(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def keep_looks(keep_picture: KeepPicture, look: str) -> KeepPicture:
    """Keeps what is shown in every colour that the size is looked at in."""

    def keep(page: Page, name: str) -> None:
        for ending, scheme in LOOKS[look].items():
            page.emulate_media(color_scheme=scheme)
            keep_picture(page, f"{name}-{ending}")

    return keep


def settle(page: Page) -> None:
    """Everything that was asked for is there."""
    page.wait_for_load_state("networkidle")
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


def open_look(open_page: OpenPage, shop: Service, look: str, address: str) -> Page:
    return open_page(address, on=shop, account=ACCOUNT, size=SIZES[look])


def test_pictures_of_explore(
    open_page: OpenPage, shop: Service, keep_looks: KeepPicture, look: str
) -> None:
    page = open_look(open_page, shop, look, "#/explore?from=-24h")
    expect(event_rows(page).first).to_be_visible()
    for name, view in VIEWS.items():
        page.goto(f"/#/explore?{view}")
        expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
        settle(page)
        keep_looks(page, name)


def test_pictures_of_what_opens_on_explore(
    open_page: OpenPage, shop: Service, keep_looks: KeepPicture, look: str
) -> None:
    page = open_look(open_page, shop, look, "#/explore?from=-24h&q=level:error")
    event_rows(page).nth(2).get_by_role("gridcell").first.click()
    detail = page.get_by_role("complementary", name="Event detail")
    for tab in ("Fields", "JSON", "Context"):
        detail.get_by_role("tab", name=tab).click()
        expect(detail.get_by_role("tabpanel")).not_to_be_empty()
        expect(detail.get_by_role("status", name="Loading")).to_have_count(0)
        settle(page)
        keep_looks(page, f"detail-{tab.lower()}")
    page.get_by_role("button", name="Close event detail").click()
    if look != "phone":
        page.get_by_role("button", name="Keyboard shortcuts", exact=True).click()
        keep_looks(page, "keys-help")
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Time: ").click()
    keep_looks(page, "time")


def test_pictures_of_the_other_pages(
    open_page: OpenPage, shop: Service, keep_looks: KeepPicture, look: str
) -> None:
    page = open_look(open_page, shop, look, "#/send")
    for name, place in PAGES.items():
        page.goto(f"/#{place}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.get_by_role("status", name="Loading")).to_have_count(0)
        keep_looks(page, name)


def test_pictures_of_a_dashboard(
    open_page: OpenPage, shop: Service, keep_looks: KeepPicture, look: str
) -> None:
    page = open_look(open_page, shop, look, "#/dashboards")
    page.get_by_role("link", name="Sample shop").click()
    expect(page.get_by_role("region", name="Latest errors", exact=True)).to_be_visible()
    settle(page)
    keep_looks(page, "dashboard")
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("button", name="Settings").click()
    keep_looks(page, "dashboard-settings")


def test_pictures_of_forms(
    open_page: OpenPage, shop: Service, keep_looks: KeepPicture, look: str
) -> None:
    page = open_look(open_page, shop, look, "#/admin/ingestion/sources")
    act(row_of(page, "Sources", "nginx"), "Edit")
    page.get_by_role("button", name="Browse…").click()
    expect(page.get_by_role("list", name="Directories and files")).to_be_visible()
    keep_looks(page, "source-form")
    page.goto("/#/alerts")
    act(row_of(page, "Alerts", "Errors of a service"), "Edit")
    expect(page.get_by_role("region", name="Preview")).to_contain_text("Would have fired")
    keep_looks(page, "alert-form")
    page.goto("/#/admin/keys")
    page.get_by_role("button", name="New key").click()
    page.get_by_role("dialog").get_by_role("button", name="Create").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    keep_looks(page, "key-form")


def test_pictures_of_the_entrance(
    open_page: OpenPage, shop: Service, keep_looks: KeepPicture, look: str
) -> None:
    page = open_page("", on=shop, account=None, size=SIZES[look])
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    keep_looks(page, "sign-in")
    page = open_look(open_page, shop, look, "#/explore?env=staging")
    expect(page.get_by_role("heading", name="No events yet")).to_be_visible()
    keep_looks(page, "empty")
