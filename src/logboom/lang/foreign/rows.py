"""The rows of the tables of foreign names."""

from typing import Literal, TypeAlias

from logboom.base.structs import InternalStruct

Kind: TypeAlias = Literal["pipe", "aggregate", "function"]
Edit: TypeAlias = tuple[str, str]
"""What follows the name in the query, as a regular expression, and the replacement for both."""


class Foreign(InternalStruct, frozen=True):
    """Names from other languages, and `ours`: an example of the equivalent here.

    Without `ours` there is no equivalent, and `note` says what comes closest. The first of `edits` that matches
    repairs the query; a plain text in their place replaces the name and leaves the rest.
    """

    language: str
    names: tuple[str, ...]
    ours: str = ""
    note: str = ""
    edits: tuple[Edit, ...] = ()


def foreign(
    language: str, names: str, ours: str = "", note: str = "", edits: str | tuple[Edit, ...] = ()
) -> Foreign:
    """Return a row of the table; its names are given in one text, separated by spaces."""
    if isinstance(edits, str):
        edits = (("", edits),)
    return Foreign(language, tuple(names.split()), ours, note, edits)
