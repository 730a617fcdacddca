"""Folding: joins the lines of one event, such as a stack trace below its message, to one record."""

from collections.abc import Callable

from logboom.base.errors import about
from logboom.formats.patterns import compile_search

MAX_RECORD_CHARACTERS = 16 * 1024 * 1024

FindBegins = Callable[[list[str]], list[bool]]
"""Returns which of some lines start a record."""

Record = tuple[int, str]
"""The index of its first line among the lines just fed, negative if it came earlier; and the text."""


class Fold:
    """A line that matches the pattern starts a record; the following lines are joined to it.

    Lines before the first match are one record each. The last record stays open until its end is known. A record with
    too many lines ends there, and its next line starts another.
    """

    def __init__(self, find_begins: FindBegins, max_lines: int) -> None:
        self.find_begins = find_begins
        self._max_lines = max_lines
        self._open: list[str] = []
        self._size = 0
        self._has_begun = False
        self.first = -1
        """The index of the open record's first line, as in a `Record`."""

    def feed(self, lines: list[str]) -> list[str]:
        """Take more lines; return the records that they complete."""
        return [text for _, text in self.cut(lines, self.find_begins(lines))]

    def cut(self, lines: list[str], begins: list[bool]) -> list[Record]:
        """Take more lines, given which of them start a record; return the records that they complete."""
        if all(begins):
            return self._cut_each(lines)
        records: list[Record] = []
        self.first = -1
        for place, line in enumerate(lines):
            if begins[place] or not self._has_begun or self._is_full():
                records += self.close()
                self.first = place
                self._has_begun = self._has_begun or begins[place]
            self._open.append(line)
            self._size += len(line)
        return records

    def _cut_each(self, lines: list[str]) -> list[Record]:
        """Take lines that each start a record. A pattern may match blank lines too; these are dropped."""
        self.first = -1
        if not lines:
            return []
        whole = enumerate(lines[:-1])
        records = [*self.close(), *(record for record in whole if not is_blank(record[1]))]
        self._open, self._size = [lines[-1]], len(lines[-1])
        self.first, self._has_begun = len(lines) - 1, True
        return records

    def _is_full(self) -> bool:
        return len(self._open) >= self._max_lines or self._size >= MAX_RECORD_CHARACTERS

    def close(self) -> list[Record]:
        """Return the open record, if there is one, without surrounding blank lines."""
        lines, self._open, self._size = self._open, [], 0
        text = (lines[0] if len(lines) == 1 else "\n".join(lines)).strip("\n")
        return [] if is_blank(text) else [(self.first, text)]

    def finish(self) -> list[str]:
        """Return the text of the open record, if there is one."""
        return [text for _, text in self.close()]


def is_blank(text: str) -> bool:
    return not text or text.isspace()


def open_fold(pattern: str, max_lines: int) -> Fold:
    """Return a fold by a user-written pattern; raise Invalid if it is wrong."""
    with about("multiline"):
        begins = compile_search(pattern, pattern)
    return Fold(lambda lines: [begins(line.encode()) is not None for line in lines], max_lines)
