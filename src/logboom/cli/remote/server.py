"""Talks to a running server over HTTP."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import httpx
import msgspec
from rich.console import Console

from logboom.base.errors import Invalid, LogboomError, Unauthenticated, Unavailable
from logboom.cli.answers import SearchAnswer
from logboom.cli.output import show
from logboom.cli.search_options import SearchOptions

CONNECT_S = 5.0
SILENT_S = 60.0
"""A tail with no data for this long is dead: the server sends a keep-alive every 15 s."""
PAGE_ROWS = 10_000
"""The maximum number of events in one answer of a server."""
SIGN_IN = "; give a token with --token or LOGBOOM_TOKEN"
EVENT_STREAM = "text/event-stream"
BUSY = {
    httpx.codes.TOO_MANY_REQUESTS,
    httpx.codes.BAD_GATEWAY,
    httpx.codes.SERVICE_UNAVAILABLE,
    httpx.codes.GATEWAY_TIMEOUT,
}


class Remote:
    """One server, used with the permissions of the token; use it in a `with` statement."""

    def __init__(self, url: str, token: str) -> None:
        self._url = check_url(url)
        headers = {"Authorization": f"Bearer {check_token(token)}"} if token else {}
        timeout = httpx.Timeout(None, connect=CONNECT_S)
        self._client = httpx.Client(base_url=self._url, headers=headers, timeout=timeout)

    def __enter__(self) -> "Remote":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def search(self, options: SearchOptions) -> SearchAnswer:
        """Get as many events as wanted, page by page."""
        found = self._search_page(options, options.limit, None)
        while found.cursor and len(found.rows) < options.limit:
            more = self._search_page(options, options.limit - len(found.rows), found.cursor)
            found = found.extend(more)
        return found

    def _search_page(self, options: SearchOptions, limit: int, cursor: str | None) -> SearchAnswer:
        body = {**options.to_parameters(), "limit": min(limit, PAGE_ROWS), "cursor": cursor}
        try:
            return msgspec.convert(self.call("POST", "/api/search", body), SearchAnswer)
        except msgspec.ValidationError as error:
            raise self.refuse() from error

    def login(self, username: str, password: str) -> str:
        """Sign in and return the token of the session."""
        body = {"username": username, "password": password}
        answer = self.call("POST", "/api/auth/login", body, remedy="")
        if not isinstance(answer, dict) or not isinstance(answer.get("token"), str):
            raise self.refuse()
        return str(answer["token"])

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        params: Mapping[str, str] | None = None,
        remedy: str = SIGN_IN,
    ) -> Any:
        """Return the decoded answer, None if it is empty; raise an error answer."""
        return self._ask(self._client.build_request(method, path, json=body, params=params), remedy)

    def upload(
        self,
        path: str,
        body: Iterable[bytes],
        *,
        params: Mapping[str, str],
        headers: Mapping[str, str],
    ) -> Any:
        """Post a body piece by piece, and return the decoded answer."""
        request = self._client.build_request(
            "POST", path, content=body, params=params, headers=headers
        )
        return self._ask(request, SIGN_IN)

    def _ask(self, request: httpx.Request, remedy: str) -> Any:
        try:
            response = self._client.send(request)
        except httpx.HTTPError as error:
            raise self._explain(error) from error
        check_status(response, remedy)
        if response.status_code == httpx.codes.NO_CONTENT:
            return None
        try:
            return response.json()
        except ValueError as error:
            raise self.refuse() from error

    def follow(self, options: SearchOptions, place: str) -> Iterator[tuple[str, str]]:
        """Follow a tail after `place`: yields the id and data of each message; either may be empty.

        Warnings of the server are printed at once.
        """
        headers = {"Last-Event-ID": place} if place else {}
        timeout = httpx.Timeout(SILENT_S, connect=CONNECT_S)
        parameters = options.to_parameters()
        try:
            with self._client.stream(
                "GET", "/api/tail", params=parameters, headers=headers, timeout=timeout
            ) as response:
                if not response.is_success:
                    response.read()
                    check_status(response)
                if not response.headers.get("Content-Type", "").startswith(EVENT_STREAM):
                    raise self.refuse()
                yield from read_messages(response.iter_lines())
        except httpx.HTTPError as error:
            raise self._explain(error) from error

    def _explain(self, error: httpx.HTTPError) -> Unavailable:
        return Unavailable(f"no answer from {self._url}: {str(error) or type(error).__name__}")

    def refuse(self) -> Invalid:
        """Return the error for an answer that did not come from a logboom server."""
        return Invalid(f"{self._url} is not a logboom server, expected the address of one")


def read_messages(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Yield the id and data of server-sent events."""
    message: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            message[name] = value
        else:
            if message.get("event") == "warning":
                show_warning(message.get("data", ""))
            else:
                yield message.get("id", ""), message.get("data", "")
            message = {}


def show_warning(data: str) -> None:
    """Print a warning to standard error, as a search does."""
    try:
        warning = msgspec.json.decode(data, type=dict[str, Any])
    except ValueError:
        return
    show(Console(stderr=True), f"{warning.get('code')}: {warning.get('message')}", "yellow")


def check_url(url: str) -> str:
    try:
        parsed = httpx.URL(url.strip())
        is_address = parsed.scheme in ("http", "https") and bool(parsed.host)
    except httpx.InvalidURL:
        is_address = False
    if not is_address:
        raise Invalid(f"url {url!r}, expected an address such as http://127.0.0.1:7300")
    return url.strip().rstrip("/")


def check_token(token: str) -> str:
    token = token.strip()
    if not (token.isascii() and token.isprintable()):
        raise Invalid("the token contains invalid characters, expected it exactly as issued")
    return token


def check_status(response: httpx.Response, remedy: str = SIGN_IN) -> None:
    """Raise an error answer as the server's own error; `remedy` is added if the credentials were rejected."""
    if response.is_success:
        return
    failure = read_failure(response)
    message = str(failure.pop("message", f"{response.url.host} answered {response.status_code}"))
    failure.pop("code", None)
    if response.status_code == httpx.codes.UNAUTHORIZED:
        raise Unauthenticated(message + remedy)
    if response.status_code in BUSY:
        raise Unavailable(message, **failure | read_retry(response))
    raise LogboomError(message, **failure)


def read_retry(response: httpx.Response) -> dict[str, int]:
    """Return how many seconds the server asks to wait before a retry, if it says so."""
    text = response.headers.get("Retry-After", "")
    return {"retry_after_s": int(text)} if text.isdecimal() else {}


def read_failure(response: httpx.Response) -> dict[str, Any]:
    try:
        document = response.json()
    except ValueError:
        return {}
    failure = document.get("error") if isinstance(document, dict) else None
    return failure if isinstance(failure, dict) else {}
