"""Pipes as text: options in a fixed order, commas between names, defaults omitted."""

from collections.abc import Callable, Iterable
from typing import Any

from logboom.base.patterns import compile_later
from logboom.lang.ast import (
    MESSAGE,
    AddTotals,
    Bin,
    Chart,
    Context,
    Dedup,
    Delta,
    Diff,
    Drop,
    Eval,
    EventStats,
    Explain,
    Extract,
    Fields,
    FillNull,
    InputLookup,
    Join,
    Limit,
    Literal,
    Lookup,
    MvExpand,
    Offset,
    Patterns,
    Rare,
    Rename,
    Replace,
    Rex,
    Sample,
    Sort,
    SortKey,
    Stats,
    StreamStats,
    Tail,
    Timechart,
    Top,
    Transaction,
    Union,
    Uniq,
    Unpack,
    Untable,
    When,
    Where,
    XySeries,
)
from logboom.lang.format.aggregates import format_aggregates, format_group, format_key
from logboom.lang.format.conditions import format_condition
from logboom.lang.format.filters import format_query
from logboom.lang.format.nodes import format_node
from logboom.lang.format.values import format_name, format_quantity, quote_name
from logboom.lang.tokens import NAME_CHARACTER, NAME_FIRST, PIPE_KEYWORD, quote, settle_name

DEFAULT_COUNT = 10
WILD_NAME = compile_later(rf"(?:{NAME_FIRST}|\*)(?:{NAME_CHARACTER}|\*|\{{\}})*")


def join(*parts: str) -> str:
    """Return the non-empty parts, separated by spaces."""
    return " ".join(filter(None, parts))


def format_names(names: Iterable[str]) -> str:
    return ", ".join(map(format_name, names))


def format_list(keyword: str, names: tuple[str, ...]) -> str:
    """Print `keyword a, b`, or nothing without names."""
    return f"{keyword} {format_names(names)}" if names else ""


def format_source(field: str) -> str:
    return "" if field == MESSAGE else f"from {format_name(field)}"


def format_wild_names(names: tuple[str, ...]) -> str:
    return ", ".join(map(format_wild_name, names))


def format_wild_name(name: str) -> str:
    is_plain = WILD_NAME.fullmatch(name) and not PIPE_KEYWORD.fullmatch(name)
    return name if is_plain and settle_name(name) == name else quote_name(name)


def format_sort_keys(keys: tuple[SortKey, ...]) -> str:
    return ", ".join(f"{'-' * key.descending}{format_name(key.field)}" for key in keys)


def format_stats(node: Stats) -> str:
    return join("stats", format_aggregates(node.aggregates), format_group(node.keys))


def format_event_stats(node: EventStats) -> str:
    return join("eventstats", format_aggregates(node.aggregates), format_group(node.keys))


def format_stream_stats(node: StreamStats) -> str:
    window = "" if node.window is None else f"window={node.window}"
    current = "" if node.current else "current=false"
    aggregates = format_aggregates(node.aggregates)
    return join("streamstats", window, current, aggregates, format_group(node.keys))


def format_timechart(node: Timechart) -> str:
    span = "" if node.span is None else format_quantity(node.span)
    by = "" if node.by is None else f"by {format_key(node.by)}"
    options = format_series(node)
    return join("timechart", span, options, format_aggregates(node.aggregates), by)


def format_series(node: Timechart | Chart) -> str:
    """Print the options that say which columns a chart has."""
    limit = "" if node.limit == DEFAULT_COUNT else f"limit={node.limit}"
    other = "" if node.has_other else "useother=false"
    null = "" if node.has_null else "usenull=false"
    return join(limit, other, null)


def format_chart(node: Chart) -> str:
    keys = f"over {format_key(node.over)} by {format_key(node.by)}"
    return join("chart", format_series(node), format_aggregates(node.aggregates), keys)


def format_bin(node: Bin) -> str:
    size = f"bins={node.most}" if node.size is None else f"span={format_quantity(node.size)}"
    name = "" if node.name == node.field else f"as {format_name(node.name)}"
    return join("bin", format_name(node.field), size, name)


def format_mv_expand(node: MvExpand) -> str:
    limit = "" if node.limit is None else f"limit={node.limit}"
    return join("mvexpand", format_name(node.field), limit)


def format_input_lookup(node: InputLookup) -> str:
    return join("inputlookup", "append=true" if node.appends else "", format_name(node.table))


def format_add_totals(node: AddTotals) -> str:
    name = "" if node.name == "Total" else f"fieldname={quote(node.name)}"
    return join("addtotals", name, format_names(node.fields))


def format_xy_series(node: XySeries) -> str:
    return f"xyseries {format_names((node.row, node.column, node.value))}"


def format_untable(node: Untable) -> str:
    return f"untable {format_names((node.row, node.column, node.value))}"


def format_top(node: Top) -> str:
    return join("top", str(node.limit), format_names(node.fields), format_list("by", node.by))


def format_rare(node: Rare) -> str:
    return join("rare", str(node.limit), format_names(node.fields), format_list("by", node.by))


def format_sort(node: Sort) -> str:
    limit = "" if node.limit is None else f"limit {node.limit}"
    return join("sort", format_sort_keys(node.keys), limit)


def format_limit(node: Limit) -> str:
    return f"limit {node.count}"


def format_tail(node: Tail) -> str:
    return f"tail {node.count}"


def format_offset(node: Offset) -> str:
    return f"offset {node.count}"


def format_fields(node: Fields) -> str:
    return f"fields {format_wild_names(node.names)}"


