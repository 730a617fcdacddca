"""Regular expressions that are compiled when they are first used: a process needs few of the hundreds it knows."""

import re
from functools import cached_property
from typing import Any, AnyStr, Generic, cast


def compile_later(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """`re.compile` for the constants of a module; reading `pattern` of the result does not compile it."""
    return cast("re.Pattern[AnyStr]", LatePattern(pattern, flags))


class LatePattern(Generic[AnyStr]):
    """Acts as a compiled pattern. Any thread may use it; those that are first at once may compile it twice."""

    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self.pattern: AnyStr = pattern
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[AnyStr]:
        return re.compile(self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        member = getattr(self.compiled, name)
        # Found without this method from now on, so that it costs nothing more.
        setattr(self, name, member)
        return member
