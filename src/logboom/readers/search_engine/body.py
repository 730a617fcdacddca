"""The body of a search and the parameters of its address, read into what is wanted."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import field
from msgspec.structs import replace

from logboom.base.patterns import compile_later
from logboom.base.structs import InternalStruct
from logboom.lang import ast
from logboom.readers.search_engine.aggs import Node, read_aggregations
from logboom.readers.search_engine.dsl import read_filter
from logboom.readers.search_engine.dsl.context import (
    EVERYTHING,
    Context,
    join_all,
    malformed,
    unsupported,
)
from logboom.readers.search_engine.dsl.members import Members, read_object, read_whole, show
from logboom.readers.search_engine.hits.collapse import Collapse, read_collapse
from logboom.readers.search_engine.hits.highlight import Highlighter, make_highlighter
from logboom.readers.search_engine.hits.page import Page, read_page
from logboom.readers.search_engine.hits.sorting import After, Key, Order, read_after

USED = frozenset({
    "query", "size", "from", "sort", "search_after", "_source", "fields", "docvalue_fields", "stored_fields",
    "track_total_hits", "post_filter", "highlight", "aggs", "aggregations", "pit", "version", "seq_no_primary_term",
    "slice", "collapse", "runtime_mappings",
})  # fmt: skip
IGNORED = frozenset({
    "timeout", "explain", "profile", "min_score", "track_scores", "indices_boost", "stats", "ext", "terminate_after",
    "index", "preference", "request_cache", "max_concurrent_shard_requests", "batched_reduce_size",
})  # fmt: skip
EMPTY_ONLY = frozenset(
    {
        "script_fields",
        "suggest",
        "rescore",
        "knn",
        "rank",
        "retriever",
    }
)


class Wanted(InternalStruct, frozen=True):
    """A search as it was asked for; `matching` is what counts, `shown` what hits match besides."""

    matching: ast.Filter = EVERYTHING
    shown: ast.Filter = EVERYTHING
    page: Page = Page()
    after: After = After()
    highlighter: Highlighter | None = None
    counts: bool = True
    collapse: Collapse | None = None
    part: ast.Sample | None = None
    """Which of the events are searched at all."""
    aggregations: Mapping[str, Node] = field(default_factory=dict)


def decode_body(data: bytes) -> dict[str, Any]:
    """Return the JSON object of a body; an empty body is an empty object."""
    try:
        content = msgspec.json.decode(data) if data.strip() else {}
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise malformed(f"the body is not valid JSON: {str(error)[:200]}") from error
    if not isinstance(content, dict):
        raise malformed(f"the body is {show(content)}, expected an object")
    return content


MOST_SLICES = 1024
NAME = compile_later(rb"[\w.@-]++")
PARAMETERS = (
    "size",
    "from",
    "track_total_hits",
    "version",
    "_source",
    "docvalue_fields",
    "stored_fields",
    "sort",
)


def add_parameters(body: Mapping[str, Any], parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return the body with the parameters of the address, which win."""
    joined = dict(body)
    for name in PARAMETERS:
        if name in parameters:
            text = parameters[name]
            joined[name] = text if "," not in text else text.split(",")
    if "_source" in parameters and parameters["_source"] in ("true", "false"):
        joined["_source"] = parameters["_source"] == "true"
    includes = parameters.get("_source_includes", parameters.get("_source_include"))
    excludes = parameters.get("_source_excludes", parameters.get("_source_exclude"))
    if includes or excludes:
        joined["_source"] = {"includes": split(includes), "excludes": split(excludes)}
    if "q" in parameters:
        joined["query"] = make_query_string(parameters)
    return joined


def split(text: str | None) -> list[str]:
    return [part for part in (text or "").split(",") if part]


def make_query_string(parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return the query in the address."""
    options = {
        "query": parameters["q"],
        "default_operator": parameters.get("default_operator", "OR"),
    }
    if "df" in parameters:
        options["default_field"] = parameters["df"]
    return {"query_string": options}


def read_body(body: Members, context: Context) -> Wanted:
    """Return what a body asks for; raise Invalid if something is wrong with it."""
    check_members(body)
    page = read_page(body, context.names)
    if body.get("pit"):
        page = replace(page, order=with_place(page.order))
    after = read_after(page.order, body.get("search_after"), context.now_ns)
    if page.offset and after != After():
        raise unsupported("`from` parameter must be set to 0 when `search_after` is used")
    if body.get("collapse") and after != After():
        raise unsupported("cannot use [collapse] in conjunction with [search_after]")
    check_runtime_fields(body)
    matching = read_filter(body.get("query"), context)
    aggregations = read_object(body.get("aggs", body.get("aggregations")) or {}, "aggs")
    return Wanted(
        matching=matching,
        shown=read_filter(body.get("post_filter"), context),
        page=page,
        after=after,
        highlighter=read_highlighter(body.get("highlight"), matching, context),
        counts=body.get("track_total_hits", True) not in (False, "false"),
        collapse=read_collapse(body["collapse"], context.names) if body.get("collapse") else None,
        part=read_slice(body["slice"]) if body.get("slice") else None,
        aggregations=read_aggregations(aggregations, context),
    )


def read_highlighter(written: object, matching: ast.Filter, context: Context) -> Highlighter | None:
    """Return the highlighter of a body; it may look for something else than the query."""
    if not written:
        return None
    options = read_object(written, "highlight")
    query = options.get("highlight_query")
    return make_highlighter(options, read_filter(query, context) if query else matching)


def read_slice(written: object) -> ast.Sample:
    """Return one of several parts of the events, each for a client of its own."""
    options = read_object(written, "slice")
    most = read_whole(options.get("max"), "max", 2, MOST_SLICES)
    return ast.Sample(most, read_whole(options.get("id"), "id", 0, most - 1))


def with_place(order: Order) -> Order:
    """Return the order of a point in time, whose hits always say where they are."""
    return order if order.has_place else Order((*order.keys, Key("_shard_doc", descending=False)))


def check_members(body: Members) -> None:
    for name, value in body.items():
        if name in USED or name in IGNORED or (name in EMPTY_ONLY and not value):
            continue
        if name in EMPTY_ONLY:
            raise unsupported(f"[{name}] is not supported")
        raise malformed(f"unknown key [{name[:80]}] in the body of a search")


def check_runtime_fields(body: Members) -> None:
    """Refuse a request that uses a field with a script; clients send all that they know."""
    fields = read_object(body.get("runtime_mappings") or {}, "runtime_mappings")
    computed = [name for name, each in fields.items() if read_object(each, name).get("script")]
    if not computed:
        return
    rest = {name: value for name, value in body.items() if name != "runtime_mappings"}
    mentioned = {name.decode() for name in NAME.findall(msgspec.json.encode(rest))}
    for name in computed:
        if name in mentioned:
            raise unsupported(
                f"runtime field [{name[:80]}] has a script, expected a field of events"
            )


def join_shown(wanted: Wanted) -> ast.Filter:
    """Return the filter for the hits."""
    return join_all([wanted.matching, wanted.shown])
