"""Single sign-on over HTTP: who gets a session, who does not, and what the self-log says of it."""

import base64
import logging
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from lxml import etree
from tests.api.signing_in import PASSWORD, bearer
from tests.logged import list_said_by
from tests.running import CREDENTIALS, RunningService
from tests.saml.idp import IDP, Answer, Signing, make_keys
from tests.saml.idp_server import answer_request, make_idp_metadata, read_request
from tests.saml.wrapping import FORMS, NEED_SIGNED_RESPONSE, wrap
from tests.waiting import PATIENCE_S

from logboom.api.access import SESSION_COOKIE
from logboom.control.access.users import Role
from logboom.control.reset import reset_admin
from logboom.saml import extra
from logboom.saml.provider import ACS_PATH
from logboom.saml.reasons import REASONS
from logboom.saml.requests import REQUEST_S
from logboom.web.origin import FOREIGN_PATHS

MakeService = Callable[..., RunningService]

LOGIN = "/api/auth/saml/login"
SSO_URL = "https://idp.example.com/sso?idpid=C01"
FOREIGN = {"Sec-Fetch-Site": "cross-site", "Origin": "https://idp.example.com"}
OWN = {"Sec-Fetch-Site": "same-origin"}
HTML = {"Accept": "text/html,application/xhtml+xml"}


