"""What a row of the tables of foreign names says."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["pipe", "aggregate", "function"]
Edit: TypeAlias = tuple[str, str]
"""What stands in the query from behind the name on, as a regular expression, and what to write for both."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """Names that mean the same elsewhere, and `ours`: an example of how it is written here.

    Without `ours` there is nothing like it, and `note` says what comes nearest. The first of `edits` that
    matches repairs the query; a plain text in their place replaces the name and leaves the rest.
    """

    language: str
    names: tuple[str, ...]
    ours: str = ""
    note: str = ""
    edits: tuple[Edit, ...] = ()


def foreign(
    language: str, names: str, ours: str = "", note: str = "", edits: str | tuple[Edit, ...] = ()
) -> Foreign:
    """A row; its names stand in one text with blanks between them."""
    if isinstance(edits, str):
        edits = (("", edits),)
    return Foreign(language, tuple(names.split()), ours, note, edits)
