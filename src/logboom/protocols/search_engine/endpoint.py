"""The search engine's API: bulk requests, single documents, and everything that clients ask first.

What clients want to set up first (templates, policies, pipelines …) is not needed: they are told that it exists.
"""

import re
from array import array
from collections.abc import Callable

import msgspec

from logboom.base.clock import NS_PER_S, format_time
from logboom.base.errors import Forbidden, Invalid, NotFound, TooLarge
from logboom.base.ids import derive_ulid, make_ulid
from logboom.ingest.admission import identify
from logboom.ingest.sink import Pieces
from logboom.ingest.visit import COMPATIBILITY, Intake, Visit, check_switch, open_visit
from logboom.model.batch import Lines, Routes
from logboom.model.names import normalise_index, parse_template
from logboom.model.scanning import BLANKS
from logboom.protocols.search_engine.bulk import BulkReader
from logboom.protocols.search_engine.bulk_answer import (
    UNPARSED,
    ItemForm,
    explain_refusal,
    is_chunk_sender,
    list_faults,
    render_bulk,
    render_document,
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

CLUSTER = "logboom"
CLUSTER_ID = "logboom-search-cluster"
VERSION = "8.19.0"
BEAT = re.compile(r"Elastic-[\w-]+/(\d{1,3}\.\d{1,3}\.\d{1,3})")


async def handle_bulk(intake: Intake, request: RawRequest) -> Reply:
    """Store the documents of all actions, or none of them, and answer for each."""
    started_ns = intake.clock()
    reader = BulkReader(request.path_values.get("index"))
    with open_visit(intake, request) as visit:
        receipt = await visit.store_stream(read_pieces(visit, reader))
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
    index = normalise_index(request.path_values["index"])
    with open_visit(intake, request) as visit:
        line = await visit.run(make_line, await visit.read(MAX_LINE_BYTES))
        receipt = await visit.store(Lines(line, Routes([index], array("i", [0]))))
    if receipt.refused:
        return reply_fault(explain_refusal(index))
    if receipt.unparsed:
        return reply_fault(UNPARSED)
    identity = request.path_values.get("id") or make_id(visit, intake.clock())
    return Reply(201, render_document(index, identity), headers=PRODUCT)


def make_line(body: bytes) -> bytes:
    """Return a document on one line: in JSON a line feed is only whitespace."""
    line = body.strip(BLANKS).replace(b"\n", b" ")
    if not line:
        raise Invalid("request body is required", type="parse_exception")
    return line


async def enter(intake: Intake, request: RawRequest) -> None:
    """Admit a request, and ignore its body; clients that only search ask questions too."""
    check_switch(intake.control, COMPATIBILITY)
    is_question = request.method in ("GET", "HEAD")
    identify(intake.control, request.headers, may_search=is_question)
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


async def handle_unknown(intake: Intake, request: RawRequest) -> Reply:
    await enter(intake, request)
    raise NotFound(f"no handler found for uri [{request.path}] and method [{request.method}]")


async def handle_delete_index(intake: Intake, request: RawRequest) -> Reply:
    await enter(intake, request)
    raise Forbidden("events are removed by their environment's retention, not with their index")


def find_version(request: RawRequest) -> str:
    """Return the version to claim: some Beats refuse a server that is older than they are."""
    beat = BEAT.search(request.headers.get("user-agent", ""))
    return beat[1] if beat else VERSION


def describe_server(request: RawRequest) -> object:
    version = {
        "number": find_version(request),
        "build_flavor": "default",
        "build_type": "docker",
        "build_hash": "0000000000000000000000000000000000000000",
        "build_date": "2025-01-01T00:00:00.000000000Z",
        "build_snapshot": False,
        "lucene_version": "9.12.0",
        "minimum_wire_compatibility_version": "7.17.0",
        "minimum_index_compatibility_version": "7.0.0",
    }
    return {
        "name": CLUSTER,
        "cluster_name": CLUSTER,
        "cluster_uuid": CLUSTER_ID,
        "version": version,
        "tagline": "You Know, for Search",
    }


def describe_nodes(request: RawRequest) -> object:
    """Return the address that the client used, for clients that discover nodes."""
    address = request.headers.get("host", "")
    node = {
        "name": CLUSTER,
        "version": find_version(request),
        "roles": ["data", "ingest", "master"],
        "http": {"publish_address": address},
        "ingest": {"processors": []},
    }
    return {"_nodes": ONE_OF_ONE, "cluster_name": CLUSTER, "nodes": {CLUSTER: node}}


def describe_new_index(request: RawRequest) -> object:
    index = normalise_index(request.path_values["index"])
    return {"acknowledged": True, "shards_acknowledged": True, "index": index}


ONE_OF_ONE = {"total": 1, "successful": 1, "failed": 0}
ACKNOWLEDGED = {"acknowledged": True}
REFRESHED = {"_shards": ONE_OF_ONE}
LICENSE = {
    "license": {
        "status": "active",
        "uid": "00000000-0000-0000-0000-000000000000",
        "type": "basic",
        "issue_date": "2023-11-14T22:13:20.000Z",
        "issue_date_in_millis": 1700000000000,
        "issued_to": CLUSTER,
        "issuer": "elasticsearch",
        "start_date_in_millis": -1,
    }
}
FEATURES = {
    "build": {},
    "license": {"type": "basic", "mode": "basic", "status": "active"},
    "features": {
        "monitoring": {"available": True, "enabled": False},
        "ilm": {"available": True, "enabled": True},
    },
}
HEALTH = {
    "cluster_name": CLUSTER,
    "status": "green",
    "timed_out": False,
    "number_of_nodes": 1,
    "number_of_data_nodes": 1,
    "active_primary_shards": 1,
    "active_shards": 1,
    "relocating_shards": 0,
    "initializing_shards": 0,
    "unassigned_shards": 0,
    "delayed_unassigned_shards": 0,
    "number_of_pending_tasks": 0,
    "number_of_in_flight_fetch": 0,
    "task_max_waiting_in_queue_millis": 0,
    "active_shards_percent_as_number": 100.0,
}
NO_PROCESSORS = {"_nodes": ONE_OF_ONE, "cluster_name": CLUSTER, "nodes": {}}
"""The answer that nothing is missing."""

ANY = "GET POST PUT DELETE PATCH OPTIONS"
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
    *(
        (methods, f"/{kind}{name}", always(content))
        for kind in (
            "_index_template",
            "_component_template",
            "_template",
            "_ilm/policy",
            "_ingest/pipeline",
            "_data_stream",
            "_alias",
        )
        for name in ("", "/{name}")
        for methods, content in (("GET", {}), ("PUT POST DELETE", ACKNOWLEDGED))
    ),
    ("POST", "/_aliases", always(ACKNOWLEDGED)),
    *(
        ("GET POST", f"{index}/{kind}", always(REFRESHED))
        for kind in ("_refresh", "_flush")
        for index in ("", "/_all", "/{index}")
    ),
    (ANY, "/_{rest*}", handle_unknown),
    ("POST PUT", "/{index}/_bulk", handle_bulk),
    ("POST PUT", "/{index}/{type}/_bulk", handle_bulk),
    ("POST", "/{index}/_doc", handle_document),
    ("POST PUT", "/{index}/_doc/{id}", handle_document),
    ("POST PUT", "/{index}/_create/{id}", handle_document),
    ("PUT", "/{index}", answer(describe_new_index)),
    ("DELETE", "/{index}", handle_delete_index),
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
