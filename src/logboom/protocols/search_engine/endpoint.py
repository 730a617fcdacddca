"""The search engine's API: bulk requests, single documents, and everything that clients ask first.

What clients want to set up first (templates, policies, pipelines …) is not needed: they are told that it exists.
"""

from array import array
from collections.abc import Callable
from contextlib import suppress

import msgspec

from logboom.base.clock import NS_PER_S, format_time
from logboom.base.errors import Forbidden, Invalid, NotFound, TooLarge, Unavailable
from logboom.base.ids import derive_ulid, make_ulid
from logboom.ingest.admission import identify
from logboom.ingest.sink import Pieces
from logboom.ingest.visit import COMPATIBILITY, Intake, Visit, check_switch, open_visit
from logboom.model.batch import Lines, Routes
from logboom.model.names import normalise_index, parse_template
from logboom.model.scanning import BLANKS
from logboom.protocols.search_engine.bulk import NO_DOCUMENT, BulkReader, unwrap_update
from logboom.protocols.search_engine.bulk_answer import (
    UNPARSED,
    ItemForm,
    explain_refusal,
    is_chunk_sender,
    list_faults,
    render_bulk,
    render_document,
)
from logboom.protocols.search_engine.description import (
    ACKNOWLEDGED,
    CLUSTER,
    FEATURES,
    HEALTH,
    LICENSE,
    NO_PROCESSORS,
    NO_SETTINGS,
    REFRESHED,
    describe_new_index,
    describe_nodes,
    describe_server,
)
from logboom.web.asgi import RawRequest
from logboom.web.lines import MAX_LINE_BYTES
from logboom.web.reply import Reply
from logboom.web.route import About, Handler, Protocol, Route
from logboom.web.search_engine.errors import PRODUCT, refuse, reply_fault
from logboom.web.search_engine.filter_path import parse_filter_path

PREFIXES = ("", "/api/es")
INLINE_ACTIONS = 500
MAX_SETUP_BYTES = 16 * 1024 * 1024


async def handle_bulk(intake: Intake, request: RawRequest) -> Reply:
    """Store the documents of all actions, or none of them, and answer for each."""
    started_ns = intake.clock()
    reader = BulkReader(request.path_values.get("index"))
    with open_visit(intake, request) as visit:
        receipt = await visit.store_stream(read_pieces(visit, reader))
    await refresh_as_asked(intake, request)
    form = ItemForm(
        name_fallback(visit.target.index),
        make_id(visit, started_ns),
        parse_filter_path(request.parameters.get("filter_path", "")),
        is_chunk_sender(request.headers.get("user-agent", "")),
    )

    def render() -> bytes:
        faults = list_faults(reader.actions, reader.faults, receipt)
        took_ms = 0 if visit.key else (intake.clock() - started_ns) // 1_000_000
        return render_bulk(reader.actions, faults, form, took_ms)

    is_short = len(reader.actions) <= INLINE_ACTIONS
    body = render() if is_short else await intake.offload.run(render)
    return Reply(body=body, headers=PRODUCT)


def make_id(visit: Visit, now_ns: int) -> str:
    """Return the prefix of generated ids; under an idempotency key always the same, like the rest of the answer."""
    return derive_ulid(visit.key) if visit.key else make_ulid(now_ns)


def name_fallback(index: str) -> str:
    """Return the index of actions that name none; a template is kept, because each event resolves it."""
    template = parse_template(index)
    return index if template.paths else template.resolve(())


async def read_pieces(visit: Visit, reader: BulkReader) -> Pieces:
    async for chunk in visit.chunk_lines():
        lines = await visit.run(reader.feed, chunk)
        if lines.data:
            yield lines
    reader.finish()


async def handle_document(intake: Intake, request: RawRequest) -> Reply:
    """Store the body as one document."""
    return await store_document(intake, request, make_line, "created")


async def handle_update(intake: Intake, request: RawRequest) -> Reply:
    """Store the document of an update as one of its own, as in bulk requests."""
    return await store_document(intake, request, make_updated_line, "updated")


