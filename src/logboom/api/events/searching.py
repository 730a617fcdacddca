"""Runs the query of a search request: what its body may contain, and its answer as JSON."""

from typing import Annotated, Any

import msgspec

from logboom.api.events.requests import Raw, ScopeBody
from logboom.api.services import Services
from logboom.base.process.deadline import Deadline
from logboom.control.access.principal import Principal
from logboom.control.saved.dashboards import MOST_VARIABLES, VariableName, VariableValue
from logboom.search.answers import SearchAnswer
from logboom.web.cancelling import run_cancellable
from logboom.web.types import Receive

MAX_LIMIT = 10_000


class SearchBody(ScopeBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What to find, and where."""

    limit: Annotated[
        int, msgspec.Meta(ge=0, le=MAX_LIMIT, description="Maximum number of events per page.")
    ] = 100
    cursor: Annotated[
        str | None, msgspec.Meta(description="`cursor` of an earlier answer, to get the next page.")
    ] = None
    count: Annotated[bool, msgspec.Meta(description="Whether to include `total`.")] = False
    raw: Raw = False


class AskedBody(SearchBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A search of a dashboard, with the values of its variables."""

    variables: Annotated[
        dict[VariableName, VariableValue],
        msgspec.Meta(
            max_length=MOST_VARIABLES,
            description="Values of variables by name: each replaces `$name` in the query, as a value. If a "
            "value is empty or `*`, the field test that uses it is dropped.",
        ),
    ] = msgspec.field(default_factory=dict)


async def search(
    receive: Receive, body: SearchBody, services: Services, principal: Principal
) -> bytes:
    """Return the answer as JSON."""
    question = body.make_question(
        limit=body.limit,
        cursor=body.cursor,
        count=body.count,
        raw=body.raw,
        variables=body.variables if isinstance(body, AskedBody) else {},
    )

    def work(deadline: Deadline) -> bytes:
        answer = services.search.search(principal, question, deadline)
        return msgspec.json.encode(arrange(answer))

    return await run_cancellable(receive, services.search_offload, work)


def arrange(answer: SearchAnswer) -> dict[str, Any]:
    """Return the answer in the documented key order; `total` and `explanation` only if present."""
    fields = msgspec.structs.asdict(answer)
    for name in ("total", "explanation"):
        if fields[name] is None:
            del fields[name]
    return fields
