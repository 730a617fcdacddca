"""Tools for investigations: message patterns, what distinguishes some events, and what happened around one."""

from typing import Annotated

import msgspec

from logboom.base.errors import Invalid
from logboom.base.texts import write_value
from logboom.lang.ast import Context
from logboom.lang.format.values import format_name
from logboom.mcp.answers.answer import Answer
from logboom.mcp.answers.plain import shorten
from logboom.mcp.answers.tables import list_table, write_event
from logboom.mcp.tools.asking import (
    Arguments,
    Caller,
    Fields,
    Query,
    ScopeArguments,
    add_warnings,
    list_names,
)
from logboom.mcp.tools.searching import explain_empty
from logboom.search.answers import FieldDifference, ValueShare
from logboom.search.question import Question

MOST_PATTERNS = 100
PATTERN_LENGTH = 400
PATTERN_COLUMNS = ("count", "pattern", "first", "last")
DIFFERENCE_COLUMNS = ("score", "field", "value", "in selection", "in the rest", "ratio")
MOST_NEIGHBOURS = 50
VALUES_PER_FIELD = 3


class PatternsArguments(ScopeArguments, frozen=True, kw_only=True):
    """Which events, and whether their patterns are told apart by a field."""

    query: Query = ""
    by: Annotated[str, msgspec.Meta(description="Field by whose values to split the patterns.")] = (
        ""
    )
    limit: Annotated[
        int, msgspec.Meta(ge=1, le=MOST_PATTERNS, description="Maximum number of patterns.")
    ] = 15


class CompareArguments(ScopeArguments, frozen=True, kw_only=True):
    """Which events, and which of them are selected."""

    selection: Annotated[
        str,
        msgspec.Meta(
            min_length=1,
            description="A filter without pipes that selects the events of interest, such as level:error, or "
            "_time:[2026-09-01T10:00:00Z TO 2026-09-01T10:30:00Z} for a stretch of time.",
        ),
    ]
    query: Annotated[
        str,
        msgspec.Meta(description="The events that are compared at all. Empty: all in the range."),
    ] = ""
    limit: Annotated[int, msgspec.Meta(ge=1, le=50, description="Maximum number of fields.")] = 10


class ContextArguments(Arguments, frozen=True, kw_only=True):
    """Which event, and how many around it."""

    id: Annotated[str, msgspec.Meta(description="`_id` of the event, from an earlier answer.")]
    env: Annotated[str, msgspec.Meta(description="Environments to search for it.")] = "*"
    before: Annotated[
        int,
        msgspec.Meta(ge=0, le=MOST_NEIGHBOURS, description="Maximum number of events before it."),
    ] = 5
    after: Annotated[
        int,
        msgspec.Meta(ge=0, le=MOST_NEIGHBOURS, description="Maximum number of events after it."),
    ] = 5
    same: Annotated[
        Fields,
        msgspec.Meta(
            description="Only events with the same values in these fields, such as host: a list, or a text with "
            "commas."
        ),
    ] = ""


class EventArguments(Arguments, frozen=True, kw_only=True):
    """Which event, and how much of it."""

    id: Annotated[str, msgspec.Meta(description="`_id` of the event, from an earlier answer.")]
    env: Annotated[str, msgspec.Meta(description="Environments to search for it.")] = "*"
    field: Annotated[
        str, msgspec.Meta(description="Only this field, with as much of its value as fits.")
    ] = ""
    offset: Annotated[
        int, msgspec.Meta(ge=0, description="Number of characters of that value to skip.")
    ] = 0


def patterns(caller: Caller, arguments: PatternsArguments) -> Answer:
    """Return messages grouped by their constant parts."""
    by = f" by {format_name(arguments.by)}" if arguments.by.strip() else ""
    question = caller.append(
        caller.make_question(arguments, arguments.query), f"patterns{by} | limit {arguments.limit}"
    )
    found = caller.run(question)
    answer = caller.start(question, found.query)
    answer.rows = len(found.rows)
    if not found.rows:
        explain_empty(answer, found)
    else:
        answer.note(
            "The most frequent messages; <num>, <str>, <time> and the like stand for what varies."
        )
        columns = [*([arguments.by] if by else []), *PATTERN_COLUMNS]
        answer.add(*list_table(columns, found.rows, PATTERN_LENGTH))
        answer.hint(
            "search for words of a pattern to see its events; rare patterns often tell the cause."
        )
    add_warnings(answer, found.warnings)
    return answer


