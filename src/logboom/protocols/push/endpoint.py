"""The log-aggregator push: takes streams of labelled lines, answers 204 or one line of text."""

from logboom.base.errors import Forbidden, Invalid, UnsupportedEncoding
from logboom.ingest.receipt import Receipt
from logboom.ingest.visit import Intake, open_visit
from logboom.model.batch import Lines
from logboom.protocols.push import probes as push_probes
from logboom.protocols.push.from_json import MAX_BODY_BYTES, PushLines, read_json
from logboom.protocols.push.probes import PROTOCOL
from logboom.web.asgi import RawRequest
from logboom.web.reply import Reply
from logboom.web.route import About, Route

PROTOBUF = "application/x-protobuf"
PROTOBUF_TYPES = (PROTOBUF, "application/protobuf")
ADVICE = (
    "this endpoint accepts application/json only; for Vector set compression=gzip, for winston-loki set "
    "json:true, for Alloy/Promtail send OTLP to /v1/logs instead; or an admin may enable the setting "
    "ingest.push_protobuf"
)
SHAPE = "expected [time, line] or [time, line, metadata]"


def read_protobuf(body: bytes) -> PushLines:
    # Imported here because few services receive protobuf, and its library is slow to load.
    from logboom.protocols.push import from_protobuf as push_protobuf  # noqa: PLC0415

    return push_protobuf.read_protobuf(body)


async def handle_push(intake: Intake, request: RawRequest) -> Reply:
    """Store the entries of all streams."""
    with open_visit(intake, request) as visit:
        if request.content_type in PROTOBUF_TYPES:
            check_protobuf(intake, request)
        body = await visit.read(MAX_BODY_BYTES)
        if is_protobuf(request, body):
            check_protobuf(intake, request)
            push = await visit.run(read_protobuf, body)
        else:
            push = await visit.run(read_json, body)
        if push.lines:
            check_receipt(await visit.store(Lines(b"".join(push.lines), faults=push.faults)), push)
    return Reply(204)


def is_protobuf(request: RawRequest, body: bytes) -> bool:
    """Return whether the type says so, or nothing says otherwise and it does not start like JSON."""
    if request.content_type in PROTOBUF_TYPES:
        return True
    is_likely = not request.content_type or "snappy" in request.headers.get("content-encoding", "")
    return is_likely and bool(body) and not body.lstrip().startswith(b"{")


def check_protobuf(intake: Intake, request: RawRequest) -> None:
    """Raise UnsupportedEncoding unless an admin has enabled protobuf."""
    if not intake.control.settings.effective.ingest.push_protobuf:
        content_type = (request.content_type or PROTOBUF)[:100]
        raise UnsupportedEncoding(f'unsupported content type "{content_type}": {ADVICE}')


def check_receipt(receipt: Receipt, push: PushLines) -> None:
    """Report what failed, after everything else is stored."""
    count, refused = len(push.lines), len(receipt.refused)
    faults = push.faults + len(receipt.unparsed)
    if refused == count:
        raise Forbidden("the index is not allowed for this sender, nothing was stored")
    problems = []
    if faults:
        problems.append(
            f"{faults} of {count} entries were not understood and kept as messages, {SHAPE}"
        )
    if refused:
        problems.append(
            f"{refused} of {count} entries were refused, their index is not allowed for this sender"
        )
    if problems:
        raise Invalid("; ".join([*problems, "all others are stored"]))


ABOUT = About(
    "Push streams of lines",
    "Streams, each with labels and a list of `[time, line]` or `[time, line, metadata]`. A line that is a JSON "
    "object is parsed into fields, which win over labels and metadata. Snappy protobuf is accepted if the "
    "setting `ingest.push_protobuf` is on. Errors are one line of text.",
    ("application/json", PROTOBUF),
    "Every entry is on disk.",
    204,
)
ROUTES = [
    Route("POST", "/logpush/api/v1/push", handle_push, PROTOCOL, ABOUT),
    Route("POST", "/loki/api/v1/push", handle_push, PROTOCOL, ABOUT),
    Route("POST", "/api/prom/push", handle_push, PROTOCOL),
    *push_probes.ROUTES,
]
