"""Single sign-on in a browser: set up by an admin, used by others, through an identity provider on another site."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tests.running import CREDENTIALS, RunningService
from tests.saml.idp import Answer
from tests.saml.idp_server import IdpServer, make_idp_metadata, serve_idp
from tests.ui.administering import act, confirm, dialog, expect_said, fill_password, row_of
from tests.ui.conftest import CHROMIUM, OpenPage
from tests.ui.expecting import expect

from logboom.api.access import SESSION_COOKIE
from logboom.base.errors import Unauthenticated
from logboom.control.access.users import Role

ALICE = "alice@example.com"
OTHER_NAME = "logs.test"
PASSWORD = "four unrelated quiet words"


@pytest.fixture(scope="module")
def sso(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with RunningService(tmp_path_factory.mktemp("sso")) as running:
        yield running


@pytest.fixture(scope="module")
def idp() -> Iterator[IdpServer]:
    """On `localhost`, which to a browser is another site than `127.0.0.1`."""
    with serve_idp(lambda: Answer(now_s=int(time.time()))) as server:
        yield server


def enable(service: RunningService, idp: IdpServer, base_url: str) -> None:
    saml = {
        "enabled": True,
        "base_url": base_url,
        "idp_metadata": make_idp_metadata(idp.sso_url),
    }
    service.client.patch("/api/settings", json={"saml": saml}).raise_for_status()
    if service.control.users.find_by_name(ALICE) is None:
        service.control.users.create(ALICE, None, Role.VIEWER)


def sign_in(page: Page) -> None:
    """From our page to the identity provider's and back."""
    page.get_by_role("link", name="Sign in with single sign-on").click()
    expect(page.get_by_role("heading", name="Who are you?")).to_be_visible()
    page.get_by_role("button", name="Sign in").click()


def test_an_admin_sets_it_up_and_a_user_signs_in(
    open_page: OpenPage, sso: RunningService, idp: IdpServer
) -> None:
    page = open_page("#/admin/single-sign-on", on=sso)
    page.get_by_label("Base URL of this service").fill(f"http://127.0.0.1:{sso.port}/")
    page.get_by_label("Metadata of the identity provider").fill("<nonsense")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("metadata cannot be read")
    page.get_by_label("Metadata file").set_input_files(
        {
            "name": "idp.xml",
            "mimeType": "text/xml",
            "buffer": make_idp_metadata(idp.sso_url).encode(),
        }
    )
    page.get_by_label("Enable single sign-on").check()
    page.get_by_role("button", name="Save").click()
    expect_said(page, "Saved")
    expect(page.get_by_label("Sign-on URL of the identity provider")).to_have_value(idp.sso_url)
    expect(page.get_by_role("list", name="Certificates in force")).to_contain_text("CN=idp")
    acs = page.get_by_label("Assertion consumer service (ACS) URL")
    expect(acs).to_have_value(f"http://127.0.0.1:{sso.port}/api/auth/saml/acs")

    page.goto("/#/admin/users")
    page.get_by_role("button", name="New user").click()
    page.get_by_label("User name").fill("alice")
    page.get_by_label("Identity for single sign-on").fill(ALICE)
    page.get_by_label("Without a password").check()
    page.get_by_role("button", name="Create").click()
    expect(row_of(page, "Users", "alice")).to_contain_text("Single sign-on only")

    theirs = open_page("#/alerts", on=sso, account=None, elsewhere=idp.sso_url)
    sign_in(theirs)
    theirs.wait_for_url("**/#/alerts")
    expect(theirs.get_by_role("heading", name="Alerts")).to_be_visible()
    cookies = {each["name"]: each for each in theirs.context.cookies()}
    assert list(cookies) == [SESSION_COOKIE]
    assert (cookies[SESSION_COOKIE]["sameSite"], cookies[SESSION_COOKIE]["httpOnly"]) == (
        "Strict",
        True,
    )
    theirs.goto("/#/account")
    expect(theirs.get_by_text("You have no password")).to_be_visible()
    sso.control.users.delete(sso.control.users.find_by_name("alice").id)  # type: ignore[union-attr]


