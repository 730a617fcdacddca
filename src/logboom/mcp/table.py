"""The table of tools: their descriptions for agents, and their functions."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec

from logboom.base.structs import InternalStruct
from logboom.mcp.answers.answer import Answer
from logboom.mcp.tools import catalogue, fields, hunting, searching
from logboom.mcp.tools.asking import Arguments, Caller


class Tool(InternalStruct, frozen=True, dict=True):
    """A tool for agents.

    `run` is synchronous and may be slow; `arguments` is the type of its arguments, from which the schema is made.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    run: Callable[[Caller, Any], Answer]

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, without references."""
        _, components = msgspec.json.schema_components([self.arguments])
        schema = components[self.arguments.__name__]
        return {
            "type": "object",
            "properties": schema["properties"],
            "required": schema["required"],
            "additionalProperties": False,
        }


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "list_indexes",
            "List indexes",
            "What there is to search: every environment and index that this key may see, with its number of events and the "
            "times of the first and last one. Start here when you know nothing about the logs, and choose from and to by "
            "these times: the other tools look at the last 24 hours unless told otherwise.",
            catalogue.IndexesArguments,
            catalogue.list_indexes,
        ),
        Tool(
            "list_environments",
            "List environments",
            "The environments (such as production or staging) that this key may see, with the size and times of each.",
            catalogue.EverythingArguments,
            catalogue.list_environments,
        ),
        Tool(
            "list_fields",
            "List fields",
            "Which fields the events of a query have, how many events have each, and the most frequent values. Use it "
            "before you write a query with field names: it shows what severity, service, host or version are called here. "
            "Fields with 'many' distinct values are identifiers or numbers.",
            fields.FieldsArguments,
            fields.list_fields,
        ),
        Tool(
            "field_values",
            "List values of a field",
            "The values of one field with the number of events that have each, the most frequent first. Use it for the "
            "exact spelling of a value.",
            fields.ValuesArguments,
            fields.field_values,
        ),
        Tool(
            "chart",
            "Count events over time",
            "Counts of events over time, optionally split by the values of a field. It names the busiest stretch of time: "
            "chart errors to find when an incident began and ended, then look only at that stretch with the other tools.",
            searching.ChartArguments,
            searching.chart,
        ),
        Tool(
            "count",
            "Count events",
            "How many events match a query, in total or by the values of up to a few fields, the largest group first. For "
            "other figures use search with pipes, such as | stats p95(duration_ms) by service.",
            searching.CountArguments,
            searching.count,
        ),
        Tool(
            "search",
            "Search events",
            "The newest events that match a query, one line each: time, message, fields, _id. Events that look alike "
            "share a line. A query may go on with pipes: | sort _time shows the oldest first, | fields a, b only some "
            "fields, | stats count by a makes a table. Long values are cut; read_event shows them whole.",
            searching.SearchArguments,
            searching.search,
        ),
        Tool(
            "patterns",
            "Summarise messages",
            "The messages of matching events grouped by what stays the same in them, with counts and the times of the "
            "first and last. The quickest way to see what thousands of events say. Look at frequent patterns for the "
            "symptom and at rare ones, warnings above all, for the cause.",
            hunting.PatternsArguments,
            hunting.patterns,
        ),
        Tool(
            "compare",
            "Compare a selection with the rest",
            "What sets some events apart: ranks field values that are more, or less, frequent in a selection than in the "
            "rest of the events. Select errors, slow requests or a stretch of time; a value that is common in the "
            "selection and rare in the rest (a version, a host, a region, a customer) points to the cause.",
            hunting.CompareArguments,
            hunting.compare,
        ),
        Tool(
            "event_context",
            "Look around an event",
            "The events just before and after one, of the same environment and index, in order of time. With same, only "
            "those that share its values in some fields, such as its host or trace id.",
            hunting.ContextArguments,
            hunting.event_context,
        ),
        Tool(
            "read_event",
            "Read an event",
            "One event with all its fields, or one of its values whole, such as a stack trace that was cut elsewhere.",
            hunting.EventArguments,
            hunting.read_event,
        ),
        Tool(
            "explain_query",
            "Explain a query",
            "Whether a query is valid, how it is read, in its canonical form, and how it would be run. Nothing is searched. "
            "Queries in LogQL, Splunk, Kusto, ES|QL or Lucene style are understood too; this shows what they become.",
            catalogue.ExplainArguments,
            catalogue.explain_query,
        ),
        Tool(
            "saved_queries",
            "List saved queries",
            "Queries that people have saved and shared. They show what matters in these logs and what fields are called.",
            catalogue.SavedQueriesArguments,
            catalogue.saved_queries,
        ),
        Tool(
            "alerts",
            "List alerts",
            "Alerts with their condition, whether they are firing and since when, those that fire first.",
            catalogue.AlertsArguments,
            catalogue.alerts,
        ),
    )
}
