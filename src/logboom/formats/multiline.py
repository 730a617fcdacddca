"""Folding: lines that belong to one event, such as a stack trace below its message, become one record."""

from logboom.base.errors import about
from logboom.formats.patterns import Search, compile_search

MAX_RECORD_CHARACTERS = 16 * 1024 * 1024


class Fold:
    """A line that matches the pattern begins a record, the lines after it are joined to it.

    Lines before the first match are a record each. The last record stays open until it is known where
    it ends. A record of too many lines ends there, and its next line begins another.
    """

    def __init__(self, pattern: str, max_lines: int, begins: Search | None = None) -> None:
        """`begins` is the pattern when it is already compiled."""
        with about("multiline"):
            self._begins = begins or compile_search(pattern, pattern)
        self._max_lines = max_lines
        self._open: list[str] = []
        self._size = 0
        self._has_begun = False

    def feed(self, lines: list[str]) -> list[str]:
        """Take more lines; gives the records that they complete."""
        records: list[str] = []
        for line in lines:
            if self._begins(line.encode()):
                self._has_begun = True
                records += self.finish()
            elif not self._has_begun or self._is_full():
                records += self.finish()
            self._open.append(line)
            self._size += len(line)
        return records

    def _is_full(self) -> bool:
        return len(self._open) >= self._max_lines or self._size >= MAX_RECORD_CHARACTERS

    def finish(self) -> list[str]:
        """The open record, if there is one; blank lines around it are none of its own."""
        record = "\n".join(self._open).strip("\n")
        self._open, self._size = [], 0
        return [record] if record and not record.isspace() else []
