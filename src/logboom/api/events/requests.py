"""The parameters of every endpoint that reads events."""

from collections.abc import AsyncGenerator
from typing import Annotated, Any

import msgspec

from logboom.api.services import Services
from logboom.control.access.principal import Principal
from logboom.search.question import Moment, Question

Env = Annotated[
    str, msgspec.Meta(description="Environments to search: a name, a comma list, or globs.")
]
Index = Annotated[
    str, msgspec.Meta(description="Indexes to search: a name, a comma list, or globs.")
]
From = Annotated[
    Moment,
    msgspec.Meta(
        description="Start of the time range, inclusive: RFC 3339, epoch number, or relative such as `-15m`."
    ),
]
To = Annotated[
    Moment, msgspec.Meta(description="End of the time range, exclusive; the same forms as `from`.")
]
Timezone = Annotated[str, msgspec.Meta(description="Time zone for days, such as `Europe/Berlin`.")]
Filters = Annotated[
    tuple[str, ...],
    msgspec.Meta(description="Additional filters: events must match all of them."),
]
Raw = Annotated[
    bool,
    msgspec.Meta(description="Whether each event includes `_raw`, the event as it was received."),
]


class ScopeBody(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}, kw_only=True
):
    """A query, and the environments, indexes and times that it searches."""

    query: Annotated[str, msgspec.Meta(description="The query; empty matches everything.")] = ""
    filter: Annotated[
        str,
        msgspec.Meta(
            description="A filter without pipes that events must match in addition to the query."
        ),
    ] = ""
    env: Env = "default"
    index: Index = "*"
    from_: From = None
    to: To = None
    timezone: Timezone = "UTC"

    def make_question(self, **options: Any) -> Question:
        """Return the question for the search; `options` are members that not every body has."""
        return Question(
            query=self.query,
            filter=self.filter,
            env=self.env,
            index=self.index,
            from_=self.from_,
            to=self.to,
            timezone=self.timezone,
            **options,
        )


async def check_unseen(
    question: Question, services: Services, principal: Principal
) -> AsyncGenerator[bytes, None]:
    """Check a question without running it, and answer with an empty stream, for HEAD."""
    await services.search_offload.run(services.search.check, principal, question)
    return stream_nothing()


async def stream_nothing() -> AsyncGenerator[bytes, None]:
    return
    yield
