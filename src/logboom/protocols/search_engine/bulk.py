"""The search engine's bulk body: turns action and source lines into plain lines and their routes."""

from collections.abc import Iterator
from typing import Literal, get_args

import msgspec

from logboom.base.errors import Invalid, TooLarge
from logboom.model.batch import Lines, Routes
from logboom.model.names import normalise_index
from logboom.model.scanning import BLANKS
from logboom.web.search_engine.errors import Fault

MAX_BODY_BYTES = 128 * 1024 * 1024
MAX_ACTIONS = 500_000
KNOWN_LINES = 1024
KNOWN_LINE_BYTES = 512

Operation = Literal["index", "create", "update", "delete"]
OPERATIONS: dict[str, Operation] = {name: name for name in get_args(Operation)}
Plain = str | int | float | bool | None


class Action(msgspec.Struct, frozen=True, gc=False):
    """What an action line asks for; `index` is normalised, None means the target's."""

    operation: Operation
    index: str | None = None
    id: str | None = None


class Details(msgspec.Struct, gc=False):
    """The details of an action that are used; all others are ignored."""

    index: Plain = msgspec.field(name="_index", default=None)
    id: Plain = msgspec.field(name="_id", default=None)


class Update(msgspec.Struct, gc=False):
    """The source line of an update."""

    doc: msgspec.Raw = msgspec.Raw(b"null")
    upsert: msgspec.Raw = msgspec.Raw(b"null")


ACTION_LINE = msgspec.json.Decoder(dict[Operation, Details])
LOOSE_ACTION_LINE = msgspec.json.Decoder(dict[str, msgspec.Raw])
DETAILS = msgspec.json.Decoder(Details | None)
UPDATE_LINE = msgspec.json.Decoder(Update)

EMPTY = Fault(400, "document_parsing_exception", "the source line is empty, expected a JSON object")
MISSING = Fault(400, "document_parsing_exception", "the body ends before the action's source line")
NO_DOCUMENT = Fault(
    400,
    "action_request_validation_exception",
    "the update has neither doc nor upsert, expected one of them as scripts are not run",
)


class BulkReader:
    """Reads one body, given in chunks of whole lines.

    Every action has produced one line, in order, except deletes and those with a fault, which is found by the
    action's position in `actions`.
    """

    def __init__(self, default_index: str | None = None) -> None:
        self.actions: list[Action] = []
        self.faults: dict[int, Fault] = {}
        self._default_index = normalise_index(default_index) if default_index else None
        self._size_bytes = 0
        self._line_count = 0
        self._open_lines: list[bytes] = []
        self._known: dict[bytes, Action] = {}
        self._indexes: dict[str, str] = {}

    def feed(self, chunk: bytes) -> Lines:
        """Return the documents of a chunk; raise Invalid if an action line is missing, TooLarge beyond the limits."""
        self._size_bytes += len(chunk)
        if self._size_bytes > MAX_BODY_BYTES:
            raise TooLarge(f"the body is too long, expected at most {MAX_BODY_BYTES} bytes")
        lines = self._open_lines + chunk.split(b"\n")
        if not lines[-1]:
            lines.pop()
        first = self._line_count - len(self._open_lines) + 1
        self._line_count = first + len(lines) - 1
        self._open_lines = []
        documents = self._read_alike(lines, first) or self._read_lines(enumerate(lines, first))
        if len(self.actions) > MAX_ACTIONS:
            raise TooLarge(f"too many actions, expected at most {MAX_ACTIONS} in one request")
        return documents

    def finish(self) -> None:
        """Check the end of the body; raise Invalid if it was empty."""
        for line in self._open_lines:
            action = self._read_action(self._line_count, line)
            assert action is not None
            self.faults[len(self.actions)] = MISSING
            self.actions.append(action)
        if not self.actions:
            raise Invalid("request body is required", type="parse_exception")

    def _read_alike(self, lines: list[bytes], first: int) -> Lines | None:
        """Read the usual chunk, with the same action before every document, fast; return None for any other."""
        asked, sources = lines[0::2], lines[1::2]
        openings = [source[:1] for source in sources]
        if (
            not sources
            or asked.count(asked[0]) < len(asked)
            or openings.count(b"{") < len(openings)
        ):
            return None
        action = self._read_action(first, asked[0])
        if action is None or action.operation not in ("index", "create"):
            return None
        self._open_lines = asked[len(sources) :]
        self.actions += [action] * len(sources)
        return Lines(b"\n".join(sources), Routes.of([action.index] * len(sources)))

    def _read_lines(self, lines: Iterator[tuple[int, bytes]]) -> Lines:
        sources: list[bytes] = []
        indexes: list[str | None] = []
        actions, known = self.actions, self._known
        for number, line in lines:
            action = known.get(line) or self._read_action(number, line)
            if action is None:
                continue
            if action.operation != "delete":
                following = next(lines, None)
                if following is None:
                    self._open_lines = [line]
                    break
                source = following[1]
                if source[:1] != b"{" or action.operation == "update":
                    source = self._find_document(action, source)
                if source:
                    sources.append(source)
                    indexes.append(action.index)
            actions.append(action)
        return Lines(b"\n".join(sources), Routes.of(indexes))

    def _read_action(self, number: int, line: bytes) -> Action | None:
        """Parse an action line; return None for a blank one."""
        if not line.strip(BLANKS):
            return None
        try:
            operation, details = parse_action(line)
        except (ValueError, RecursionError) as error:
            raise Invalid(
                f"Malformed action/metadata line [{number}], "
                "expected an object with one of index, create, update or delete"
            ) from error
        identity = None if details.id is None else str(details.id)
        action = Action(operation, self._name_index(details.index), identity)
        if identity is None and len(line) <= KNOWN_LINE_BYTES and len(self._known) < KNOWN_LINES:
            self._known[line] = action
        return action

    def _name_index(self, asked: Plain) -> str | None:
        """Return the normalised name of an index, computed once for each name."""
        if asked is None or asked == "":
            return self._default_index
        name = str(asked)
        known = self._indexes.get(name)
        if known is None:
            known = self._indexes[name] = normalise_index(name)
        return known

    def _find_document(self, action: Action, source: bytes) -> bytes:
        """Return the document on an unusual source line; empty, with a fault for the next action, if there is none."""
        fault = EMPTY
        if action.operation == "update" and source.strip(BLANKS):
            source, fault = unwrap_update(source), NO_DOCUMENT
        if source.strip(BLANKS):
            return source
        self.faults[len(self.actions)] = fault
        return b""


def parse_action(line: bytes) -> tuple[Operation, Details]:
    """Return the operation on an action line and its details; raise ValueError if there is none."""
    try:
        ((operation, details),) = ACTION_LINE.decode(line).items()
    except ValueError:
        return parse_loose_action(line)
    return operation, details


def parse_loose_action(line: bytes) -> tuple[Operation, Details]:
    """Parse an action line with several members: the first that can be an action is used.

    An operation may be written in any case, and have null for its details.
    """
    for name, text in LOOSE_ACTION_LINE.decode(line).items():
        operation = OPERATIONS.get(name.lower())
        if operation and memoryview(text)[0] in b"{n":
            return operation, DETAILS.decode(text) or Details()
    raise ValueError("no member is an operation")


def unwrap_update(source: bytes) -> bytes:
    """Return the text of `doc`, else of `upsert`, else empty; the line itself if it is not a JSON object."""
    try:
        update = UPDATE_LINE.decode(source)
    except (ValueError, RecursionError):
        return source
    for document in (bytes(update.doc), bytes(update.upsert)):
        if document != b"null":
            return document
    return b""
