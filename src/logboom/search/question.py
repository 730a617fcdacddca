"""A question: a query and its options as text, not parsed yet."""

from collections.abc import Mapping

import msgspec

from logboom.control.registry.environments import DEFAULT_ENVIRONMENT

Moment = str | int | float | None
"""A time as users write it: RFC 3339, an epoch number, or relative; None for no bound."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A query with where and when to search; the HTTP API documents the form of each member.

    Events must match `filter` and each of `filters` besides the query. `limit`, `cursor` and `count` choose the page
    of a search; `raw` adds each event as it was received. `is_canonical` says that `query` and `filters` are
    canonical, as in a stored question, so that no other dialect is tried. `variables` are values by name: each
    replaces `$name` in the query.
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