async def store_document(
    intake: Intake, request: RawRequest, make: Callable[[bytes], bytes], result: str
) -> Reply:
    index = normalise_index(request.path_values["index"])
    with open_visit(intake, request) as visit:
        line = await visit.run(make, await visit.read(MAX_LINE_BYTES))
        receipt = await visit.store(Lines(line, Routes([index], array("i", [0]))))
    await refresh_as_asked(intake, request)
    if receipt.refused:
        return reply_fault(explain_refusal(index))
    if receipt.unparsed:
        return reply_fault(UNPARSED)
    identity = request.path_values.get("id") or make_id(visit, intake.clock())
    status = 201 if result == "created" else 200
    return Reply(status, render_document(index, identity, result), headers=PRODUCT)


async def refresh_as_asked(intake: Intake, request: RawRequest) -> None:
    """Wait until the events are searchable if the parameter `refresh` asks for it.

    They are already stored, so a failed wait must not make the client send them again.
    """
    if request.parameters.get("refresh", "false") != "false":
        with suppress(Unavailable):
            await intake.sink.refresh()


def make_line(body: bytes) -> bytes:
    """Return a document on one line: in JSON a line feed is only whitespace."""
    line = body.strip(BLANKS).replace(b"\n", b" ")
    if not line:
        raise Invalid("request body is required", type="parse_exception")
    return line


def make_updated_line(body: bytes) -> bytes:
    document = unwrap_update(make_line(body))
    if not document:
        raise Invalid(NO_DOCUMENT.reason, type=NO_DOCUMENT.type)
    return document


async def enter(intake: Intake, request: RawRequest, *, may_search: bool = False) -> None:
    """Admit a request, and ignore its body; clients that only search ask questions too."""
    check_switch(intake.control, COMPATIBILITY)
    is_question = request.method in ("GET", "HEAD")
    identify(intake.control, request.headers, may_search=may_search or is_question)
    size_bytes = 0
    async for piece in request.stream():
        size_bytes += len(piece)
        if size_bytes > MAX_SETUP_BYTES:
            raise TooLarge(f"the body is too long, expected at most {MAX_SETUP_BYTES} bytes")


def answer(find: Callable[[RawRequest], object]) -> Handler[Intake]:
    """Return a handler whose answer needs only the request."""

    async def handle(intake: Intake, request: RawRequest) -> Reply:
        await enter(intake, request)
        return Reply(body=msgspec.json.encode(find(request)), headers=PRODUCT)

    return handle


def always(content: object) -> Handler[Intake]:
    return answer(lambda _request: content)


async def handle_cat_health(intake: Intake, request: RawRequest) -> Reply:
    """Answer with the health as one line of text."""
    await enter(intake, request)
    now_ns = intake.clock()
    time_of_day = format_time(now_ns)[11:19]
    line = f"{now_ns // NS_PER_S} {time_of_day} {CLUSTER} green 1 1 1 1 0 0 0 0 - 100.0%\n"
    return Reply(body=line.encode(), content_type="text/plain; charset=UTF-8", headers=PRODUCT)


async def handle_refresh(intake: Intake, request: RawRequest) -> Reply:
    """Answer when everything acknowledged so far is searchable."""
    await enter(intake, request, may_search=True)
    await intake.sink.refresh()
    return Reply(body=msgspec.json.encode(REFRESHED), headers=PRODUCT)


async def handle_unknown(intake: Intake, request: RawRequest) -> Reply:
    await enter(intake, request)
    raise NotFound(f"no handler found for uri [{request.path}] and method [{request.method}]")


async def refuse_change(intake: Intake, request: RawRequest) -> Reply:
    await enter(intake, request)
    raise Forbidden("events cannot be changed, and only their environment's retention removes them")


