"""Notices: how an ambiguous query was interpreted. They never stop it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

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


@dataclass(frozen=True, slots=True)
class Notice:
    """`data` may have `read_as` and `alt`: the query in clearer form, and one with the other interpretation."""

    code: NoticeCode
    message: str
    data: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, str]:
        return {"code": self.code, "message": self.message, **self.data}


@dataclass(frozen=True, slots=True)
class Reading:
    """A query, and the notices about how it was interpreted."""

    query: Query
    notices: tuple[Notice, ...] = ()
