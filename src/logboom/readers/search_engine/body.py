"""The body of a search and the parameters of its address, read into what is wanted."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import field

from logboom.base.structs import InternalStruct
from logboom.lang import ast
from logboom.readers.search_engine.dsl import read_filter
from logboom.readers.search_engine.dsl.context import (
    EVERYTHING,
    Names,
    join_all,
    malformed,
    unsupported,
)
from logboom.readers.search_engine.dsl.members import (
    Members,
    read_flag,
    read_object,
    read_whole,
    show,
)
from logboom.readers.search_engine.sorting import After, Key, Order, read_after, read_order
from logboom.readers.search_engine.sources import (
    WantedField,
    WantedSource,
    read_source,
    read_wanted_fields,
)

MOST_HITS = 10_000
DEFAULT_SIZE = 10

USED = frozenset({
    "query", "size", "from", "sort", "search_after", "_source", "fields", "docvalue_fields", "stored_fields",
    "track_total_hits", "post_filter", "highlight", "pit", "version", "seq_no_primary_term",
})  # fmt: skip
IGNORED = frozenset({
    "timeout", "explain", "profile", "min_score", "track_scores", "indices_boost", "stats", "ext", "terminate_after",
    "index", "preference", "request_cache", "max_concurrent_shard_requests", "batched_reduce_size", "slice",
})  # fmt: skip
EMPTY_ONLY = frozenset(
    {
        "aggs",
        "aggregations",
        "script_fields",
        "runtime_mappings",
        "suggest",
        "rescore",
        "collapse",
        "knn",
        "rank",
        "retriever",
    }
)


class Wanted(InternalStruct, frozen=True):
    """A search as it was asked for; `matching` is what counts, `shown` what hits match besides."""

    matching: ast.Filter = EVERYTHING
    shown: ast.Filter = EVERYTHING
    size: int = DEFAULT_SIZE
    offset: int = 0
    order: Order = Order()
    after: After = After()
    source: WantedSource = WantedSource()
    fields: tuple[WantedField, ...] = ()
    counts: bool = True
    has_version: bool = False
    aggregations: Members = field(default_factory=dict)
    highlight: Members | None = None


def decode_body(data: bytes) -> dict[str, Any]:
    """The JSON object of a body; an empty body is an empty object."""
    try:
        content = msgspec.json.decode(data) if data.strip() else {}
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise malformed(f"the body is not valid JSON: {str(error)[:200]}") from error
    if not isinstance(content, dict):
        raise malformed(f"the body is {show(content)}, expected an object")
    return content


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
    """The body with what the address says; that wins."""
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
    """The query in the address."""
    options = {
        "query": parameters["q"],
        "default_operator": parameters.get("default_operator", "OR"),
    }
    if "df" in parameters:
        options["default_field"] = parameters["df"]
    return {"query_string": options}


def read_body(body: Members, now_ns: int, names: Names) -> Wanted:
    """What a body asks for; an error says what is wrong with it."""
    check_members(body)
    size = read_whole(body.get("size", DEFAULT_SIZE), "size", 0, MOST_HITS)
    offset = read_whole(body.get("from", 0), "from", 0, 2**31)
    if offset + size > MOST_HITS:
        raise unsupported(
            "Result window is too large, from + size must be less than or equal to: "
            f"[{MOST_HITS}] but was [{offset + size}]"
        )
    order = read_order(body["sort"], names) if body.get("sort") else Order()
    if body.get("pit"):
        order = with_place(order)
    after = read_after(order, body.get("search_after"), now_ns)
    if offset and after != After():
        raise unsupported("`from` parameter must be set to 0 when `search_after` is used")
    matching = read_filter(body.get("query"), now_ns, names)
    source = body.get("_source")
    if body.get("stored_fields") in ("_none_", ["_none_"]) and source is None:
        source = False
    listed = [*as_list(body.get("fields")), *as_list(body.get("docvalue_fields"))]
    return Wanted(
        matching=matching,
        shown=read_filter(body.get("post_filter"), now_ns, names),
        size=size,
        offset=offset,
        order=order,
        after=after,
        source=read_source(source),
        fields=read_wanted_fields(listed, names),
        counts=body.get("track_total_hits", True) not in (False, "false"),
        has_version=read_flag(body.get("version", False), "version"),
        aggregations=read_object(body.get("aggs", body.get("aggregations")) or {}, "aggs"),
        highlight=read_object(body["highlight"], "highlight") if body.get("highlight") else None,
    )


def as_list(value: object) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def with_place(order: Order) -> Order:
    """The order of a point in time, whose hits always say where they are."""
    return order if order.has_place else Order((*order.keys, Key("_shard_doc", descending=False)))


def check_members(body: Members) -> None:
    for name, value in body.items():
        if name in USED or name in IGNORED or (name in EMPTY_ONLY and not value):
            continue
        if name in EMPTY_ONLY:
            raise unsupported(f"[{name}] is not supported")
        raise malformed(f"unknown key [{name[:80]}] in the body of a search")


def join_shown(wanted: Wanted) -> ast.Filter:
    """What hits match."""
    return join_all([wanted.matching, wanted.shown])
