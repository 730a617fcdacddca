"""Until the service is ready only its health endpoints work."""

from logboom.base.errors import Unavailable
from logboom.web.asgi import send_error
from logboom.web.direct import Answering, FindAnswer, WholeRequest
from logboom.web.errors import render_error
from logboom.web.reply import Reply
from logboom.web.sockets import Socket
from logboom.web.types import HTTP, ASGIApp, Receive, Scope, Send

ALWAYS_OPEN = ("/health", "/metrics")


class Readiness:
    """An ASGI application that wraps another one; all but the health endpoints answer 503 until `is_ready`."""

    def __init__(self, app: ASGIApp, find_answer: FindAnswer) -> None:
        self._app = app
        self._find_answer = find_answer
        self.is_ready = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.is_ready or scope["path"] in ALWAYS_OPEN:
            await self._app(scope, receive, send)
            return
        refusal = render_error(Unavailable("the service is starting"))
        if scope["type"] == HTTP:
            await send_error(send, refusal)
        else:
            reply = Reply(refusal.status, refusal.body, headers=refusal.headers)
            await Socket(receive, send).refuse(reply)

    def find_answer(self, request: WholeRequest) -> Answering | None:
        """Return a function that answers a small request that has arrived, if the service is ready for it."""
        return self._find_answer(request) if self.is_ready else None
