"""Tools that find events and count them."""

from typing import Annotated

import msgspec

from logboom.base.errors import Invalid
from logboom.base.wording import say_events
from logboom.lang.format.values import format_name
from logboom.mcp.answers.answer import Answer
from logboom.mcp.answers.plain import clean, shorten
from logboom.mcp.answers.tables import Row, list_folded, list_table, write_event
from logboom.mcp.tools.asking import (
    Caller,
    Fields,
    Query,
    ScopeArguments,
    add_warnings,
    list_names,
)
from logboom.search.answers import Bars, Histogram, SearchAnswer

MOST_LINES = 100
READ_PER_LINE = 20
MOST_READ = 200
"""Events that are read to show some of them: similar ones share a line."""
MOST_BUCKETS = 100
QUIET_SHARE = 0.1
"""A time span is busy while it has this share of the busiest bucket."""


class SearchArguments(ScopeArguments, frozen=True, kw_only=True):
    """Which events."""

    query: Query = ""
    limit: Annotated[
        int, msgspec.Meta(ge=1, le=MOST_LINES, description="Maximum number of lines or rows.")
    ] = 10
    fold: Annotated[
        bool, msgspec.Meta(description="Whether events that look alike share one line.")
    ] = True
    cursor: Annotated[
        str, msgspec.Meta(description="`cursor` of an earlier answer, to continue after it.")
    ] = ""


class CountArguments(ScopeArguments, frozen=True, kw_only=True):
    """Which events, and by which fields."""

    query: Query = ""
    by: Fields = ""
    limit: Annotated[
        int,
        msgspec.Meta(
            ge=1, le=MOST_LINES, description="Maximum number of groups, the largest first."
        ),
    ] = 20


class ChartArguments(ScopeArguments, frozen=True, kw_only=True):
    """Which events, and how time is divided."""

    query: Query = ""
    by: Annotated[str, msgspec.Meta(description="Field by which to split the counts.")] = ""
    buckets: Annotated[
        int, msgspec.Meta(ge=2, le=MOST_BUCKETS, description="Maximum number of time spans.")
    ] = 48


def search(caller: Caller, arguments: SearchArguments) -> Answer:
    """Return events newest first, or the table that the pipes of the query make."""
    reads = min(arguments.limit * READ_PER_LINE, MOST_READ) if arguments.fold else arguments.limit
    question = caller.make_question(arguments, arguments.query, reads)
    question = msgspec.structs.replace(question, cursor=arguments.cursor or None, count=True)
    found = caller.run(question)
    answer = caller.start(question, found.query)
    answer.rows = len(found.rows)
    if not found.rows or found.explanation:
        explain_empty(answer, found)
    elif found.type == "events":
        show_events(answer, found, arguments)
    else:
        show_table(answer, found, arguments.limit)
    add_warnings(answer, found.warnings)
    return answer


def show_events(answer: Answer, found: SearchAnswer, arguments: SearchArguments) -> None:
    if arguments.fold:
        lines, shown = list_folded(found.rows, arguments.limit)
    else:
        lines, shown = [write_event(row) for row in found.rows], len(found.rows)
    answer.add(*lines)
    total = found.total or shown
    answer.note(f"{total} events match; {len(lines)} lines stand for {shown} of them.")
    if total > shown:
        answer.hint(
            "narrow it down: count groups events by a field, patterns summarises messages, "
            "compare finds what sets them apart."
        )
    if found.cursor and shown == len(found.rows):
        answer.hint(f"for older events call search again with cursor {found.cursor}")


def show_table(answer: Answer, found: SearchAnswer, limit: int) -> None:
    answer.note(f"{len(found.rows)} rows, {min(limit, len(found.rows))} are shown.")
    answer.add(*list_table(found.columns, found.rows[:limit]))