class Clock:
    def __init__(self) -> None:
        self.ahead_s = 0

    def __call__(self) -> int:
        return time.time_ns() + self.ahead_s * 1_000_000_000


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def sso(tmp_path_factory: pytest.TempPathFactory, clock: Clock) -> Iterator[RunningService]:
    """A service with single sign-on, and the user alice."""
    with RunningService(tmp_path_factory.mktemp("sso"), clock=clock) as running:
        enable(running)
        running.control.users.create("alice@example.com", None, Role.VIEWER)
        running.control.users.create("bob", None, Role.EDITOR, saml_identity="S-1-5-21-77")
        running.control.users.create("carol", None, Role.VIEWER, enabled=False)
        yield running


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service whose settings tests may change."""
    with RunningService(tmp_path_factory.mktemp("plain")) as running:
        yield running


def enable(service: RunningService, **changes: object) -> None:
    saml = {
        "enabled": True,
        "base_url": f"http://127.0.0.1:{service.port}/",
        "idp_metadata": make_idp_metadata(SSO_URL, "idp", "next"),
        **changes,
    }
    answer = service.client.patch("/api/settings", json={"saml": saml})
    assert answer.status_code == 200, answer.text


@pytest.fixture
def browser(sso: RunningService) -> Iterator[httpx.Client]:
    with connect(sso) as client:
        yield client


def connect(service: RunningService) -> httpx.Client:
    # Reading the certificates of authorities, which nothing here needs, would take longer than most tests.
    return httpx.Client(
        base_url=f"http://127.0.0.1:{service.port}", headers=OWN, verify=False, timeout=PATIENCE_S
    )


def begin(browser: httpx.Client, answer: Answer | None = None, to: str = "") -> Answer:
    """Begin to sign in; returns the answer to that request."""
    redirected = browser.get(LOGIN, params={"to": to})
    assert redirected.status_code == 303, redirected.text
    base = answer or Answer()
    return answer_request(
        read_request(redirected.headers["Location"]), base.but(now_s=int(time.time()))
    )


def post(
    browser: httpx.Client, encoded: str, headers: dict[str, str] | None = None, **fields: str
) -> httpx.Response:
    form = {"SAMLResponse": encoded, "RelayState": "//evil.example.com", **fields}
    return browser.post(ACS_PATH, data=form, headers=headers)


def list_events(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.event for record in list_said_by("logboom.saml", caplog)]


def name_user(browser: httpx.Client) -> str | None:
    answer = browser.get("/api/auth/me")
    return answer.json()["username"] if answer.status_code == 200 else None


@pytest.mark.parametrize("signing", [Signing(), Signing(keys=make_keys("next"))])
def test_the_good_answer_signs_in(browser: httpx.Client, signing: Signing) -> None:
    answer = post(browser, begin(browser, Answer(signing=signing), to="/alerts?q=1").encode())
    assert (answer.status_code, answer.headers["Location"]) == (303, "/#/alerts?q=1")
    assert name_user(browser) == "alice@example.com"
    cookies = answer.headers.get_list("Set-Cookie")
    (session,) = [each for each in cookies if each.startswith(SESSION_COOKIE)]
    assert "HttpOnly" in session
    assert "samesite=strict" in session.lower()
    assert not [name for name in browser.cookies if name.startswith("logboom_saml")]


def test_the_request_says_what_the_provider_needs(
    browser: httpx.Client, sso: RunningService
) -> None:
    location = browser.get(LOGIN).headers["Location"]
    assert location.startswith(f"{SSO_URL}&SAMLRequest=")
    request = read_request(location)
    base_url = f"http://127.0.0.1:{sso.port}"
    assert request.get("Destination") == SSO_URL
    assert request.get("AssertionConsumerServiceURL") == base_url + ACS_PATH
    assert parse_qs(urlsplit(location).query)["RelayState"] == [request.get("ID")]


def test_an_identity_of_its_own_counts_instead_of_the_name(
    browser: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    assert post(browser, begin(browser, Answer(name_id="bob")).encode()).status_code == 401
    assert list_events(caplog) == ["saml_unknown_user"]
    assert post(browser, begin(browser, Answer(name_id="S-1-5-21-77")).encode()).status_code == 303
    assert name_user(browser) == "bob"


BAD: dict[str, tuple[str, Callable[[Answer], str]]] = {
    "unknown": ("saml_unknown_user", lambda good: good.but(name_id="mallory").encode()),
    "another case": (
        "saml_unknown_user",
        lambda good: good.but(name_id="ALICE@example.com").encode(),
    ),
    "lookalike": (
        "saml_unknown_user",
        lambda good: good.but(name_id="alice@example.com\u200b").encode(),
    ),
    "disabled": ("saml_disabled_user", lambda good: good.but(name_id="carol").encode()),
    "comment": ("saml_forbidden_xml", lambda good: good.but(name_id="admin<!---->.x").encode()),
    "unsigned": ("saml_unsigned", lambda good: good.but(signing=None).encode()),
    "wrong key": (
        "saml_bad_signature",
        lambda good: good.but(signing=Signing(keys=make_keys("thief"))).encode(),
    ),
    "audience": ("saml_wrong_audience", lambda good: good.but(audience="https://other").encode()),
    "recipient": (
        "saml_wrong_recipient",
        lambda good: good.but(recipient="https://other").encode(),
    ),
    "destination": (
        "saml_wrong_destination",
        lambda good: good.but(destination="https://other").encode(),
    ),
    "expired": ("saml_expired", lambda good: good.but(not_on_or_after=-61).encode()),
    "foreign": ("saml_foreign_request", lambda good: good.but(request_id="_" + "0" * 32).encode()),
    "unsolicited": ("saml_unsolicited", lambda good: good.but(request_id="").encode()),
    "nothing": ("saml_malformed", lambda _: ""),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_answers_leave_an_event_and_nothing_else(
    browser: httpx.Client, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    reason, make = BAD[kind]
    answer = post(browser, make(begin(browser)))
    assert answer.status_code == 401
    assert SESSION_COOKIE not in browser.cookies
    assert list_events(caplog) == [reason]
    (record,) = list_said_by("logboom.saml", caplog)
    error = answer.json()["error"]
    assert error["reference"] == record.reference
    assert error["message"] == "single sign-on failed, ask your administrator for the reason"


@pytest.mark.parametrize("form", FORMS)
def test_wrapped_answers_sign_nobody_in(browser: httpx.Client, form: str) -> None:
    signed_twice = form in NEED_SIGNED_RESPONSE
    answer = begin(browser, Answer(response_signing=Signing() if signed_twice else None))
    encoded = wrap(form, answer, CREDENTIALS["username"])
    assert post(browser, base64.b64encode(encoded).decode()).status_code == 401
    assert name_user(browser) is None


def test_an_answer_counts_once(browser: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    encoded, kept = begin(browser).encode(), dict(browser.cookies)
    assert post(browser, encoded).status_code == 303
    browser.cookies = httpx.Cookies(kept)
    assert post(browser, encoded).status_code == 401
    assert list_events(caplog) == ["saml_replayed"]


def test_of_many_at_the_same_moment_one_counts(browser: httpx.Client, sso: RunningService) -> None:
    encoded, cookies = begin(browser).encode(), dict(browser.cookies)

    def send(_: int) -> int:
        with connect(sso) as client:
            client.cookies = httpx.Cookies(cookies)
            return post(client, encoded).status_code

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(send, range(4))) == [303, 401, 401, 401]


def test_an_answer_counts_once_on_all_nodes(
    sso: RunningService, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Begun on one node, answered on another, and again on the first."""
    other = RunningService(tmp_path, store_root=sso.root / "store")
    other.start()
    try:
        with connect(sso) as browser, connect(other) as second:
            encoded = begin(browser).encode()
            second.cookies = httpx.Cookies(dict(browser.cookies))
            assert post(second, encoded).status_code == 303
            assert name_user(second) == "alice@example.com"
            assert post(browser, encoded).status_code == 401
            assert list_events(caplog) == ["saml_replayed"]
    finally:
        other.stop()


