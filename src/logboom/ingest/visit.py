"""One request of a shipper, from its headers to durable events: the same for every protocol."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from logboom.base.clock import Clock
from logboom.base.errors import Forbidden, Invalid, TooLarge, Unavailable, about
from logboom.base.process.offload import Offload
from logboom.base.structs import InternalStruct
from logboom.control.control import Control
from logboom.ingest.admission import Admission, admit
from logboom.ingest.memory import Share
from logboom.ingest.pace import PacedBody
from logboom.ingest.receipt import Receipt
from logboom.ingest.sink import BATCH_BYTES, INLINE_BYTES, Delivery, Pieces, Sink
from logboom.model.batch import Lines, Routes, Target
from logboom.model.names import DEFAULT_INDEX, check_open, parse_template
from logboom.web.asgi import RawRequest
from logboom.web.encodings import WINDOW_BYTES, weigh_held
from logboom.web.lines import CHUNK_BYTES, MAX_LINE_BYTES, LineChunker

MAX_KEY_LENGTH = 256
MAX_SOURCE_LENGTH = 1024
PIECE_BYTES = 4 * 1024 * 1024
MOST_HELD_BYTES = MAX_LINE_BYTES + CHUNK_BYTES
"""What is held until a line is complete; the rest of a longer line is dropped."""

T = TypeVar("T")


class Intake(InternalStruct, frozen=True):
    """What every ingest endpoint needs."""

    control: Control
    sink: Sink
    offload: Offload
    clock: Clock
    takes_events: bool = True
    """Whether this node ingests events."""


class EndpointClass(NamedTuple):
    """A class of endpoints that an admin can disable as a whole."""

    setting: str
    refusal: str
    is_patient: bool
    """Whether a request waits for room in the writer queue."""


NATIVE = EndpointClass(
    "native_enabled",
    "native ingest is switched off, an admin may switch it on in the settings",
    is_patient=True,
)
COMPATIBILITY = EndpointClass(
    "compat_enabled",
    "the compatibility endpoints are switched off, an admin may switch them on in the settings",
    is_patient=False,
)


class Visit:
    """A request that was admitted."""

    def __init__(
        self,
        intake: Intake,
        request: RawRequest,
        admission: Admission,
        delivery: Delivery,
        share: Share,
    ) -> None:
        self._intake = intake
        self._delivery = delivery
        self._share = share
        self.request = request
        self.admission = admission
        self.target = delivery.target
        self.key = delivery.key
        """The request's idempotency key, unique to its sender."""
        self._counted: bytes | None = None
        """The body, if its memory is counted already."""

    async def find_body(self) -> bytes | None:
        """Return the whole body, if it is not encoded and fits into one batch.

        Return None if it must be read as a stream.
        """
        size_bytes = self.request.announced_bytes
        if self.request.body is None and size_bytes is not None and size_bytes <= BATCH_BYTES:
            await self.request.collect(self._share.take)
            self._counted = self.request.body
        return self.request.body

    async def read(self, limit_bytes: int) -> bytes:
        """Return the whole decoded body; it counts as memory of the request during the visit."""
        pieces: list[bytes] = []
        size_bytes = 0
        async for piece in self._decode():
            size_bytes += len(piece)
            if size_bytes > limit_bytes:
                raise TooLarge(
                    f"the body is larger than {limit_bytes} bytes, expected a smaller one"
                )
            await self._share.take(len(piece))
            pieces.append(piece)
        return b"".join(pieces)

    async def chunk(self) -> AsyncIterator[bytes]:
        """Yield the decoded body in chunks of a convenient size, which may end anywhere."""
        held: list[bytes] = []
        size_bytes = 0
        async for data in self._decode():
            held.append(data)
            size_bytes += len(data)
            if size_bytes >= CHUNK_BYTES:
                yield b"".join(held)
                held, size_bytes = [], 0
        yield b"".join(held)

    async def chunk_lines(self, *, splits_json: bool = False) -> AsyncIterator[bytes]:
        """Yield the decoded body in chunks of whole lines.

        With `splits_json` a long line of JSON may be split; the last line then ends with a line feed, to distinguish
        it from a part of a line. Only what is held until its line is complete counts as memory of the request.
        """
        chunker = LineChunker(splits_json=splits_json)
        held_bytes = 0
        async for data in self._decode():
            taken_bytes = min(len(data), MOST_HELD_BYTES - held_bytes)
            await self._share.take(taken_bytes)
            held_bytes += taken_bytes
            for chunk in chunker.feed(data):
                complete_bytes = min(len(chunk), held_bytes)
                self._share.give(complete_bytes)
                held_bytes -= complete_bytes
                yield chunk
        self._share.give(held_bytes)
        rest = chunker.finish()
        if rest:
            yield rest + b"\n" if splits_json else rest

    async def _decode(self) -> AsyncIterator[bytes]:
        """Yield the decoded body; what its decoder remembers of it counts as memory of the request."""
        room_bytes = WINDOW_BYTES if "content-encoding" in self.request.headers else 0
        async for data in self.request.stream(self._intake.offload):
            if room_bytes:
                kept_bytes = min(room_bytes, len(data))
                await self._share.take(kept_bytes)
                room_bytes -= kept_bytes
            yield data

    async def run(self, work: Callable[..., T], data: bytes, *arguments: object) -> T:
        """Call a function on the body, off the event loop unless the body is small."""
        if len(data) <= INLINE_BYTES:
            return work(data, *arguments)
        return await self._intake.offload.run(work, data, *arguments)

    async def store(self, lines: Lines) -> Receipt:
        """Make the lines durable."""
        size_bytes = lines.size_bytes
        if size_bytes > BATCH_BYTES:
            return await self.store_stream(cut(lines))
        is_counted = lines.data is self._counted
        await self._share.take(size_bytes - len(lines.data) if is_counted else size_bytes)
        return await self._intake.sink.ingest_lines(self._delivery, lines, self._share)

    async def store_stream(self, pieces: Pieces) -> Receipt:
        """Make all lines durable, or none."""
        return await self._intake.sink.ingest(self._delivery, pieces, self._share)


