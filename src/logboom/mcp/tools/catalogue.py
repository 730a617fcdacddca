"""Tools that describe what exists: environments and indexes, saved queries, alerts, and how a query is parsed."""

from collections import defaultdict
from typing import Annotated, Any

import msgspec

from logboom.alerts.owners import reads_as_owner
from logboom.base.clock import format_time
from logboom.control.saved.alerts import Alert
from logboom.control.saved.queries import SavedQuery
from logboom.mcp.access import may_see
from logboom.mcp.answers.answer import Answer
from logboom.mcp.answers.plain import clean, shorten
from logboom.mcp.answers.tables import list_table
from logboom.mcp.tools.asking import Arguments, Caller, add_warnings
from logboom.search.answers import IndexSummary
from logboom.search.question import Question

Contains = Annotated[
    str, msgspec.Meta(description="Only those whose name or query contains this text, in any case.")
]
MOST_KEPT = 50
QUERY_LENGTH = 400
INDEX_COLUMNS = ("env", "index", "events", "first", "last")
ENVIRONMENT_COLUMNS = ("env", "indexes", "events", "first", "last")
QUERY_COLUMNS = ("name", "query", "filters", "env", "index", "from", "to", "description")
ALERT_COLUMNS = (
    "name",
    "status",
    "since",
    "value",
    "condition",
    "query",
    "env",
    "index",
    "details",
)


class EverythingArguments(Arguments, frozen=True):
    """Nothing to choose."""


class IndexesArguments(Arguments, frozen=True, kw_only=True):
    """Which environments."""

    env: Annotated[
        str, msgspec.Meta(description="Environments: a name, a comma list or globs. Default: all.")
    ] = "*"


class SavedQueriesArguments(Arguments, frozen=True, kw_only=True):
    """Which ones."""

    contains: Contains = ""


class AlertsArguments(SavedQueriesArguments, frozen=True, kw_only=True):
    """Which alerts."""

    firing: Annotated[bool, msgspec.Meta(description="Only those that are firing now.")] = False


class ExplainArguments(Arguments, frozen=True, kw_only=True):
    """Which query."""

    query: Annotated[str, msgspec.Meta(description="The query to explain; it is not run.")]
    env: Annotated[str, msgspec.Meta(description="Environments it would look at.")] = "*"


def list_environments(caller: Caller, _arguments: EverythingArguments) -> Answer:
    """Return the environments that the key may see, and what is in them."""
    found, warnings = find_indexes(caller, "*")
    by_env: dict[str, list[IndexSummary]] = defaultdict(list)
    for each in found:
        by_env[str(each.env)].append(each)
    names = [
        each.name
        for each in caller.toolbox.control.environments.list()
        if caller.reaches(each.name)
    ]
    answer = Answer(rows=len(names))
    answer.note(f"{len(names)} environments; times are UTC.")
    rows = [describe_environment(name, by_env.get(name, [])) for name in names]
    answer.add(*list_table(ENVIRONMENT_COLUMNS, rows))
    answer.hint("list_indexes shows what is in each environment.")
    add_warnings(answer, warnings)
    return answer


def describe_environment(name: str, indexes: list[IndexSummary]) -> dict[str, object]:
    if not indexes:
        return {"env": name, "indexes": 0, "events": 0}
    return {
        "env": name,
        "indexes": len(indexes),
        "events": sum(each.events for each in indexes),
        "first": min(each.first for each in indexes),
        "last": max(each.last for each in indexes),
    }


def find_indexes(caller: Caller, env: str) -> tuple[list[IndexSummary], list[dict[str, object]]]:
    question = Question(env=env)
    found, warnings = caller.search.indexes(
        caller.principal, question, by_env=True, deadline=caller.deadline
    )
    return found, list(warnings)


