"""Notices: how an ambiguous query was interpreted. They never stop it."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import field

from logboom.base.structs import InternalStruct
from logboom.lang.ast import Query

NoticeCode: TypeAlias = Literal[
    "mixed_and_or",
    "words_not_operators",
    "colon_as_text",
    "slashes_as_text",
    "slashes_as_regex",
    "long_paste",
    "read_as_meant",
    "read_as_text",
    "read_as_dialect",
]


class Notice(InternalStruct, frozen=True):
    """How a part of a query was interpreted.

    `data` may have `read_as` and `alt`: the query in clearer form, and one with the other interpretation.
    """

    code: NoticeCode
    message: str
    data: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, str]:
        return {"code": self.code, "message": self.message, **self.data}


class Reading(InternalStruct, frozen=True):
    """A query, and the notices about how it was interpreted."""

    query: Query
    notices: tuple[Notice, ...] = ()
