"""Following new events while connections break and servers go, in a browser."""

from playwright.sync_api import Locator, Page, Route
from tests.api.signing_in import PASSWORD as THEIR_PASSWORD
from tests.api.signing_in import make_user
from tests.process.service import PASSWORD, USERNAME, Service
from tests.running import RunningService, encode_lines
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import address_of, event_rows, expect_found, keep_events, open_explore
from tests.ui.wires import Wire

from logboom.control.access.users import Role

ACCOUNT = {"username": USERNAME, "password": PASSWORD}
TAIL = "/api/tail"
STARTING = {"error": {"code": "unavailable", "message": "the service is starting"}}
BLOCK_EVENTS = 600


def live(page: Page) -> Locator:
    return page.get_by_role("region", name="Live events")


def messages(page: Page) -> Locator:
    return event_rows(page).locator("[data-words]")


def expect_state(page: Page, words: str) -> None:
    expect(live(page).get_by_role("status")).to_have_text(words)


def tell(service: RunningService, env: str, *texts: str) -> None:
    keep_events(service, env, [{"message": text} for text in texts])


def test_after_a_break_it_goes_on_and_has_missed_nothing(
    open_page: OpenPage, service: RunningService, env: str, wire: Wire
) -> None:
    page = open_page(address_of(env, live="1"), on=wire)
    expect_state(page, "live")
    tell(service, env, "before")
    expect(messages(page)).to_contain_text(["before"])
    wire.cut()
    expect_state(page, "connecting")
    tell(service, env, "while nobody could hear")
    tell(service, env, "nor this")
    wire.mend()
    expect_state(page, "live")
    tell(service, env, "after")
    expect(messages(page)).to_contain_text(["after", "nor this", "while nobody", "before"])
    expect(messages(page)).to_have_count(4)


def test_what_comes_before_the_first_event_was_heard_is_not_missed_either(
    open_page: OpenPage, service: RunningService, env: str, wire: Wire
) -> None:
    page = open_page(address_of(env, live="1"), on=wire)
    expect_state(page, "live")
    wire.cut()
    expect_state(page, "connecting")
    tell(service, env, "the very first")
    wire.mend()
    expect(messages(page)).to_contain_text(["the very first"])


def test_a_break_in_the_middle_of_many_events_shows_none_of_them_twice(
    open_page: OpenPage, service: RunningService, env: str, wire: Wire
) -> None:
    wire.hold(b"GET /api/tail", after_bytes=30_000)
    page = open_page(address_of(env, live="1"), on=wire)
    expect_state(page, "live")
    tell(service, env, *(f"event {number}." for number in range(BLOCK_EVENTS)))
    assert wire.reached.wait(20)
    expect(messages(page).first).to_be_visible()
    wire.cut()
    expect_state(page, "connecting")
    wire.mend()
    expect_found(page, f"{BLOCK_EVENTS} events")
    expect(messages(page).filter(has_text=f"event {BLOCK_EVENTS - 1}.")).to_have_count(1)


def test_a_server_that_comes_back_is_followed_again(
    open_page: OpenPage, fresh_server: Service
) -> None:
    fresh_server.sign_in()
    # While it starts, it says so.
    page = open_page("#/explore?live=1", on=fresh_server, account=ACCOUNT, troubled=(TAIL,))
    expect_state(page, "live")
    fresh_server.ingest(encode_lines([{"message": "before"}]))
    fresh_server.flush()
    expect(messages(page)).to_contain_text(["before"])
    fresh_server.ingest(encode_lines([{"message": "accepted, and not yet searchable"}]))
    fresh_server.kill9()
    expect_state(page, "connecting")
    fresh_server.start()
    fresh_server.flush()
    expect_state(page, "live")
    fresh_server.ingest(encode_lines([{"message": "after"}]))
    fresh_server.flush()
    expect(messages(page)).to_contain_text(["after", "accepted", "before"])


def test_a_server_that_is_about_to_start_is_asked_again(
    open_page: OpenPage, service: RunningService, env: str, wire: Wire
) -> None:
    page = open_page(address_of(env, live="1"), on=wire, troubled=(TAIL,))
    expect_state(page, "live")
    refusals: list[str] = []

    def refuse_twice(route: Route) -> None:
        refusals.append(route.request.url)
        if len(refusals) > 2:
            route.continue_()
        else:
            route.fulfill(status=503, json=STARTING)

    page.route(f"**{TAIL}?*", refuse_twice)
    wire.cut()
    tell(service, env, "while it started")
    wire.mend()
    expect(messages(page)).to_contain_text(["while it started"])
    expect_state(page, "live")


def test_a_query_that_cannot_be_followed_says_why(open_page: OpenPage, env: str) -> None:
    page = open_explore(open_page, env, q="level:(error OR", live="1")
    expect_state(page, "disconnected")
    expect(live(page).get_by_role("alert")).to_be_visible()


def test_whoever_may_no_longer_read_is_asked_who_he_is(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    user = make_user(service, Role.VIEWER)
    account = {"username": user.username, "password": THEIR_PASSWORD}
    page = open_page(address_of(env, live="1"), account=account)
    expect_state(page, "live")
    service.client.delete(f"/api/users/{user.id}").raise_for_status()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
