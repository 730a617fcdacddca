"""Follows new lines through a WebSocket: first the latest ones, then each as it becomes searchable."""

import msgspec

from logboom.base.errors import Invalid
from logboom.base.process.deadline import Deadline
from logboom.control.access.principal import Principal
from logboom.model.timestamps import MAX_TIME_NS
from logboom.readers.loki.asking import Asked, Asker, make_asked
from logboom.readers.loki.selecting import is_log_query, read_selection
from logboom.readers.loki.streams import (
    DEFAULT_LIMIT,
    ID,
    MAX_LIMIT,
    Entry,
    choose_form,
    group_entries,
)
from logboom.readers.reader import Reader
from logboom.search.answers import Tail
from logboom.web.asgi import RawRequest
from logboom.web.sockets import Socket

POLL_S = 0.5
MAX_DELAY_S = 5
DELAYS = tuple(map(str, range(MAX_DELAY_S + 1)))


async def follow(reader: Reader, request: RawRequest, socket: Socket) -> None:
    principal = reader.admit(request)
    with reader.search.streams.hold(principal.owner):
        await send_lines(reader, request, socket, principal)


async def send_lines(
    reader: Reader, request: RawRequest, socket: Socket, principal: Principal
) -> None:
    """Send new lines until the client leaves or its credential becomes invalid."""
    asked = make_asked(reader, request)
    deadline = Deadline(reader.search.timeout_s)
    following = Following(Asker(reader.search, principal, asked, deadline))
    first = await reader.offload.run(following.begin)
    await socket.accept()
    if first:
        await socket.send(write_frame(first))
    while not socket.is_gone and reader.still_admits(request, principal):
        if not following.has_more():
            await socket.wait(POLL_S)
            continue
        await socket.wait(following.delay_s)
        entries = await reader.offload.run(following.take)
        if entries:
            await socket.send(write_frame(entries))


class Following:
    """The lines of one query: those until now, and then the new ones."""

    def __init__(self, asker: Asker) -> None:
        asked = asker.asked
        limit = asked.read_count("limit", DEFAULT_LIMIT, MAX_LIMIT)
        from_ns, _ = asked.read_range()
        text = asked.find("query")
        if not is_log_query(text):
            raise Invalid("a metric query has no lines to follow, expected a log query")
        selection = read_selection(text)
        self.delay_s = read_delay(asked)
        self._asker = asker
        self._question = asker.make_raw_question(selection.query, from_ns, MAX_TIME_NS, limit)
        self._form = choose_form(asked, selection)
        self._sent: frozenset[object] = frozenset()
        self._tail: Tail | None = None

    def begin(self) -> list[Entry]:
        """Return the latest lines, the oldest first; new ones are noticed from here on."""
        # Opened first, so that nothing is missed; what is found twice is left out later.
        self._tail = self._asker.search.tail(self._asker.principal, self._question)
        rows = self._asker.run(self._question).rows
        self._sent = frozenset(row[ID] for row in rows if ID in row)
        return [self._form.make_entry(row) for row in reversed(rows)]

    def has_more(self) -> bool:
        return self._opened.has_more(self._asker.search.snapshot())

    def take(self) -> list[Entry]:
        """Return some new lines; none if all were taken."""
        taken = self._opened.take(self._asker.search.snapshot())
        return [
            self._form.make_entry(each.row) for each in taken if each.row.get(ID) not in self._sent
        ]

    @property
    def _opened(self) -> Tail:
        assert self._tail is not None, "it has begun"
        return self._tail


def read_delay(asked: Asked) -> int:
    """Return for how many seconds new lines are held back."""
    text = asked.find("delay_for") or "0"
    if text not in DELAYS:
        raise Invalid(
            f"delay_for {text[:40]!r}, expected a number of seconds from 0 to {MAX_DELAY_S}"
        )
    return int(text)


def write_frame(entries: list[Entry]) -> str:
    return msgspec.json.encode({"streams": group_entries(entries)}).decode()
