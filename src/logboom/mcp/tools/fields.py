"""Tools that describe the fields of events."""

from typing import Annotated

import msgspec

from logboom.mcp.answers.answer import Answer
from logboom.mcp.answers.plain import shorten
from logboom.mcp.answers.tables import list_table
from logboom.mcp.tools.asking import Caller, Query, ScopeArguments, add_warnings
from logboom.search.answers import FieldSummary, WantedFields

MOST_FIELDS = 200
MOST_VALUES = 100
SAMPLE_LENGTH = 40
FIELD_COLUMNS = ("field", "events", "types", "distinct", "most frequent")


class FieldsArguments(ScopeArguments, frozen=True, kw_only=True):
    """Which events, and which of their fields."""

    query: Query = ""
    contains: Annotated[
        str, msgspec.Meta(description="Only fields whose names contain this text, in any case.")
    ] = ""
    limit: Annotated[
        int, msgspec.Meta(ge=1, le=MOST_FIELDS, description="Maximum number of fields.")
    ] = 40
    offset: Annotated[int, msgspec.Meta(ge=0, description="Number of fields to skip.")] = 0


class ValuesArguments(ScopeArguments, frozen=True, kw_only=True):
    """Which events, and which field."""

    field: Annotated[str, msgspec.Meta(min_length=1, description="Name of the field.")]
    query: Query = ""
    prefix: Annotated[
        str, msgspec.Meta(description="Only values that start with this, ignoring case.")
    ] = ""
    limit: Annotated[
        int,
        msgspec.Meta(
            ge=1, le=MOST_VALUES, description="Maximum number of values, the most frequent first."
        ),
    ] = 20


def list_fields(caller: Caller, arguments: FieldsArguments) -> Answer:
    """Return the fields of events, how many have each, and their most frequent values."""
    question = caller.make_question(arguments, arguments.query)
    query = caller.search.parse(caller.principal, question).query
    wanted = WantedFields(arguments.contains, offset=arguments.offset, limit=arguments.limit)
    page, warnings = caller.search.fields(caller.principal, question, wanted, caller.deadline)
    answer = caller.start(question, query)
    answer.rows = len(page.fields)
    answer.note(f"{len(page.fields)} fields, those that most events have first.")
    if page.fields:
        answer.add(*list_table(FIELD_COLUMNS, map(describe_field, page.fields), most=400))
    else:
        answer.hint("leave contains and query empty, or widen from and to.")
    if page.next_offset is not None:
        answer.hint(f"for more fields call list_fields again with offset {page.next_offset}.")
    answer.hint(
        "field_values lists all values of one field; a field without counted values has many."
    )
    answer.narrow = "use contains or a smaller limit"
    add_warnings(answer, list(warnings))
    return answer


def describe_field(field: FieldSummary) -> dict[str, object]:
    top = [f"{shorten(each.value, SAMPLE_LENGTH)} ({each.count})" for each in field.top]
    return {
        "field": field.name,
        "events": field.count,
        "types": ",".join(field.types),
        "distinct": "many" if field.distinct is None else field.distinct,
        "most frequent": ", ".join(top),
    }


def field_values(caller: Caller, arguments: ValuesArguments) -> Answer:
    """Return the values of one field by how many events have them."""
    question = caller.make_question(arguments, arguments.query, arguments.limit)
    query = caller.search.parse(caller.principal, question).query
    values, warnings = caller.search.values(
        caller.principal, question, arguments.field, arguments.prefix, caller.deadline
    )
    answer = caller.start(question, query)
    answer.rows = len(values)
    if all(each.value is None for each in values):
        answer.note("No event that was looked at has this field.")
        suggest_fields(caller, arguments, answer)
    else:
        rows = [{"value": show_value(each.value), "events": each.count} for each in values]
        answer.note(f"{len(rows)} values, the most frequent first.")
        answer.add(*list_table(("value", "events"), rows))
    add_warnings(answer, list(warnings))
    return answer


def show_value(value: object) -> object:
    return "(none)" if value is None else value


def suggest_fields(caller: Caller, arguments: ValuesArguments, answer: Answer) -> None:
    """Add field names that contain the last part of the requested one."""
    part = arguments.field.replace("_", ".").split(".")[-1]
    question = caller.make_question(arguments)
    wanted = WantedFields(part, limit=SAMPLE_LENGTH)
    page, _ = caller.search.field_names(caller.principal, question, wanted, caller.deadline)
    if page.names:
        answer.add("fields with a similar name: " + ", ".join(map(shorten, page.names[:10])))
    answer.hint("list_fields shows which fields there are.")
