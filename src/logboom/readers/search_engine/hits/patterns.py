"""Patterns of names, which are asked about the same names with every hit."""

from logboom.readers.search_engine.dsl.context import unsupported
from logboom.readers.search_engine.dsl.members import read_list, show
from logboom.web.search_engine.filter_path import matches

MOST_PATTERNS = 1000
MOST_KNOWN = 10_000


class Patterns:
    """Whether a name matches one of some patterns, in which `*` stands for anything."""

    def __init__(self, patterns: tuple[str, ...] = ()) -> None:
        self._patterns = patterns
        self._known: dict[str, bool] = {}

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def match(self, name: str) -> bool:
        known = self._known.get(name)
        if known is None:
            known = any(matches(pattern, name) for pattern in self._patterns)
            if len(self._known) < MOST_KNOWN:
                self._known[name] = known
        return known


def read_patterns(written: object, where: str) -> tuple[str, ...]:
    patterns = read_list(written)
    if not all(isinstance(each, str) for each in patterns) or len(patterns) > MOST_PATTERNS:
        raise unsupported(
            f"[{where}] is {show(written)}, expected at most {MOST_PATTERNS} patterns of names"
        )
    return tuple(patterns)
