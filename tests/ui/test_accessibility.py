"""What a machine can find of what keeps people out: axe on every page, light and dark, wide and narrow; nothing overflows."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import ViewportSize
from tests.running import RunningService
from tests.ui.administering import act, row_of
from tests.ui.axe import find_faults
from tests.ui.conftest import DESKTOP, PHONE, OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import event_rows, keep_events, keep_orders, make_order, take_tool

PLACES = {
    "/dashboards": "Dashboards",
    "/alerts": "Alerts",
    "/send": "Send data",
    "/admin/ingestion/sources": "Data ingestion",
    "/admin/ingestion/syslog": "Syslog listener",
    "/admin/ingestion/tokens": "Ingest tokens",
    "/admin/environments": "Environments",
    "/admin/general": "General",
    "/admin/tunables": "Tunables",
    "/admin/single-sign-on": "Single sign-on",
    "/admin/users": "Users",
    "/admin/keys": "API keys",
    "/admin/channels": "Channels",
    "/admin/indexes": "Indexes",
    "/admin/lookups": "Lookup tables",
    "/admin/status": "Status",
    "/admin/audit": "Audit",
    "/account": "Your account",
}
"""Pages by a heading that they have when they are there."""
VIEWS = {
    "": "",
    "tab=patterns": "Patterns",
    "q=%7C+stats+count()+by+service&tab=table": "Table",
    "q=%7C+stats+count()+by+service&tab=chart&chart=bar": "Chart",
    "q=%7C+stats+count()+by+service&tab=chart&chart=pie": "Chart",
    "q=%7C+timechart+count()+by+service&chart=stacked": "Chart",
    "f=!%2Blevel:error&before=1": "",
    "q=nothing": "",
    "q=servise:chekout+level:error": "",
    "q=(": "",
}
"""What the Explore page shows, by the tab that is then the current one."""
FEW = 6
"""Events, one of each kind: axe looks at each row on its own, and all rows are alike."""
WIDE = {
    "service": "a-service-with-a-rather-long-name-in-production",
    "message": f"GET /{'path/' * 60}?{'x' * 300} took a while",
    "a.field.whose.name.is.much.longer.than.its.value.is": True,
    "trace_id": uuid.uuid4().hex,
    "stack": "Error: no\n" + "\n".join(f"    at {'module.' * 30}f{n}" for n in range(5)),
}
"""What has no room in a narrow column."""
SHIFTED = "[...document.querySelectorAll('main, main > *')].some((each) => each.scrollLeft > 0)"
SIZES = {"desktop": DESKTOP, "phone": PHONE}


@pytest.fixture(params=SIZES)
def size(request: pytest.FixtureRequest) -> ViewportSize:
    return SIZES[request.param]


@pytest.fixture
def filled(service: RunningService, env: str) -> Iterator[str]:
    """One of everything that can be set up, with the name that is returned; its events are in `env`."""
    keep_orders(service, env, FEW)
    name = f"made-for-{uuid.uuid4().hex}-with-quite-a-name"
    query = "level:error | stats count() as errors by service"
    limits: dict[str, Any] = {"operator": "above", "threshold": 0, "window_secs": 600}
    made: list[tuple[str, dict[str, Any]]] = [
        ("/api/tokens", {"name": name, "env": env}),
        ("/api/keys", {"name": name, "scopes": ["search"]}),
        ("/api/users", {"username": name[:60], "password": "quite long enough", "role": "editor"}),
        ("/api/alerts", {"name": name, "query": query, "env": env, **limits}),
        ("/api/sources", {"name": name, "path": f"/var/log/{name}/*.log*"}),
        ("/api/channels", {"name": name, "kind": "webhook", "url": f"https://{name}.example/"}),
        ("/api/dashboards", {"name": name, "env": env}),
    ]
    places: list[str] = []
    for path, document in made:
        answer = service.client.post(path, json=document)
        assert answer.is_success, answer.text
        places.append(f"{path}/{answer.json()['id']}")
    yield name
    for place in places:
        service.client.delete(place).raise_for_status()


def test_the_entrance_keeps_nobody_out(open_page: OpenPage, size: ViewportSize) -> None:
    page = open_page("", account=None, size=size)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    faults = find_faults(page)
    assert not faults, "\n".join(faults)


def test_an_empty_environment_keeps_nobody_out(
    open_page: OpenPage, env: str, size: ViewportSize
) -> None:
    page = open_page(f"#/explore?env={env}", size=size)
    expect(page.get_by_role("heading", name="No events yet")).to_be_visible()
    faults = find_faults(page)
    assert not faults, "\n".join(faults)


def test_explore_keeps_nobody_out(
    open_page: OpenPage, service: RunningService, env: str, size: ViewportSize
) -> None:
    keep_events(service, env, [*map(make_order, range(FEW)), WIDE])
    page = open_page(f"#/explore?env={env}", size=size)
    expect(event_rows(page).first).to_be_visible()
    faults: list[str] = []
    for view, tab in VIEWS.items():
        page.goto(f"/#/explore?env={env}&{view}")
        if tab:
            current = page.get_by_role("link", name=tab, exact=True)
            expect(current).to_have_attribute("aria-current", "page")
        expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
        faults += find_faults(page)
    assert not faults, "\n".join(faults)


def test_what_opens_on_explore_keeps_nobody_out(
    open_page: OpenPage, service: RunningService, env: str, size: ViewportSize
) -> None:
    keep_events(service, env, [*map(make_order, range(FEW)), WIDE])
    page = open_page(f"#/explore?env={env}", size=size)
    event_rows(page).first.get_by_role("gridcell").first.click()
    detail = page.get_by_role("complementary", name="Event detail")
    faults: list[str] = []
    for tab in ("Fields", "JSON", "Raw", "Context"):
        detail.get_by_role("tab", name=tab).click()
        faults += find_faults(page)
    page.goto(f"/#/explore?env={env}")
    # Those who use a phone have no use for keys.
    helps = () if size is PHONE else ("Keyboard shortcuts",)
    for button in ("Saved queries", "Alert…", "History", "Download", *helps):
        take_tool(page, button)
        expect(page.get_by_role("dialog").first).to_be_visible()
        faults += find_faults(page)
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Time: ").click()
    assert not page.evaluate(SHIFTED), "opening the choice of time moves the page"
    faults += find_faults(page)
    assert not faults, "\n".join(faults)


def test_the_other_pages_keep_nobody_out(
    open_page: OpenPage, filled: str, size: ViewportSize
) -> None:
    page = open_page("#/send", size=size)
    faults: list[str] = []
    for place, heading in PLACES.items():
        page.goto(f"/#{place}")
        expect(page.get_by_role("heading", name=heading, exact=True).first).to_be_visible()
        faults += find_faults(page)
    assert not faults, "\n".join(faults)


def test_forms_of_what_is_there_keep_nobody_out(
    open_page: OpenPage, filled: str, size: ViewportSize
) -> None:
    page = open_page("#/admin/ingestion/sources", size=size)
    act(row_of(page, "Sources", filled), "Edit")
    page.get_by_role("button", name="Browse…").click()
    expect(page.get_by_role("list", name="Directories and files")).to_be_visible()
    faults = find_faults(page)
    page.goto("/#/alerts")
    act(row_of(page, "Alerts", filled), "Edit")
    expect(page.get_by_role("region", name="Preview")).to_contain_text("Would have fired")
    faults += find_faults(page)
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("place", "button"),
    [
        ("/alerts", "New alert"),
        ("/admin/ingestion/sources", "New source"),
        ("/admin/ingestion/tokens", "New token"),
        ("/admin/environments", "New environment"),
        ("/admin/users", "New user"),
        ("/admin/keys", "New key"),
        ("/admin/channels", "New channel"),
        ("/admin/lookups", "New lookup table"),
    ],
)
def test_forms_keep_nobody_out(open_page: OpenPage, place: str, button: str) -> None:
    page = open_page(f"#{place}")
    page.get_by_role("button", name=button).click()
    page.get_by_role("dialog").get_by_role("button", name="Create").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    faults = find_faults(page)
    assert not faults, "\n".join(faults)


def test_opened_fields_and_patterns_keep_nobody_out(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_page(f"#/explore?env={env}&tab=patterns")
    fields = page.get_by_role("region", name="Fields")
    fields.get_by_role("button").filter(has=page.get_by_text("duration_ms", exact=True)).click()
    expect(fields.get_by_role("list", name="Distribution")).to_contain_text("events")
    pattern = page.get_by_role("list", name="Patterns").get_by_role("listitem").first
    pattern.get_by_role("button", expanded=False).click()
    pattern.get_by_role("button", name="<ip>", exact=True).focus()
    expect(page.get_by_role("tooltip").get_by_role("listitem")).to_have_count(8)
    faults = find_faults(page)
    assert not faults, "\n".join(faults)
