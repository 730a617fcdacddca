"""A question: the words in which somebody asks about events, not yet read."""

from collections.abc import Mapping

import msgspec

from logboom.control.registry.environments import DEFAULT_ENVIRONMENT

Moment = str | int | float | None
"""A time as people write it: RFC 3339, an epoch number, or relative; None for no bound."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked, where, and of which times; see the HTTP API for how each member is written.

    Events must match `filter` and each of `filters` besides the query. `limit`, `cursor` and `count` choose the page of
    a search; `raw` adds each event as it came in. `is_canonical` says that `query` and `filters` are, as in a question
    that was kept: they are not guessed at. `variables` are values by name: each stands for `$name` in the query.
    """

    query: str = ""
    filter: str = ""
    filters: tuple[str, ...] = ()
    env: str = DEFAULT_ENVIRONMENT
    index: str = "*"
    from_: Moment = None
    to: Moment = None
    timezone: str = "UTC"
    limit: int = 100
    cursor: str | None = None
    count: bool = False
    raw: bool = False
    is_canonical: bool = False
    variables: Mapping[str, str] = {}