def list_indexes(caller: Caller, arguments: IndexesArguments) -> Answer:
    """Return the indexes that the key may see, with the number and times of their events."""
    found, warnings = find_indexes(caller, arguments.env)
    answer = Answer(rows=len(found))
    answer.note(f"{len(found)} indexes; times are UTC. Now is {format_time(caller.now_ns)}.")
    if found:
        rows = [msgspec.structs.asdict(each) for each in found]
        answer.add(*list_table(INDEX_COLUMNS, rows))
        answer.hint("list_fields shows which fields the events have and their usual values.")
    else:
        answer.hint("this key sees no events; its environments and indexes are set by an admin.")
    answer.narrow = "name one environment"
    add_warnings(answer, warnings)
    return answer


def saved_queries(caller: Caller, arguments: SavedQueriesArguments) -> Answer:
    """Return queries that people have saved and shared."""
    shared = [
        query
        for query in caller.toolbox.control.queries.list()
        if query.is_shared and may_see(caller.principal, query) and holds(query, arguments.contains)
    ]
    answer = Answer(rows=len(shared))
    answer.note(f"{len(shared)} saved queries, written by people who know these logs.")
    if shared:
        rows = [describe_query(each) for each in shared[:MOST_KEPT]]
        answer.add(*list_table(QUERY_COLUMNS, rows, QUERY_LENGTH))
        answer.hint("run one with search: its query, and each of its filters beside it.")
    answer.narrow = "use contains"
    return answer


def holds(kept: SavedQuery | Alert, text: str) -> bool:
    folded = text.strip().lower()
    return folded in kept.name.lower() or folded in kept.query.lower()


def describe_query(query: SavedQuery) -> dict[str, Any]:
    return {
        "name": query.name,
        "query": query.query,
        "filters": " ".join(query.filters),
        "env": query.env,
        "index": query.index,
        "from": query.from_,
        "to": query.to,
        "description": query.description,
    }


def alerts(caller: Caller, arguments: AlertsArguments) -> Answer:
    """Alerts and their states."""
    control = caller.toolbox.control
    seen = [
        describe_alert(caller, alert)
        for alert in control.alerts.list()
        if may_see(caller.principal, alert) and holds(alert, arguments.contains)
    ]
    rows = [row for row in seen if row["status"] == "firing" or not arguments.firing]
    rows.sort(key=lambda row: (row["status"] != "firing", row["status"] != "error"))
    answer = Answer(rows=len(rows))
    firing = sum(row["status"] == "firing" for row in rows)
    answer.note(f"{len(rows)} alerts, {firing} of them firing; times are UTC.")
    if rows:
        answer.add(*list_table(ALERT_COLUMNS, rows[:MOST_KEPT], QUERY_LENGTH))
        answer.hint("run the query of a firing alert with search or chart to see what it found.")
    answer.narrow = "use contains or firing"
    return answer


def describe_alert(caller: Caller, alert: Alert) -> dict[str, Any]:
    """Return an alert as a row; the result of its check only if the key may read everything that the owner may read."""
    control = caller.toolbox.control
    state = control.alert_states.find_of(alert)
    row: dict[str, Any] = {
        "name": alert.name,
        "status": "off" if not alert.enabled else "new" if state is None else state.status,
        "condition": f"{alert.column or 'value'} {alert.operator} {alert.threshold:g} "
        f"within {alert.window_secs} s",
        "query": " ".join([*alert.filters, alert.query]),
        "env": alert.env,
        "index": alert.index,
    }
    if state is None or not alert.enabled:
        return row
    row["since"] = format_time(state.since_ns)
    if reads_as_owner(control, alert, caller.principal):
        row["value"] = state.value
        row["details"] = state.error or [group.by for group in state.groups]
    return row


def explain_query(caller: Caller, arguments: ExplainArguments) -> Answer:
    """Return how a query is parsed and run."""
    question = Question(query=arguments.query, env=arguments.env, limit=1)
    read = caller.search.parse(caller.principal, question)
    answer = caller.start(question, read.query)
    answer.link = ""
    answer.note("The query is valid. It was read as shown above, and was not run.")
    answer.add(*(f"note: {clean(str(each.get('message', each)))}" for each in read.notices))
    plan = caller.run(caller.append(question, "explain"))
    steps = (f"{shorten(row.get('step'))}: {shorten(row.get('detail'))}" for row in plan.rows)
    answer.add("plan:", *steps)
    answer.rows = len(plan.rows)
    return answer