ANY = "GET POST PUT DELETE PATCH OPTIONS"
ANYWHERE = ("", "/_all", "/{index}")
NOTHING_SET_UP: dict[str, object] = {
    "_index_template": {"index_templates": []},
    "_component_template": {"component_templates": []},
    "_template": {},
    "_ilm/policy": {},
    "_ingest/pipeline": {},
    "_data_stream": {"data_streams": []},
    "_alias": {},
}
"""What clients set up, and the answer that lists none of it."""
SURFACE: list[tuple[str, str, Handler[Intake]]] = [
    ("POST PUT", "/_bulk", handle_bulk),
    ("GET", "/", answer(describe_server)),
    ("GET", "/_license", always(LICENSE)),
    ("GET", "/_xpack/license", always(LICENSE)),
    ("GET", "/_xpack", always(FEATURES)),
    ("GET", "/_cluster/health", always(HEALTH)),
    ("GET", "/_cluster/health/{index}", always(HEALTH)),
    ("GET", "/_cat/health", handle_cat_health),
    ("GET", "/_nodes/ingest", always(NO_PROCESSORS)),
    ("GET", "/_nodes", answer(describe_nodes)),
    ("GET", "/_nodes/{rest*}", answer(describe_nodes)),
    ("GET", "/_cluster/settings", always(NO_SETTINGS)),
    ("PUT", "/_cluster/settings", always({**ACKNOWLEDGED, **NO_SETTINGS})),
    *(
        (methods, f"/{kind}{name}", always(content))
        for kind, none in NOTHING_SET_UP.items()
        for name in ("", "/{name}")
        for methods, content in (("GET", none), ("PUT POST DELETE", ACKNOWLEDGED))
    ),
    ("POST", "/_aliases", always(ACKNOWLEDGED)),
    ("PUT", "/{index}/_settings", always(ACKNOWLEDGED)),
    ("PUT POST", "/{index}/_mapping", always(ACKNOWLEDGED)),
    ("PUT POST", "/{index}/_mapping/{type}", always(ACKNOWLEDGED)),
    ("PUT POST DELETE", "/{index}/_alias/{name}", always(ACKNOWLEDGED)),
    *(
        (methods, f"{index}/{kind}", handler)
        for methods, kind, handler in (
            ("GET POST", "_refresh", handle_refresh),
            ("GET POST", "_flush", handle_refresh),
            ("POST", "_forcemerge", always(REFRESHED)),
            ("POST", "_cache/clear", always(REFRESHED)),
        )
        for index in ANYWHERE
    ),
    (ANY, "/_{rest*}", handle_unknown),
    ("POST PUT", "/{index}/_bulk", handle_bulk),
    ("POST PUT", "/{index}/{type}/_bulk", handle_bulk),
    ("POST", "/{index}/_doc", handle_document),
    ("POST PUT", "/{index}/_doc/{id}", handle_document),
    ("POST PUT", "/{index}/_create/{id}", handle_document),
    ("POST", "/{index}/_update/{id}", handle_update),
    ("DELETE", "/{index}/_doc/{id}", refuse_change),
    ("POST", "/{index}/_delete_by_query", refuse_change),
    ("POST", "/{index}/_update_by_query", refuse_change),
    ("PUT", "/{index}", answer(describe_new_index)),
    ("DELETE", "/{index}", refuse_change),
    (ANY, "/{index}/_{rest*}", handle_unknown),
    ("POST", "/{index}/{type}", handle_document),
]
"""The first row that matches a request's method and path answers it."""

PROTOCOL = Protocol("bulk", refuse)
ABOUT = About(
    "Ingest documents in bulk",
    "An action line (`index`, `create`, `update` or `delete`), then its source line. `_index` routes each "
    "document. One item answers each action; errors have the search engine's form.",
    ("application/x-ndjson", "application/json"),
    "Every document is on disk, except those whose item has an `error`.",
)
ROUTES = [
    Route(methods, prefix + path, handler, PROTOCOL, ABOUT if handler is handle_bulk else None)
    for prefix in PREFIXES
    for methods, path, handler in SURFACE
]
