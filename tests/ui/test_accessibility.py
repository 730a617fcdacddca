"""What a machine can find of what keeps people out: axe on every page, light and dark, wide and narrow."""

from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect
from tests.running import RunningService
from tests.ui.conftest import DESKTOP, PHONE, OpenPage
from tests.ui.exploring import event_rows, keep_orders

AXE = Path(__file__).parents[2] / "ui/node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SERIOUS = ("serious", "critical")
CHECK = """
async (rules) => {
  const { violations } = await axe.run(document, { runOnly: rules, resultTypes: ['violations'] })
  return violations.map(({ id, impact, help, nodes }) => ({
    id, impact, help, places: nodes.map(({ target, failureSummary }) => `${target}: ${failureSummary}`),
  }))
}
"""
PLACES = {
    "/send": "Send data",
    "/admin/ingestion/sources": "Data ingestion",
    "/admin/ingestion/syslog": "Syslog listener",
    "/admin/ingestion/tokens": "Ingest tokens",
    "/admin/environments": "Environments",
    "/admin/general": "General",
    "/admin/tunables": "Tunables",
    "/admin/users": "Users",
    "/admin/keys": "API keys",
    "/admin/indexes": "Indexes",
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
    "q=nothing": "",
    "q=(": "",
}
"""What the Explore page shows, by the tab that is then the current one."""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
SIZES = {"desktop": DESKTOP, "phone": PHONE}


@pytest.fixture(params=SIZES)
def size(request: pytest.FixtureRequest) -> dict[str, int]:
    return SIZES[request.param]


def find_faults(page: Page) -> list[str]:
    """Of the page as it is now, in both schemes."""
    if not AXE.exists():
        pytest.skip(
            "SKIPPED: axe-core is not installed; make setup-dev does it where there is Node"
        )
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(AXE.read_text())
    found: list[str] = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += [describe(page, scheme, fault) for fault in page.evaluate(CHECK, RULES)]
    return [fault for fault in found if fault.startswith(SERIOUS)]


def describe(page: Page, scheme: str, fault: dict[str, Any]) -> str:
    places = "\n    ".join(fault["places"][:3])
    return (
        f"{fault['impact']} {fault['id']} on {page.url} ({scheme}): {fault['help']}\n    {places}"
    )


def test_the_entrance_keeps_nobody_out(open_page: OpenPage, size: dict[str, int]) -> None:
    page = open_page("", account=None, size=size)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    faults = find_faults(page)
    assert not faults, "\n".join(faults)


def test_explore_keeps_nobody_out(
    open_page: OpenPage, service: RunningService, env: str, size: dict[str, int]
) -> None:
    keep_orders(service, env)
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
    open_page: OpenPage, service: RunningService, env: str, size: dict[str, int]
) -> None:
    keep_orders(service, env)
    page = open_page(f"#/explore?env={env}", size=size)
    event_rows(page).first.get_by_role("gridcell").first.click()
    detail = page.get_by_role("complementary", name="Event detail")
    faults: list[str] = []
    for tab in ("Fields", "JSON", "Raw", "Context"):
        detail.get_by_role("tab", name=tab).click()
        faults += find_faults(page)
    page.goto(f"/#/explore?env={env}")
    for button in ("Saved", "History", "Download", "Keys"):
        page.get_by_role("button", name=button, exact=True).click()
        expect(page.get_by_role("dialog").first).to_be_visible()
        faults += find_faults(page)
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Time: ").click()
    faults += find_faults(page)
    assert not faults, "\n".join(faults)


def test_the_other_pages_keep_nobody_out(
    open_page: OpenPage, service: RunningService, env: str, size: dict[str, int]
) -> None:
    keep_orders(service, env)
    page = open_page("#/send", size=size)
    faults: list[str] = []
    for place, heading in PLACES.items():
        page.goto(f"/#{place}")
        expect(page.get_by_role("heading", name=heading, exact=True).first).to_be_visible()
        faults += find_faults(page)
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("place", "button"),
    [
        ("/admin/ingestion/sources", "New source"),
        ("/admin/ingestion/tokens", "New token"),
        ("/admin/environments", "New environment"),
        ("/admin/users", "New user"),
        ("/admin/keys", "New key"),
    ],
)
def test_forms_keep_nobody_out(open_page: OpenPage, place: str, button: str) -> None:
    page = open_page(f"#{place}")
    page.get_by_role("button", name=button).click()
    page.get_by_role("dialog").get_by_role("button", name="Create").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    faults = find_faults(page)
    assert not faults, "\n".join(faults)