def test_a_sign_in_begun_on_one_node_ends_on_another(
    open_page: OpenPage, sso: RunningService, idp: IdpServer, tmp_path: Path
) -> None:
    other = RunningService(tmp_path, store_root=sso.root / "store")
    other.start()
    try:
        enable(sso, idp, f"http://127.0.0.1:{other.port}")
        other.control.refresh()
        page = open_page("#/explore", on=sso, account=None, elsewhere=idp.sso_url)
        sign_in(page)
        page.wait_for_url(f"http://127.0.0.1:{other.port}/#/explore*")
        expect(page.get_by_text(ALICE)).to_be_visible()
        page.close()
    finally:
        other.stop()


def test_somebody_unknown_sees_one_sentence_and_gets_no_session(
    open_page: OpenPage, sso: RunningService, idp: IdpServer
) -> None:
    enable(sso, idp, f"http://127.0.0.1:{sso.port}")
    idp.make = lambda: Answer(now_s=int(time.time()), name_id="mallory")
    try:
        page = open_page("#/explore", on=sso, account=None, elsewhere=idp.sso_url)
        sign_in(page)
        expect(page.get_by_role("heading", name="Single sign-on failed")).to_be_visible()
        expect(page.locator("body")).not_to_contain_text("mallory")
        assert SESSION_COOKIE not in {each["name"] for each in page.context.cookies()}
        page.get_by_role("link", name="Back to sign-in").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    finally:
        idp.make = lambda: Answer(now_s=int(time.time()))


def test_a_password_is_removed_and_set_again(
    open_page: OpenPage, sso: RunningService, idp: IdpServer
) -> None:
    enable(sso, idp, f"http://127.0.0.1:{sso.port}")
    sso.control.users.create("dora", PASSWORD, Role.VIEWER)
    page = open_page("#/admin/users", on=sso)
    row = row_of(page, "Users", "dora")
    act(row, "Remove the password")
    expect(dialog(page)).to_contain_text("single sign-on only, as dora")
    expect(dialog(page)).not_to_contain_text("No other admin has a password")
    confirm(page, "Remove")
    expect_said(page, "Password of dora removed")
    expect(row).to_contain_text("Single sign-on only")
    with pytest.raises(Unauthenticated):
        sso.control.login("dora", PASSWORD)
    act(row, "Set a password")
    fill_password(page, "New password", PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    expect(row).not_to_contain_text("Single sign-on only")
    sso.control.login("dora", PASSWORD)

    act(row_of(page, "Users", CREDENTIALS["username"]), "Remove the password")
    expect(dialog(page)).to_contain_text("this one too")
    expect(dialog(page)).to_contain_text("No other admin has a password")
    dialog(page).get_by_role("button", name="Cancel").click()


def test_where_passwords_are_closed_only_the_button_is_left(
    open_page: OpenPage, sso: RunningService, idp: IdpServer
) -> None:
    enable(sso, idp, f"http://127.0.0.1:{sso.port}")
    closed = {"saml": {"password_login": False}}
    sso.client.patch("/api/settings", json=closed).raise_for_status()
    page = open_page("#/explore", on=sso, account=None)
    expect(page.get_by_role("link", name="Sign in with single sign-on")).to_be_visible()
    expect(page.get_by_label("Password")).to_have_count(0)
    opened = {"saml": {"password_login": True}}
    sso.client.patch("/api/settings", json=opened).raise_for_status()


def test_it_works_without_tls_where_browsers_say_less(
    browser: Browser, sso: RunningService, idp: IdpServer
) -> None:
    """Under a name that is not trustworthy, a browser sends `Origin` but none of the headers `Sec-Fetch-…`."""
    base_url = f"http://{OTHER_NAME}:{sso.port}"
    enable(sso, idp, base_url)
    arguments = ["--no-sandbox", f"--host-resolver-rules=MAP {OTHER_NAME} 127.0.0.1"]
    named = browser.browser_type.launch(executable_path=CHROMIUM, args=arguments)
    try:
        page = named.new_page()
        page.goto(f"{base_url}/#/alerts")
        sign_in(page)
        page.wait_for_url(f"{base_url}/#/alerts")
        expect(page.get_by_role("heading", name="Alerts")).to_be_visible()
    finally:
        named.close()
