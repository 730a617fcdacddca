"""Structured logs: one JSON object per line on stderr, and a copy for the self-log index.

Only what is passed explicitly is written: the event's name and its `extra` fields.
"""

import logging
import sys
import traceback
from collections import deque

import msgspec

from logboom.base.clock import format_time

ROOT = "logboom"
STANDARD_ATTRIBUTES = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


def encode_record(record: logging.LogRecord) -> bytes:
    """Return a log record as one line of JSON."""
    line: dict[str, object] = {
        "timestamp": format_time(int(record.created * 1e6) * 1000),
        "level": record.levelname.lower(),
        "message": record.getMessage(),
        "logger": record.name,
    }
    line |= {name: value for name, value in vars(record).items() if name not in STANDARD_ATTRIBUTES}
    if record.exc_info and record.exc_info[1]:
        line["exception"] = "".join(traceback.format_exception(record.exc_info[1]))
    return msgspec.json.encode(line, enc_hook=str)


class JsonFormatter(logging.Formatter):
    """Renders a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        return encode_record(record).decode()


class SelfLog(logging.Handler):
    """Keeps the newest records until they are stored in the self-log index; the oldest are dropped if it is full."""

    def __init__(self, capacity: int = 10_000) -> None:
        super().__init__(logging.INFO)
        self._capacity = capacity
        self._lines: deque[bytes] = deque(maxlen=capacity)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._lines.append(encode_record(record))
        except (TypeError, ValueError, RecursionError):
            self.handleError(record)

    def take_lines(self) -> list[bytes]:
        """Return the collected lines, and forget them."""
        lines = []
        while self._lines:
            lines.append(self._lines.popleft())
        return lines

    def give_back(self, lines: list[bytes]) -> None:
        """Put back lines that could not be stored, for the next attempt."""
        room = max(0, self._capacity - len(self._lines))
        self._lines.extendleft(reversed(lines[max(0, len(lines) - room) :]))


def start_logging(level: str, self_log: SelfLog) -> None:
    """Send this program's logs to stderr and to the self-log."""
    stderr = logging.StreamHandler(sys.stderr)
    stderr.setFormatter(JsonFormatter())
    for name, least in ((ROOT, level.upper()), ("uvicorn", "ERROR"), ("mcp", "ERROR")):
        logger = logging.getLogger(name)
        logger.setLevel(least)
        logger.handlers = [stderr, self_log]
        logger.propagate = False
