"""What every reading endpoint needs, and how it asks on behalf of a client."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from logboom.base.clock import Clock
from logboom.base.errors import LogboomError, TooLarge, Unauthenticated
from logboom.base.process.deadline import Deadline
from logboom.base.process.offload import Offload
from logboom.base.structs import InternalStruct
from logboom.control.access.authorise import require
from logboom.control.access.principal import Principal
from logboom.control.access.scopes import Scope
from logboom.control.control import Control
from logboom.ingest.admission import find_credential, recognise
from logboom.ingest.memory import MemoryBudget, Share
from logboom.ingest.pace import PacedBody
from logboom.ingest.visit import COMPATIBILITY, check_switch
from logboom.search.service import SearchService
from logboom.web.asgi import RawRequest
from logboom.web.cancelling import run_cancellable

T = TypeVar("T")

VALUE_BYTES = 256
"""What a value of a body takes at most when it is decoded."""

Work = Callable[[Principal, Deadline], T]
"""Finds an answer for a principal."""


class Reader(InternalStruct, frozen=True):
    """What every reading endpoint needs."""

    control: Control
    search: SearchService
    offload: Offload
    clock: Clock
    memory: MemoryBudget
    """Of the bodies of requests that are being answered."""

    async def receive_body(self, request: RawRequest, most_bytes: int, share: Share) -> bytes:
        """Return the decoded body; it counts in the share with the values that it may be decoded to."""
        receive = request.receive
        request.receive = PacedBody(receive, share).receive
        pieces: list[bytes] = []
        size_bytes = 0
        async for piece in request.stream(self.offload):
            size_bytes += len(piece)
            if size_bytes > most_bytes:
                raise TooLarge(
                    f"the body is larger than {most_bytes} bytes, expected a smaller one"
                )
            await share.take(len(piece) + piece.count(b",") * VALUE_BYTES)
            pieces.append(piece)
        # From now on messages only tell that the client has gone.
        request.receive = receive
        return b"".join(pieces)

    def admit(self, request: RawRequest) -> Principal:
        """Return who asks: a session or an API key, as a bearer token or the password of basic authentication."""
        check_switch(self.control, COMPATIBILITY)
        credential = find_credential(request.headers)
        if credential is None:
            raise Unauthenticated("no credentials, expected an API key with the scope search")
        principal = recognise(self.control, credential)
        require(principal, Scope.SEARCH)
        return principal

    def still_admits(self, request: RawRequest, principal: Principal) -> bool:
        """Return whether the request's credential still stands for the same principal; reads no disk."""
        try:
            return self.admit(request) == principal
        except LogboomError:
            return False

    async def run(self, request: RawRequest, work: Work[T]) -> T:
        """Admit a request whose body was read, and run its work off the event loop."""
        principal = self.admit(request)

        return await run_cancellable(
            *(request.receive, self.offload, partial(work, principal), self.search.timeout_s)
        )