def compare(caller: Caller, arguments: CompareArguments) -> Answer:
    """Return values that are more, or less, frequent among selected events than among the rest."""
    question = caller.make_question(arguments, arguments.query)
    shown = msgspec.structs.replace(question, filter=arguments.selection)
    query = caller.search.parse(caller.principal, shown).query
    found = caller.search.difference(
        caller.principal, question, arguments.selection, caller.deadline
    )
    answer = caller.start(question, query)
    answer.rows = sum(len(each.values) for each in found.fields)
    answer.note(f"{found.selected} events are selected, {found.rest} are the rest.")
    if not found.selected or not found.rest:
        answer.hint("select some events, but not all of them; count tells how many match.")
    elif not found.fields:
        answer.note("No field tells them apart.")
        answer.hint("compare another selection, or a longer time range.")
    else:
        lines = [line for each in found.fields[: arguments.limit] for line in list_shares(each)]
        answer.add("\t".join(DIFFERENCE_COLUMNS), *lines)
        answer.hint(
            "a value that is common in the selection and rare in the rest points to the cause: "
            "look at its messages with patterns, and search for the value itself."
        )
    add_warnings(answer, list(found.warnings))
    return answer


def list_shares(difference: FieldDifference) -> list[str]:
    """Return a line for each value; over-represented ones come first, because they are easier to search for."""
    values = sorted(difference.values, key=lambda each: each.selected_share <= each.rest_share)
    start = f"{difference.score:.2f}\t{shorten(difference.field)}"
    return [f"{start}\t{write_share(each)}" for each in values[:VALUES_PER_FIELD]]


def write_share(value: ValueShare) -> str:
    ratio = f"{value.selected_share / value.rest_share:.3g}x" if value.rest_share else "only here"
    return "\t".join(
        (
            "(none)" if value.value is None else shorten(value.value),
            f"{value.selected} ({value.selected_share:.1%})",
            f"{value.rest} ({value.rest_share:.1%})",
            ratio,
        )
    )


def event_context(caller: Caller, arguments: ContextArguments) -> Answer:
    """Return the events around an event, in order of time."""
    wanted = Context(arguments.before, arguments.after, tuple(list_names(arguments.same)))
    found = caller.search.context(
        caller.principal, Question(env=arguments.env), arguments.id, wanted, caller.deadline
    )
    answer = Answer(rows=len(found.rows))
    answer.note(f"{len(found.rows)} events in order of time; '>' marks the one that was asked for.")
    answer.add(
        *(
            f"{'>' if place == found.anchor else ' '} {write_event(row)}"
            for place, row in enumerate(found.rows)
        )
    )
    answer.hint("with same, such as host or a trace id, only events of the same origin are shown.")
    add_warnings(answer, list(found.warnings))
    return answer


def read_event(caller: Caller, arguments: EventArguments) -> Answer:
    """Return all fields of one event, or one of its values whole."""
    found = caller.search.context(
        caller.principal,
        Question(env=arguments.env),
        arguments.id,
        Context(0, 0, ()),
        caller.deadline,
    )
    row = found.rows[found.anchor]
    answer = Answer(rows=1)
    if not arguments.field:
        answer.note("The event with all its fields; long values are cut.")
        remedy = ", call read_event with field"
        answer.add(*(f"{shorten(name)}: {shorten(row[name], 1_200, remedy)}" for name in row))
        answer.narrow = "call read_event with field for one of them"
        return answer
    show_value(answer, row, arguments)
    return answer


def show_value(answer: Answer, row: dict[str, object], arguments: EventArguments) -> None:
    piece_length = 4_000
    names = {name.lower(): name for name in row}
    name = names.get(arguments.field.strip().lower())
    if name is None:
        raise Invalid(
            f"the event has no field {arguments.field[:80]!r}, expected one that read_event shows"
        )
    value = row[name]
    text = write_value(value)
    piece = text[arguments.offset : arguments.offset + piece_length]
    end = arguments.offset + len(piece)
    answer.note(f"Characters {arguments.offset} to {end} of {len(text)}.")
    answer.add(shorten(piece, piece_length))
    if end < len(text):
        answer.hint(f"call read_event again with offset {end} for the rest.")
