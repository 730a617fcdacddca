"""Single sign-on over HTTP: metadata, the redirect to the identity provider, and its response.

The response is posted by a page of another site, so the browser sends no cookies with it. That POST only shows a page
that posts the same form again from our own site, with our cookies.
"""

from typing import Any
from urllib.parse import urlencode, urlsplit

import msgspec
from litestar import MediaType, Request, Response, get, post
from litestar.concurrency import sync_to_thread
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromQuery
from litestar.status_codes import HTTP_200_OK, HTTP_303_SEE_OTHER

from logboom.api.access import find_address
from logboom.api.accounts.auth import make_session_cookie, record
from logboom.api.accounts.saml_pages import AGAIN, render_failure, render_resend
from logboom.api.accounts.saml_settings import make_provider, name_acs_url, name_entity
from logboom.api.services import Services
from logboom.base.clock import NS_PER_S
from logboom.base.errors import Conflict, Forbidden
from logboom.control.access.signin.answered_requests import AnsweredBefore
from logboom.control.access.users import User
from logboom.control.control import Control
from logboom.saml import extra, requests
from logboom.saml.provider import ACS_PATH, METADATA_PATH, Provider
from logboom.saml.reasons import Refused
from logboom.web.asgi import parse_parameters
from logboom.web.origin import is_own_page

LOGIN_PATH = "/api/auth/saml/login"
COOKIE_PATH = "/api/auth/saml"
METADATA_TYPE = "application/samlmetadata+xml"
MAX_BODY_BYTES = 512 * 1024
HERE = "here"
"""Marks that the browser was already redirected to the base URL."""

AnyRequest = Request[Any, Any, Any]


class SignInMethods(msgspec.Struct, frozen=True):
    """The available ways to sign in."""

    password: bool
    saml: bool


@get(
    "/api/auth/methods",
    tags=["auth"],
    summary="Sign-in methods",
    description="Whether users can sign in with a password, and whether through single sign-on.",
    sync_to_thread=False,
)
def handle_methods(control: NamedDependency[Control]) -> SignInMethods:
    is_enabled = control.settings.effective.saml.enabled
    return SignInMethods(control.allows_passwords(), is_enabled and extra.is_installed())


@get(
    METADATA_PATH,
    tags=["auth"],
    summary="Metadata for the identity provider",
    description="SAML metadata of this service, as XML. 409 until `saml.base_url` is set, 503 without the extra `logboom[saml]`.",
    sync_to_thread=True,
)
def handle_metadata(control: NamedDependency[Control]) -> Response[bytes]:
    extra.check_installed()
    saml = control.settings.effective.saml
    if not saml.base_url:
        raise Conflict("the base URL is not set, expected saml.base_url in the settings")
    document = extra.make_metadata(name_entity(saml), name_acs_url(saml))
    return Response(document.encode(), media_type=METADATA_TYPE)


