"""The only error of the language: an invalid query, with its position and a suggestion."""

from collections.abc import Sequence

from logboom.base.errors import Invalid


class InvalidQuery(Invalid):
    """A query that cannot be parsed. `start` and `end` count characters of the query, from 0, the end excluded."""

    def __init__(
        self,
        message: str,
        start: int,
        end: int,
        expected: Sequence[str] = (),
        suggestion: str | None = None,
    ) -> None:
        super().__init__(
            f"col {start + 1}: {message}",
            start=start,
            end=end,
            expected=list(expected),
            suggestion=suggestion,
        )
        self.reason = message
        self.end = end
        self.suggestion = suggestion

    def extend_suggestion(self, rest: str) -> None:
        """Complete a correction that covers only the first part of a query."""
        if self.suggestion is not None:
            self.suggestion += rest
            self.data["suggestion"] = self.suggestion

    def replace_suggestion(self, query: str | None) -> None:
        """Offer another correction, or none, if the first one does not help."""
        self.suggestion = self.data["suggestion"] = query