def explain_empty(answer: Answer, found: SearchAnswer) -> None:
    """Say why there are no results, and what is similar; names and values in this came from logs."""
    answer.note("No events match.")
    why = found.explanation
    if why is None:
        answer.hint("there is no more; take an earlier cursor or none.")
        return
    answer.add(clean(why.hint))
    if len(why.clauses) > 1:
        answer.add(*(f"{each.hits} events match {clean(each.query)} alone" for each in why.clauses))
    for field in why.fields:
        answer.add(*list_near(f"names near {field.name}", field.near))
    for value in why.values:
        answer.add(*list_near(f"values of {value.field} near {value.value}", value.near))
    if why.outside_range:
        answer.hint(f"{say_events(why.outside_range, 'match')} at other times: widen from and to.")
    answer.hint("list_indexes tells what there is and of which times, list_fields the fields.")


def list_near(what: str, near: list[str]) -> list[str]:
    return [f"{shorten(what)}: {', '.join(map(shorten, near))}"] if near else []


def count(caller: Caller, arguments: CountArguments) -> Answer:
    """Return how many events match, by the values of fields."""
    names = list_names(arguments.by)
    keys = ", ".join(format_name(name) for name in names)
    # One more than is shown tells whether there are more.
    groups = f"stats count by {keys} | limit {arguments.limit + 1}" if keys else "stats count"
    question = caller.append(caller.make_question(arguments, arguments.query), groups)
    found = caller.run(question)
    answer = caller.start(question, found.query)
    answer.rows = len(found.rows)
    if found.explanation:
        explain_empty(answer, found)
    else:
        shown = found.rows[: arguments.limit]
        more = ", and there are more" if len(found.rows) > len(shown) else ""
        answer.note(f"The {len(shown)} largest groups{more}." if keys else "All matching events.")
        answer.add(*list_table(found.columns, shown))
    add_warnings(answer, found.warnings)
    return answer


def chart(caller: Caller, arguments: ChartArguments) -> Answer:
    """Return events over time, and when they are most frequent."""
    question = caller.make_question(arguments, arguments.query)
    if not question.from_ or not question.to:
        raise Invalid("no time range, expected from and to", field="from")
    query = caller.search.parse(caller.principal, question).query
    bars = Bars(arguments.buckets, by=arguments.by or None)
    found = caller.search.histogram(caller.principal, question, bars, caller.deadline)
    answer = caller.start(question, query)
    answer.rows = len(found.buckets)
    total = sum(bucket.count for bucket in found.buckets)
    answer.note(f"{total} events in spans of {found.interval}.")
    if total:
        answer.note(describe_peak(found))
        answer.hint(
            "search, count, patterns or compare with from and to set to the busiest stretch."
        )
    else:
        answer.hint("list_indexes tells of which times there are events.")
    answer.add(*list_buckets(found, arguments.by))
    add_warnings(answer, found.warnings)
    return answer


def describe_peak(found: Histogram) -> str:
    """Return the busiest span and the busy time around it."""
    counts = [bucket.count for bucket in found.buckets]
    peak = counts.index(max(counts))
    is_quiet = [each < counts[peak] * QUIET_SHARE for each in counts]
    first = max((place + 1 for place in range(peak) if is_quiet[place]), default=0)
    later = (place for place in range(peak, len(counts)) if is_quiet[place])
    end = next(later, len(counts))
    times = [bucket.time for bucket in found.buckets]
    until = times[end] if end < len(times) else "the end of the range"
    held = sum(counts[first:end])
    return (
        f"Busiest: {counts[peak]} events in the {found.interval} from {times[peak]}. "
        f"Busiest stretch: from {times[first]} to {until}, {held} of {sum(counts)} events."
    )


def list_buckets(found: Histogram, by: str) -> list[str]:
    rows: list[Row] = [
        {"time": bucket.time, "count": bucket.count, **(bucket.by or {})}
        for bucket in found.buckets
        if bucket.count
    ]
    values = dict.fromkeys(name for row in rows for name in row if by)
    columns = list(dict.fromkeys(["time", "count", *values]))
    return list_table(columns, rows) if rows else []
