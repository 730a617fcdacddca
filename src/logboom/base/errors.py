"""The closed set of errors.

    LogboomError
    ├── Invalid               the request is wrong and stays wrong
    ├── Unauthenticated       no valid credentials
    ├── Forbidden             valid credentials, but not allowed
    ├── NotFound
    ├── Conflict              it exists already, or another process uses it now
    │   └── Overtaken         it was changed in the meantime
    ├── TooLarge
    │   └── OverBudget        a query needs more memory than it may use
    ├── UnsupportedEncoding   a body in an unknown encoding
    ├── Overloaded            try again soon
    ├── DeadlineExceeded
    └── Unavailable           disk full, store unreachable
        ├── Corrupt           a damaged file, and where
        └── TooNew            a file in a format of a newer build

Messages are lower case, without a full stop, and name the value and what was expected. An error that is
about one member of a request's body names it in `field`, dotted where it is nested.
"""

from enum import StrEnum


class Code(StrEnum):
    """The kind of failure; clients need nothing else to decide what to do."""

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
    """Base of all errors that the service raises deliberately; `data` is added to the answer."""

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


class Overtaken(Conflict):
    """What was read before the change is outdated; reading it again and repeating the change may succeed."""

    def __init__(self, message: str) -> None:
        super().__init__(message, reason="changed")


class TooLarge(LogboomError):
    code = Code.TOO_LARGE


class OverBudget(TooLarge):
    """A query needs more memory than it may use."""


class UnsupportedEncoding(LogboomError):
    code = Code.UNSUPPORTED


class Overloaded(LogboomError):
    code = Code.OVERLOADED


class DeadlineExceeded(LogboomError):
    code = Code.TIMEOUT


class Unavailable(LogboomError):
    code = Code.UNAVAILABLE


class Corrupt(Unavailable):
    """A file does not contain what it must; the error says where."""

    def __init__(self, path: str, offset: int, reason: str) -> None:
        super().__init__(f"{path} is damaged at byte {offset}: {reason}", path=path, offset=offset)
        self._place = (path, offset, reason)
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        """Needed because errors also come from other processes."""
        return Corrupt, self._place


class TooNew(Unavailable):
    """A newer build wrote a file in a format that this one cannot read. The file itself is fine."""

    def __init__(self, path: str, found: str, known: str) -> None:
        super().__init__(
            f"{path} has format version {found}, and this build reads up to {known}: use a newer build",
            path=path,
        )
        self._told = (path, found, known)

    def __reduce__(self) -> tuple[object, ...]:
        return TooNew, self._told


class about:  # noqa: N801 - reads like a function; a generator would be much slower
    """Errors raised inside are about this member of the request, unless they name another one."""

    def __init__(self, field: str) -> None:
        self._field = field

    def __enter__(self) -> None:
        pass

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> None:
        if isinstance(error, LogboomError):
            error.data.setdefault("field", self._field)
