"""The closed set of errors.

    LogboomError
    ├── Invalid               the request is wrong and stays wrong
    ├── Unauthenticated       nobody known asked
    ├── Forbidden             somebody known asked for too much
    ├── NotFound
    ├── Conflict              it exists already, or changed meanwhile
    ├── TooLarge
    ├── UnsupportedEncoding   a body in an encoding we do not read
    ├── Overloaded            try again soon
    ├── DeadlineExceeded
    └── Unavailable           the world's fault: disk full, store gone
        └── Corrupt           a damaged file, with its place

Messages are lower case, without a full stop, and name the value and what was expected.
"""

from enum import StrEnum


class Code(StrEnum):
    """What kind of failure it was; the only thing a client has to switch on."""

    INVALID = "invalid"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    TOO_LARGE = "too_large"
    UNSUPPORTED = "unsupported"
    OVERLOADED = "overloaded"
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    INTERNAL = "internal"


class LogboomError(Exception):
    """Root of every error the service raises on purpose; `data` goes into the answer as it is."""

    code = Code.INTERNAL

    def __init__(self, message: str, **data: object) -> None:
        super().__init__(message)
        self.message = message
        self.data = data


class Invalid(LogboomError):
    code = Code.INVALID


class Unauthenticated(LogboomError):
    code = Code.UNAUTHENTICATED


class Forbidden(LogboomError):
    code = Code.FORBIDDEN


class NotFound(LogboomError):
    code = Code.NOT_FOUND


class Conflict(LogboomError):
    code = Code.CONFLICT


class TooLarge(LogboomError):
    code = Code.TOO_LARGE


class UnsupportedEncoding(LogboomError):
    code = Code.UNSUPPORTED


class Overloaded(LogboomError):
    code = Code.OVERLOADED


class DeadlineExceeded(LogboomError):
    code = Code.TIMEOUT


class Unavailable(LogboomError):
    code = Code.UNAVAILABLE


class Corrupt(Unavailable):
    """A file does not hold what it must; carries where."""

    def __init__(self, path: str, offset: int, reason: str) -> None:
        super().__init__(f"{path} is damaged at byte {offset}: {reason}", path=path, offset=offset)
