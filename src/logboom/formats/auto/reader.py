"""The reader of format `auto`."""

from logboom.formats.auto.choose import SAMPLE_BYTES, Choice, Openers, choose
from logboom.formats.multiline import open_fold
from logboom.formats.reader import NOTHING, Options, Reader
from logboom.model.batch import Lines


class AutoReader:
    """Holds the beginning of a text until it is enough to choose how to read it."""

    def __init__(self, options: Options, openers: Openers) -> None:
        self.format = "auto"
        self.choice: Choice | None = None
        self._options = options
        self._openers = openers
        self._held = b""
        self._reader: Reader | None = None
        if options.multiline:
            # A wrong pattern is refused before anything is read.
            open_fold(options.multiline, options.max_lines)
        if options.grok:
            self._choose(b"")

    def feed(self, chunk: bytes) -> Lines:
        if self._reader is not None:
            return self._reader.feed(chunk)
        self._held += chunk
        return NOTHING if len(self._held) < SAMPLE_BYTES else self._begin()

    def finish(self) -> Lines:
        begun = NOTHING if self._reader is not None else self._begin()
        assert self._reader is not None
        return Lines.join([begun, self._reader.finish()])

    def _begin(self) -> Lines:
        """Choose, and read what was held."""
        held, self._held = self._held, b""
        # Chunks are whole lines, so the last one counts even without its line feed.
        return self._choose(held if held.endswith(b"\n") else held + b"\n").feed(held)

    def _choose(self, head: bytes) -> Reader:
        self.choice = choose(head, self._options, self._openers)
        self.format = self.choice.name
        self._reader = self.choice.open()
        return self._reader
