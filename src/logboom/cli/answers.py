"""Search results as the command line shows them, from a server or from a data directory."""

from typing import Any

import msgspec


class Explanation(msgspec.Struct, frozen=True):
    """Why there are no rows."""

    hint: str = ""


class SearchAnswer(msgspec.Struct, frozen=True):
    """The members of an answer that are printed; see the HTTP API."""

    type: str
    columns: list[str]
    rows: list[dict[str, Any]]
    complete: bool
    warnings: list[dict[str, Any]]
    cursor: str | None = None
    explanation: Explanation = Explanation()

    def extend(self, more: "SearchAnswer") -> "SearchAnswer":
        """Return this page joined with the next one."""
        return SearchAnswer(
            type=self.type,
            columns=list(dict.fromkeys((*self.columns, *more.columns))),
            rows=self.rows + more.rows,
            complete=self.complete and more.complete,
            warnings=self.warnings + [each for each in more.warnings if each not in self.warnings],
            cursor=more.cursor,
            explanation=self.explanation,
        )
