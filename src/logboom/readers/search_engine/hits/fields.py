"""`fields` and `docvalue_fields` of hits: single fields, each as a list of its values."""

from typing import Any

from logboom.base.structs import InternalStruct
from logboom.readers.search_engine.dsl.context import TIME, TIME_NAMES, Names, unsupported
from logboom.readers.search_engine.dsl.members import Members, read_list, read_text
from logboom.readers.search_engine.hits.moments import format_moment
from logboom.readers.search_engine.hits.patterns import MOST_PATTERNS, Patterns
from logboom.readers.search_engine.hits.sorting import get_time
from logboom.readers.search_engine.hits.sources import OWN, TIMESTAMP

EVERYTHING = "*"


class WantedFields(InternalStruct, frozen=True):
    """Patterns of folded names, and the names and formats under which the time is shown."""

    patterns: Patterns
    times: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.patterns or self.times)

    def list_values(self, row: Members) -> dict[str, list[Any]]:
        """Return the fields of a hit; those that it lacks are left out."""
        found: dict[str, list[Any]] = {
            name: [format_moment(get_time(row["_id"]), format_)] for name, format_ in self.times
        }
        for name, value in row.items():
            if name not in OWN and value is not None and self.patterns.match(name.lower()):
                found[name] = read_list(value)
        return found


def read_wanted_fields(items: list[Any], names: Names) -> WantedFields:
    """Read names or patterns, alone or in an object with a format; the last format of the time counts."""
    if len(items) > MOST_PATTERNS:
        raise unsupported(f"{len(items)} fields, expected at most {MOST_PATTERNS}")
    patterns: list[str] = []
    times: dict[str, str] = {}
    for item in items:
        members = item if isinstance(item, dict) else {"field": item}
        pattern = read_text(members, "field", "")
        format_ = read_text(members, "format", "") if members.get("format") else ""
        if pattern.lower() in TIME_NAMES or pattern == EVERYTHING:
            times[TIMESTAMP if pattern in (EVERYTHING, TIME) else pattern] = format_
        if pattern.lower() not in TIME_NAMES:
            patterns.append((pattern if "*" in pattern else names.find(pattern)).lower())
    return WantedFields(Patterns(tuple(patterns)), tuple(times.items()))