def format_drop(node: Drop) -> str:
    return f"drop {format_wild_names(node.names)}"


def format_rename(node: Rename) -> str:
    pairs = (f"{format_wild_name(old)} as {format_wild_name(new)}" for old, new in node.pairs)
    return f"rename {', '.join(pairs)}"


def format_where(node: Where) -> str:
    return f"where {format_condition(node.filter)}"


def format_eval(node: Eval) -> str:
    pairs = (f"{format_name(name)} = {format_node(value)}" for name, value in node.assignments)
    return f"eval {', '.join(pairs)}"


def format_rex(node: Rex) -> str:
    most = "" if node.most == 1 else f"max_match={node.most}"
    source = format_source(node.field)
    return join("rex", most, quote(node.expression), source, format_keeping(node))


def format_extract(node: Extract) -> str:
    return join("extract", quote(node.template), format_source(node.field), format_keeping(node))


def format_keeping(node: Rex | Extract | Unpack) -> str:
    keeps = "keep_original_fields" if node.keeps else ""
    return join(keeps, "skip_empty_results" if node.skips_empty else "")


def format_unpack(node: Unpack) -> str:
    prefix = f"prefix {format_name(node.prefix)}" if node.prefix else ""
    columns = format_list("columns", node.columns)
    names = format_list("fields", node.names)
    source = format_source(node.field)
    return join("unpack", node.format, source, prefix, columns, names, format_keeping(node))


def format_dedup(node: Dedup) -> str:
    keep = "" if node.keep == 1 else f"keep {node.keep}"
    keys = f"sort {format_sort_keys(node.keys)}" if node.keys else ""
    return join("dedup", format_names(node.fields), keep, keys)


def format_uniq(node: Uniq) -> str:
    return f"uniq {format_names(node.fields)}"


def format_join(node: Join) -> str:
    kind = "" if node.kind == "inner" else node.kind
    most = "" if node.most == 1 else f"max={node.most}"
    return join("join", most, format_names(node.fields), kind, f"({format_query(node.query)})")


def format_union(node: Union) -> str:
    return f"union ({format_query(node.query)})"


def format_lookup(node: Lookup) -> str:
    keyword = "outputnew" if node.keeps else "output"
    outputs = f"{keyword} {format_pairs(node.outputs)}" if node.outputs else ""
    return join("lookup", format_name(node.table), format_pairs(node.keys), outputs)


def format_pairs(pairs: tuple[tuple[str, str], ...]) -> str:
    """Print `column as field`, or just the name if both are equal."""
    texts = (
        format_name(column) if column == field else f"{format_name(column)} as {format_name(field)}"
        for column, field in pairs
    )
    return ", ".join(texts)


def format_context(node: Context) -> str:
    sizes = f"before {node.before} after {node.after}"
    return join("context", sizes, format_list("same", node.same))


def format_transaction(node: Transaction) -> str:
    options = {"maxspan": node.max_span, "maxpause": node.max_pause}
    limits = [f"{name} {format_quantity(value)}" for name, value in options.items() if value]
    conditions = {"start": node.start, "end": node.end}
    borders = [f"{name} ({format_condition(value)})" for name, value in conditions.items() if value]
    return join("transaction", format_names(node.fields), *limits, *borders)


def format_delta(node: Delta) -> str:
    has_name = node.name != f"delta({node.field})"
    name = f"as {format_name(node.name)}" if has_name else ""
    return join("delta", format_name(node.field), name)


def format_patterns(node: Patterns) -> str:
    return join("patterns", format_source(node.field), format_list("by", node.by))


def format_fill_null(node: FillNull) -> str:
    return join("fillnull", format_node(Literal(node.value)), format_names(node.fields))


def format_replace(node: Replace) -> str:
    pairs = ", ".join(f"{quote(old)} with {quote(new)}" for old, new in node.pairs)
    return join("replace", pairs, format_list("in", node.fields))


def format_sample(node: Sample) -> str:
    return f"sample {node.one_in}" + (f" part {node.part}" if node.part else "")


def format_diff(node: Diff) -> str:
    return join(f"diff (previous {format_quantity(node.previous)})", format_list("by", node.by))


def format_when(node: When) -> str:
    return f"{format_node(node.pipe)} if ({format_condition(node.condition)})"


def format_explain(_: Explain) -> str:
    return "explain"


PIPE_FORMATS: dict[type, Callable[[Any], str]] = {
    Stats: format_stats,
    Timechart: format_timechart,
    Chart: format_chart,
    Bin: format_bin,
    MvExpand: format_mv_expand,
    InputLookup: format_input_lookup,
    AddTotals: format_add_totals,
    XySeries: format_xy_series,
    Untable: format_untable,
    Top: format_top,
    Rare: format_rare,
    Sort: format_sort,
    Limit: format_limit,
    Tail: format_tail,
    Offset: format_offset,
    Fields: format_fields,
    Drop: format_drop,
    Rename: format_rename,
    Where: format_where,
    Eval: format_eval,
    Rex: format_rex,
    Extract: format_extract,
    Unpack: format_unpack,
    Dedup: format_dedup,
    Uniq: format_uniq,
    Join: format_join,
    Union: format_union,
    Lookup: format_lookup,
    Context: format_context,
    Transaction: format_transaction,
    StreamStats: format_stream_stats,
    EventStats: format_event_stats,
    Delta: format_delta,
    Patterns: format_patterns,
    FillNull: format_fill_null,
    Replace: format_replace,
    Sample: format_sample,
    Diff: format_diff,
    When: format_when,
    Explain: format_explain,
}