@contextmanager
def open_visit(
    intake: Intake,
    request: RawRequest,
    endpoints: EndpointClass = COMPATIBILITY,
    *,
    any_scheme: bool = False,
) -> Iterator[Visit]:
    """Admit a request: its endpoint class is enabled, there is room, and its sender may write to the target.

    With `any_scheme` any word may precede the token in the Authorization header.
    """
    check_role(intake)
    check_switch(intake.control, endpoints)
    admission = admit(intake.control, request, any_scheme=any_scheme)
    target = read_target(admission, request)
    key = admission.scope_key(read_key(request))
    is_patient = endpoints.is_patient
    if not is_patient:
        intake.sink.check_room()
    delivery = Delivery(
        target,
        admission.admits,
        key,
        admission.name_sender(request.address),
        is_patient=is_patient,
        is_itemised=not is_patient,
    )
    with intake.sink.memory.share() as share:
        if request.body is None:
            held_per_byte = weigh_held(request.headers.get("content-encoding", ""))
            request.receive = PacedBody(request.receive, share, held_per_byte).receive
        yield Visit(intake, request, admission, delivery, share)


def check_role(intake: Intake) -> None:
    """Raise Unavailable on nodes that do not ingest: the sender retries, there or here."""
    if not intake.takes_events:
        raise Unavailable(
            "this node does not ingest events, SERVICE_ROLES lacks ingest", retry_after_s=5
        )


def check_switch(control: Control, endpoints: EndpointClass) -> None:
    """Raise Forbidden if an admin has disabled the class."""
    if not getattr(control.settings.effective.ingest, endpoints.setting):
        raise Forbidden(endpoints.refusal)


def read_target(admission: Admission, request: RawRequest) -> Target:
    """Return where the events go: query parameter, else header, else default."""
    index = request.find("index", "x-service-index", DEFAULT_INDEX)
    source = request.parameters.get("source") or None
    if source and len(source) > MAX_SOURCE_LENGTH:
        raise Invalid(
            f"source is {len(source)} characters long, expected at most {MAX_SOURCE_LENGTH}",
            field="source",
        )
    with about("index"):
        check_open(parse_template(index))
    return Target(admission.env, index, source)


def read_key(request: RawRequest) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not 0 < len(key) <= MAX_KEY_LENGTH:
        raise Invalid(f"Idempotency-Key of {len(key)} characters, expected 1 to {MAX_KEY_LENGTH}")
    return key


async def cut(lines: Lines) -> Pieces:
    """Yield pieces of bounded size; the lines must not be blank."""
    data, routes, faults, _ = lines
    start = first = 0
    while len(data) - start > PIECE_BYTES:
        end = data.find(b"\n", start + PIECE_BYTES) + 1
        if not end:
            break
        last = first + data.count(b"\n", start, end)
        yield Lines(data[start:end], routes and Routes(routes.names, routes.ids[first:last]))
        start, first = end, last
    if start:
        lines = Lines(data[start:], routes and Routes(routes.names, routes.ids[first:]), faults)
    yield lines
