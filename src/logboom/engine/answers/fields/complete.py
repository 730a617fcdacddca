"""Completions for a query that is being typed, with fields and values from the newest blocks."""

import inspect
from collections.abc import Callable, Iterable
from typing import Literal, get_args

import msgspec
from msgspec.structs import replace

from logboom.base.texts import write_value
from logboom.base.wording import count_events
from logboom.engine.answers.fields.listing import rank_names
from logboom.engine.answers.fields.panel import (
    FieldSummary,
    Panel,
    ValueCount,
    read_panel,
    read_values,
)
from logboom.engine.execution.find import Finder
from logboom.engine.rows.table import Table
from logboom.engine.terms.request import Request
from logboom.lang import ast
from logboom.lang.complete import Site, SiteKind
from logboom.lang.format.values import format_field, format_value
from logboom.lang.functions import AGGREGATES, FUNCTIONS, Signature
from logboom.lang.parse.pipes import ALIASES, READ_AS
from logboom.model.names import fold_name
from logboom.store.block.info import BlockInfo

MAX_BLOCKS = 50
MAX_VALUES, MAX_NAMES = 20, 100
TIMEOUT_S = 0.5
KEYWORDS = {
    "AND": "both must match",
    "OR": "one must match",
    "NOT": "must not match",
    "IN": "one of a list: field IN (a, b)",
}
SCOPES = {"index": "_index", "env": "_env"}
PIPES: dict[str, str] = {
    node.__name__.lower(): (inspect.getdoc(node) or "").partition("\n")[0]
    for node in get_args(ast.Pipe)
}
"""The description of each pipe, by its name."""
PIPES_BY_USE = (
    *("stats", "timechart", "where", "sort", "limit", "fields", "top", "eval", "dedup", "rex"),
    *("extract", "rename", "patterns", "rare", "unpack", "tail", "drop", "uniq", "bin", "lookup"),
    *("fillnull", "replace", "eventstats", "streamstats", "transaction", "join", "chart"),
    *("context", "diff", "sample", "delta", "mvexpand", "union", "offset", "inputlookup"),
    *("addtotals", "xyseries", "untable", "explain"),
)
"""All of them, the most frequently used first."""


class Suggestion(msgspec.Struct, frozen=True):
    """A completion. `text` can replace the word at the cursor."""

    text: str
    kind: Literal["field", "value", "pipe", "function", "keyword"]
    detail: str


def suggest(finder: Finder, site: Site) -> list[Suggestion]:
    """Return the matching suggestions, best first; never raises an error."""
    limits = replace(finder.budget.limits, timeout_s=TIMEOUT_S)
    finder.budget = replace(finder.budget, limits=limits)
    return [each for source in SOURCES[site.kind] for each in source(finder, site)]


def choose(
    suggestions: Iterable[Suggestion], prefix: str, limit: int = MAX_VALUES
) -> list[Suggestion]:
    """Return those that start with the typed text, then those that contain it, each in the given order."""
    typed = prefix.strip("\"'`").lower()
    holding = [each for each in suggestions if typed in each.text.lower()]
    in_order = sorted(holding, key=lambda each: not each.text.lower().lstrip('"').startswith(typed))
    return in_order[:limit]


def suggest_keywords(_finder: Finder, site: Site) -> list[Suggestion]:
    return [
        Suggestion(word, "keyword", detail)
        for word, detail in KEYWORDS.items()
        if word.startswith(site.prefix.upper())
    ]


def suggest_pipes(_finder: Finder, site: Site) -> list[Suggestion]:
    pipes = [Suggestion(name, "pipe", PIPES[name]) for name in PIPES_BY_USE]
    aliases = [Suggestion(alias, "pipe", f"the same as {READ_AS[alias]}") for alias in ALIASES]
    return choose([*pipes, *aliases], site.prefix, len(pipes) + len(aliases))


def suggest_aggregates(_finder: Finder, site: Site) -> list[Suggestion]:
    return choose(map(describe_function, AGGREGATES.values()), site.prefix, MAX_NAMES)


def suggest_functions(_finder: Finder, site: Site) -> list[Suggestion]:
    return choose(map(describe_function, FUNCTIONS.values()), site.prefix, MAX_NAMES)


def describe_function(signature: Signature) -> Suggestion:
    return Suggestion(signature.name, "function", signature.summary)


def suggest_fields(finder: Finder, site: Site) -> list[Suggestion]:
    """Return fields, chosen by name; only the suggested ones are counted."""
    request = ask_for_all(finder)
    ranked = rank_names(finder, request, list_newest(finder, request))
    names = {format_field(name): name for name in ranked}
    chosen = choose((Suggestion(text, "field", "") for text in names), site.prefix, MAX_NAMES)
    panel = Panel(frozenset(names[each.text] for each in chosen), has_values=False)
    details = {each.name: describe_field(each) for each in read_panel(look(finder, panel))}
    if not finder.is_complete:
        # Not all of them could be counted, but the names are what matters.
        details = dict.fromkeys(names.values(), "") | details
    return [
        Suggestion(each.text, each.kind, details[names[each.text]])
        for each in chosen
        if names[each.text] in details
    ]


def describe_field(field: FieldSummary) -> str:
    return f"{', '.join(field.types)}, {count_events(field.count)}"


def suggest_values(finder: Finder, site: Site) -> list[Suggestion]:
    field = SCOPES.get(site.field, fold_name(site.field))
    if field == "_env":
        envs = finder.request.allowed_envs
        return choose((Suggestion(env, "value", "environment") for env in envs), site.prefix)
    counted = read_values(look(finder, Panel(frozenset({field}))))
    return choose(map(describe_value, counted), site.prefix)


def describe_value(counted: ValueCount) -> Suggestion:
    return Suggestion(
        format_value(write_value(counted.value)), "value", count_events(counted.count)
    )


def look(finder: Finder, panel: Panel) -> Table:
    """Return what the newest blocks have, if found in time."""
    request = ask_for_all(finder)
    return finder.start(request, panel).reduce(list_newest(finder, request))


def ask_for_all(finder: Finder) -> Request:
    return replace(finder.request, query=ast.Query(ast.Everything()))


def list_newest(finder: Finder, request: Request) -> list[BlockInfo]:
    return finder.list_blocks(request)[:MAX_BLOCKS]


SOURCES: dict[SiteKind, tuple[Callable[[Finder, Site], list[Suggestion]], ...]] = {
    "filter": (suggest_fields, suggest_keywords),
    "value": (suggest_values,),
    "pipe": (suggest_pipes,),
    "aggregate": (suggest_aggregates,),
    "expression": (suggest_fields, suggest_functions),
    "field": (suggest_fields,),
    "text": (),
}
