"""Regular expressions that are compiled on first use: a process uses few of the hundreds that are defined."""

import re
from functools import cached_property
from typing import Any, AnyStr, Generic, cast

from logboom.base.atomic import compile_rightly


def compile_later(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Do what `re.compile` does, on first use; reading `pattern` of the result does not compile it."""
    return cast("re.Pattern[AnyStr]", LatePattern(pattern, flags))


class LatePattern(Generic[AnyStr]):
    """Acts like a compiled pattern. Thread-safe; threads that race on the first use may compile it twice."""

    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self.pattern: AnyStr = pattern
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[AnyStr]:
        return compile_rightly(self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        member = getattr(self.compiled, name)
        # Later lookups find the attribute without calling this method.
        setattr(self, name, member)
        return member
