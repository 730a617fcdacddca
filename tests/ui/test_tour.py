"""The tour of the sample data: offered once, six steps, left at any time."""

from tests.running import RunningService
from tests.ui.axe import find_faults
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import query_field


def test_the_tour_leads_to_the_cause_in_six_steps(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    body = {"env": env, "events": 4000, "hours": 24}
    service.client.post("/api/samples", json=body).raise_for_status()
    page = open_page(f"#/explore?env={env}&from=-24h")
    tour = page.get_by_role("region", name="Tour")
    tour.get_by_role("button", name="Take the tour").click()
    expect(tour).to_contain_text("1 of 6: Is something wrong?")
    expect(query_field(page)).to_contain_text("timechart 30m count by service")
    tour.get_by_role("button", name="Next").click()
    page.reload()
    expect(tour).to_contain_text("2 of 6")
    page.keyboard.press("Tab")
    for place in range(3, 7):
        tour.get_by_role("button", name="Next").press("Enter")
        expect(tour).to_contain_text(f"{place} of 6")
        if place == 5:
            expect(page.get_by_text("marks", exact=False).first).to_be_visible()
    faults = find_faults(page)
    assert not faults, "\n".join(faults)
    tour.get_by_role("button", name="Back").press("Escape")
    expect(tour).to_have_count(0)
    page.goto(f"/#/explore?env={env}&from=-24h&q=checkout")
    page.reload()
    expect(page.get_by_role("grid")).to_be_visible()
    expect(tour).to_have_count(0)