@get(
    LOGIN_PATH,
    tags=["auth"],
    summary="Sign in by single sign-on",
    description="Redirects the browser to the identity provider (303). `to` is the page to show afterwards, "
    "such as `/explore?q=failed`. 403 while single sign-on is off, 503 without the extra "
    "`logboom[saml]`.",
    status_code=HTTP_303_SEE_OTHER,
    sync_to_thread=True,
)
def handle_login(
    request: AnyRequest,
    control: NamedDependency[Control],
    services: NamedDependency[Services],
    to: FromQuery[str] = "",
    at: FromQuery[str] = "",
) -> Response[None]:
    provider = require_provider(control)
    if at != HERE and not is_at_base(request, provider):
        parameters = urlencode({"at": HERE, "to": to[: requests.LONGEST_ADDRESS]})
        return redirect(f"{provider.base_url}{LOGIN_PATH}?{parameters}")
    begun = requests.begin(services.clock() // NS_PER_S, to)
    sealed = requests.seal(begun, find_key(control))
    cookie = make_request_cookie(request, begun.id, sealed, requests.REQUEST_S)
    return redirect(requests.make_location(begun, provider), [cookie])


@post(
    ACS_PATH,
    tags=["auth"],
    summary="Receive the response of the identity provider",
    description="The form fields `SAMLResponse` and `RelayState`. If it comes from a page of another site, the "
    "answer is a page that posts the same form again from here. Otherwise it starts a session "
    "(303), or fails (401) without a reason; the reason is an event `saml_*` in the self-log.",
    status_code=HTTP_200_OK,
    request_max_body_size=MAX_BODY_BYTES,
)
async def handle_answer(
    request: AnyRequest, control: NamedDependency[Control], services: NamedDependency[Services]
) -> Response[Any]:
    provider = require_provider(control)
    form = parse_parameters(await request.body())
    encoded = form.get("SAMLResponse", "")
    is_foreign = is_own_page(request.headers, request.scope["scheme"]) is False
    if is_foreign and AGAIN not in form:
        return render_resend(ACS_PATH, encoded)
    return await sync_to_thread(
        finish, request, services, provider, None if is_foreign else encoded
    )


def finish(
    request: AnyRequest, services: Services, provider: Provider, encoded: str | None
) -> Response[Any]:
    """Start the session, or log why it failed; None is a response that our own page could not have sent."""
    control, identity = services.control, ""
    now_s = services.clock() // NS_PER_S
    try:
        answer = extra.read_response(require_own(encoded), provider, now_s)
        identity = answer.name
        cookie = request.cookies.get(requests.name_cookie(answer.request_id))
        begun = requests.unseal(cookie, answer.request_id, now_s, find_key(control))
        user = find_user(control, identity)
        use_up(control, begun)
    except Refused as refusal:
        reference = services.refusals.note(refusal, find_address(request), identity)
        return render_failure(refusal, reference, request.headers.get("accept", ""))
    token = control.sessions.issue(user, answer.session_until_s)
    record("login", user, request, control, method="saml")
    done = make_request_cookie(request, begun.id, "", 0)
    return redirect(f"/#{begun.address}", [make_session_cookie(request, token), done])


def require_own(encoded: str | None) -> str:
    if encoded is None:
        raise Refused("saml_foreign_request", "the browser does not say that our own page posts")
    return encoded


def find_user(control: Control, identity: str) -> User:
    """Return the enabled user with this identity; users are never created here."""
    control.users.refresh()
    user = control.users.find_by_identity(identity)
    if user is None:
        raise Refused("saml_unknown_user")
    if not user.enabled:
        raise Refused("saml_disabled_user", user.username)
    return user


def use_up(control: Control, begun: requests.Request) -> None:
    """Mark the request as answered, so that no node accepts a second response."""
    # Kept twice as long, for a node whose clock is behind.
    expiry_s = begun.begun_s + 2 * requests.REQUEST_S
    try:
        control.answered_requests.add(begun.id, expiry_s)
    except AnsweredBefore as error:
        raise Refused("saml_replayed", begun.id) from error


def require_provider(control: Control) -> Provider:
    """Return both parties, if single sign-on is fully configured; raise Forbidden while it is off."""
    extra.check_installed()
    saml = control.settings.effective.saml
    if not saml.enabled:
        raise Forbidden("single sign-on is off, expected an admin to enable it in the settings")
    return make_provider(saml)


def is_at_base(request: AnyRequest, provider: Provider) -> bool:
    """Return whether a cookie that is set now will be sent with the response, which goes to the base URL."""
    return request.url.hostname == urlsplit(provider.base_url).hostname


def find_key(control: Control) -> bytes:
    return control.sessions.derive_key(b"saml")


def make_request_cookie(request: AnyRequest, request_id: str, value: str, age_s: int) -> Cookie:
    return Cookie(
        requests.name_cookie(request_id),
        value=value,
        max_age=age_s,
        path=COOKIE_PATH,
        httponly=True,
        samesite="strict",
        secure=request.scope["scheme"] == "https",
    )


def redirect(location: str, cookies: list[Cookie] | None = None) -> Response[None]:
    return Response(
        None,
        status_code=HTTP_303_SEE_OTHER,
        headers={"Location": location, "Cache-Control": "no-store"},
        cookies=cookies or [],
        media_type=MediaType.TEXT,
    )


ROUTES: list[HTTPRouteHandler] = [handle_methods, handle_metadata, handle_login, handle_answer]
