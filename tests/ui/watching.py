"""Records invisible faults of a page: errors of scripts, and violations of the content policy."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Dialog, Page, Request, Response

TELL_VIOLATIONS = """
addEventListener('securitypolicyviolation', (event) => {
  console.error(`policy violation: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`)
})
globalThis.strike = () => console.error('a text was run as a script')
"""
HARMLESS = ("Failed to load resource",)
"""Answers with an error status, which the browser tells on its own; some tests provoke them."""

OWN_PATHS = ("/ui/", "/api/", "/metrics", "/docs")
"""Where the pages lead; whatever else is asked for was put there by somebody else."""


class Watch:
    """Notes what goes wrong on a page.

    `troubled` paths may answer that the server is in trouble; `elsewhere` is the beginning of an address that may be visited too.
    """

    def __init__(
        self, page: Page, troubled: tuple[str, ...] = (), elsewhere: str | None = None
    ) -> None:
        self.faults: list[str] = []
        self._troubled = troubled
        self._elsewhere = elsewhere
        self._page = page
        self._listeners: dict[Any, Callable[[Any], None]] = {
            "pageerror": lambda error: self.faults.append(f"error: {error}"),
            "console": self._hear,
            "dialog": self._refuse,
            "request": self._follow,
            "response": self._see,
        }
        for event, listener in self._listeners.items():
            page.on(event, listener)

    def end(self) -> None:
        """Stop watching."""
        for event, listener in self._listeners.items():
            self._page.remove_listener(event, listener)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(HARMLESS):
            self.faults.append(f"{message.type}: {message.text}")

    def _refuse(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _follow(self, request: Request) -> None:
        if self._elsewhere and request.url.startswith(self._elsewhere):
            return
        place = urlsplit(request.url)
        is_own = place.hostname == "127.0.0.1" and place.path.startswith(OWN_PATHS)
        if place.scheme in ("http", "https", "ws", "wss") and not (is_own or place.path == "/"):
            self.faults.append(f"request of {request.url}")

    def _see(self, response: Response) -> None:
        if response.status >= 500 and urlsplit(response.url).path not in self._troubled:
            self.faults.append(f"{response.status} of {response.url}")

    def check(self) -> None:
        assert not self.faults, "\n".join(self.faults)