def test_another_browser_cannot_use_an_answer(
    browser: httpx.Client, sso: RunningService, caplog: pytest.LogCaptureFixture
) -> None:
    """Otherwise an attacker could sign somebody in to the account of the attacker."""
    encoded = begin(browser).encode()
    with connect(sso) as victim:
        begin(victim)
        assert post(victim, encoded).status_code == 401
    assert list_events(caplog) == ["saml_foreign_request"]


def test_a_cookie_that_was_changed_does_not_count(
    browser: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    encoded = begin(browser).encode()
    (name,) = [each for each in browser.cookies if each.startswith("logboom_saml")]
    browser.cookies = httpx.Cookies({name: f"A{browser.cookies[name]}"})
    assert post(browser, encoded).status_code == 401
    assert list_events(caplog) == ["saml_foreign_request"]


def test_a_late_answer_is_refused(
    browser: httpx.Client, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    late = begin(browser, Answer(not_on_or_after=7200, confirmation_not_on_or_after=7200))
    clock.ahead_s = REQUEST_S + 5
    try:
        assert post(browser, late.encode()).status_code == 401
    finally:
        clock.ahead_s = 0
    assert list_events(caplog) == ["saml_request_expired"]


def test_two_tabs_do_not_disturb_each_other(browser: httpx.Client) -> None:
    first, second = begin(browser, to="/alerts"), begin(browser, to="/explore")
    assert post(browser, first.encode()).headers["Location"] == "/#/alerts"
    assert post(browser, second.encode()).headers["Location"] == "/#/explore"


@pytest.mark.parametrize(
    "to",
    [
        "//evil.example.com",
        "https://evil.example.com",
        "/\\evil",
        "/x y",
        "@evil",
        "/" + "a" * 3000,
    ],
)
def test_nothing_leads_to_another_site(browser: httpx.Client, to: str) -> None:
    answer = post(browser, begin(browser, to=to).encode(), RelayState="https://evil.example.com")
    assert answer.headers["Location"] == "/#"


def test_a_foreign_page_only_has_the_answer_sent_again(
    browser: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    """Without our cookies, which a browser does not give along."""
    encoded = begin(browser).encode()
    answer = post(browser, encoded, FOREIGN)
    assert answer.status_code == 200
    assert "Set-Cookie" not in answer.headers
    (form,) = etree.HTML(answer.content).iter("form")
    assert (form.get("action"), form.get("method")) == (ACS_PATH, "post")
    fields = {each.get("name"): each.get("value") for each in form.iter("input")}
    assert fields == {"SAMLResponse": encoded, "again": "1"}
    assert "form-action 'self'" in answer.headers["Content-Security-Policy"]
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert post(browser, encoded, FOREIGN, again="1").status_code == 401
    assert list_events(caplog) == ["saml_foreign_request"]
    assert post(browser, encoded).status_code == 303


def test_what_is_sent_again_is_text(browser: httpx.Client) -> None:
    answer = post(browser, '"><script>alert(1)</script>', FOREIGN)
    assert b"<script>alert" not in answer.content


def test_no_other_path_takes_posts_of_foreign_pages(browser: httpx.Client) -> None:
    assert {ACS_PATH} == FOREIGN_PATHS
    for path in ("/api/auth/login", f"{ACS_PATH}/", "/api/auth/saml/login", "/api/setup"):
        assert browser.post(path, headers=FOREIGN, data={"a": "b"}).status_code == 403


def test_people_see_a_page_without_the_reason(browser: httpx.Client) -> None:
    answer = post(browser, "AAAA", OWN | HTML)
    assert answer.status_code == 401
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "Single sign-on failed" in answer.text
    assert "saml_" not in answer.text


def test_metadata_names_this_service(browser: httpx.Client, sso: RunningService) -> None:
    answer = browser.get("/api/auth/saml/metadata")
    assert answer.headers["Content-Type"].startswith("application/samlmetadata+xml")
    root = etree.fromstring(answer.content)
    base_url = f"http://127.0.0.1:{sso.port}"
    assert root.get("entityID") == f"{base_url}/api/auth/saml/metadata"
    (acs,) = root.iter("{urn:oasis:names:tc:SAML:2.0:metadata}AssertionConsumerService")
    assert acs.get("Location") == base_url + ACS_PATH


def test_a_browser_under_another_name_is_sent_to_the_base_url_once(
    browser: httpx.Client, sso: RunningService
) -> None:
    port = sso.port
    moved = browser.get(LOGIN, params={"to": "/alerts"}, headers={"Host": f"localhost:{port}"})
    assert moved.headers["Location"] == f"http://127.0.0.1:{port}{LOGIN}?at=here&to=%2Falerts"
    again = browser.get(f"{LOGIN}?at=here", headers={"Host": f"localhost:{port}"})
    assert again.headers["Location"].startswith(SSO_URL)


def test_the_session_ends_when_the_provider_says(browser: httpx.Client, clock: Clock) -> None:
    answer = begin(browser, Answer(session_not_on_or_after=1000))
    assert post(browser, answer.encode()).status_code == 303
    assert name_user(browser) == "alice@example.com"
    clock.ahead_s = 1001
    try:
        assert name_user(browser) is None
    finally:
        clock.ahead_s = 0


def test_the_sign_in_is_audited(browser: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "logboom.audit")
    post(browser, begin(browser).encode())
    records = [each for each in list_said_by("logboom.audit", caplog) if each.action == "login"]
    assert [(each.actor, each.details) for each in records] == [
        ("alice@example.com", {"method": "saml"})
    ]


def test_it_can_be_off(plain: RunningService) -> None:
    """As it is at first."""
    plain.client.patch("/api/settings", json={"saml": {"enabled": False}}).raise_for_status()
    with connect(plain) as browser:
        assert browser.get("/api/auth/methods").json() == {"password": True, "saml": False}
        assert browser.get("/api/auth/saml/metadata").status_code == 409
        assert browser.get(LOGIN).status_code == 403
        assert post(browser, "AAAA").status_code == 403
        assert post(browser, "AAAA", FOREIGN).status_code == 403


def test_passwords_can_be_closed_and_opened_by_a_reset(start_service: MakeService) -> None:
    service = start_service()
    enable(service, password_login=False)
    with connect(service) as browser:
        assert browser.get("/api/auth/methods").json() == {"password": False, "saml": True}
        refused = browser.post("/api/auth/login", json=CREDENTIALS)
        assert refused.status_code == 403
        assert "single sign-on" in refused.json()["error"]["message"]
        reset_admin(service.control, PASSWORD)
        new = CREDENTIALS | {"password": PASSWORD}
        signed_in = browser.post("/api/auth/login", json=new)
        assert signed_in.status_code == 200
        service.client.headers.update(bearer(signed_in.json()["token"]))
        service.control.is_admin_reset = False
        assert browser.post("/api/auth/login", json=new).status_code == 403
        off = service.client.patch("/api/settings", json={"saml": {"enabled": False}})
        assert off.json()["error"]["field"] == "saml.password_login"
        both = {"saml": {"enabled": False, "password_login": True}}
        assert service.client.patch("/api/settings", json=both).status_code == 200
        assert browser.post("/api/auth/login", json=new).status_code == 200


def test_without_the_extra_everything_says_what_to_install(
    plain: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    enable(plain)
    monkeypatch.setattr(extra, "PACKAGES", ("no_such_package",))
    with connect(plain) as browser:
        for answer in (
            browser.get("/api/auth/saml/metadata"),
            browser.get(LOGIN),
            post(browser, "AAAA"),
        ):
            assert answer.status_code == 503
            assert "logboom[saml]" in answer.json()["error"]["message"]
        assert browser.get("/api/auth/methods").json()["saml"] is False
    status = plain.client.get("/api/settings").json()["saml_status"]
    assert (status["installed"], status["install"]) == (False, "pip install 'logboom[saml]'")
    refused = plain.client.patch("/api/settings", json={"saml": {"enabled": True}})
    assert refused.json()["error"]["field"] == "saml.enabled"


def test_settings_are_filled_by_metadata(sso: RunningService) -> None:
    answer = sso.client.get("/api/settings").json()
    saml: dict[str, Any] = answer["saml"]
    assert (saml["idp_entity_id"], saml["idp_sso_url"]) == (IDP, SSO_URL)
    assert len(saml["idp_certificates"]) == 2
    assert "idp_metadata" not in saml
    status = answer["saml_status"]
    assert status["acs_url"] == saml["base_url"] + ACS_PATH
    assert [each["subject"] for each in status["certificates"]] == ["CN=idp", "CN=next"]


def test_every_event_is_named_for_its_family() -> None:
    assert all(re.fullmatch("saml_[a-z_0-9]+", reason) for reason in REASONS)
