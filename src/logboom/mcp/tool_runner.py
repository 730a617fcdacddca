"""Tool calls from start to end: authorise, run, format the answer, audit."""

import logging
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from logboom.base.clock import Clock
from logboom.base.decoding_errors import explain_decoding_error
from logboom.base.errors import Code, LogboomError, NotFound
from logboom.base.process.deadline import Deadline
from logboom.base.structs import InternalStruct
from logboom.control.access.principal import Principal
from logboom.mcp.access import may_use
from logboom.mcp.answers.plain import clean, shorten
from logboom.mcp.limits import Budget
from logboom.mcp.table import TOOLS, Tool
from logboom.mcp.tools.asking import Arguments, Caller, OnProgress, Toolbox

log = logging.getLogger(__name__)

NS_PER_MS = 1_000_000
LONGEST_AUDITED = 1_000
LONGEST_ERROR = 1_000
FAILED = (
    "error: the server failed to answer. Next: try another tool, or the same with other arguments."
)

REMEDIES: dict[Code, str] = {
    Code.INVALID: "correct the arguments; explain_query checks a query, list_fields shows which fields there are.",
    Code.FORBIDDEN: "list_environments shows what this key may see.",
    Code.NOT_FOUND: "take the _id from an earlier answer, and leave env empty.",
    Code.TOO_LARGE: "ask for less: a narrower query or a shorter time range.",
    Code.TIMEOUT: "ask for less: a narrower query or a shorter time range.",
    Code.OVERLOADED: "wait, then call again.",
    Code.UNAVAILABLE: "wait, then call again.",
}


class Visit(NamedTuple):
    """Whose call it is, from which address, and the public URL of the service."""

    principal: Principal
    address: str
    base_url: str


class Outcome(NamedTuple):
    """The text for the agent, and for the audit log the kind of failure or `ok`, the rows and the query."""

    text: str
    result: str = "ok"
    rows: int = 0
    query: str = ""

    @property
    def is_error(self) -> bool:
        return self.result != "ok"


class ToolRunner(InternalStruct, frozen=True):
    """Handles tool calls. Thread-safe."""

    toolbox: Toolbox
    budget: Budget
    clock: Clock

    def list_tools(self, principal: Principal) -> list[Tool]:
        """Return the tools that the key may use."""
        return [tool for tool in TOOLS.values() if may_use(principal, tool.name)]

    def find_tool(self, visit: Visit, name: str) -> Tool:
        """Return a tool; raise NotFound if it does not exist or the key may not use it, without telling which."""
        tool = TOOLS.get(name)
        if tool is not None and may_use(visit.principal, name):
            return tool
        self._record(visit, name, Outcome("", Code.FORBIDDEN.value))
        known = ", ".join(each.name for each in self.list_tools(visit.principal)) or "none"
        raise NotFound(f"unknown tool {shorten(name, 80)!r}, expected one of: {known}")

    def call(
        self,
        visit: Visit,
        tool: Tool,
        arguments: Mapping[str, Any],
        deadline: Deadline,
        on_progress: OnProgress | None = None,
    ) -> Outcome:
        """Run a tool. Any error is reported to the agent."""
        started_s = time.monotonic()
        caller = Caller(
            *(self.toolbox, visit.principal, self._now_ns(), visit.base_url, deadline, on_progress)
        )
        outcome = self._try(caller, tool, arguments)
        if deadline.is_set():
            outcome = outcome._replace(result="cancelled")
        seconds = time.monotonic() - started_s
        size_bytes = len(outcome.text.encode())
        self.budget.charge(visit.principal.id, outcome.rows, size_bytes, seconds)
        self._record(
            visit, tool.name, outcome, bytes=size_bytes, duration_ms=round(seconds * 1e3, 3)
        )
        return outcome

    def _now_ns(self) -> int:
        """Return the time in whole milliseconds, which are shorter to read."""
        now_ns = self.clock()
        return now_ns - now_ns % NS_PER_MS

    def _try(self, caller: Caller, tool: Tool, arguments: Mapping[str, Any]) -> Outcome:
        query = str(arguments.get("query", ""))
        try:
            self.budget.take_call(caller.principal.id)
            answer = tool.run(caller, read_arguments(tool, arguments))
        except LogboomError as error:
            return Outcome(explain(error), error.code.value, query=query)
        except Exception:
            log.exception("tool failed", extra={"tool": tool.name})
            return Outcome(FAILED, Code.INTERNAL.value, query=query)
        return Outcome(answer.render(), rows=answer.rows, query=answer.query)

    def _record(self, visit: Visit, name: str, outcome: Outcome, **figures: object) -> None:
        self.toolbox.control.audit.record(
            "mcp.call",
            visit.principal,
            clean(name[:LONGEST_AUDITED]),
            outcome.result,
            address=visit.address,
            query=outcome.query[:LONGEST_AUDITED],
            rows=outcome.rows,
            **figures,
        )


def read_arguments(tool: Tool, arguments: Mapping[str, Any]) -> Arguments:
    """Return the arguments; numbers and booleans may be given as texts, as some models do."""
    try:
        return msgspec.convert(dict(arguments), tool.arguments, strict=False)
    except msgspec.ValidationError as error:
        known = ", ".join(tool.schema["properties"]) or "no arguments"
        raise explain_decoding_error(error, f"{tool.name} takes {known}: ") from error


def explain(error: LogboomError) -> str:
    """Return what is wrong and what to try, with the corrected query if there is one."""
    field = f" (argument {error.data['field']})" if "field" in error.data else ""
    lines = [f"error{field}: {shorten(error.message, LONGEST_ERROR)}"]
    if suggestion := error.data.get("suggestion"):
        lines.append(f"Try: {shorten(suggestion, LONGEST_ERROR)}")
    if remedy := REMEDIES.get(error.code):
        lines.append(f"Next: {remedy}")
    return "\n".join(lines)
