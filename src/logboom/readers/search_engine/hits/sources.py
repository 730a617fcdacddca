"""`_source` and `fields` of hits: which members of events are wanted, and the members themselves."""

from typing import Any

import msgspec

from logboom.base.structs import InternalStruct
from logboom.lang import ast
from logboom.readers.search_engine.dsl.context import TIME, TIME_NAMES, Names, unsupported
from logboom.readers.search_engine.dsl.members import Members, read_list, read_text, show
from logboom.readers.search_engine.hits.moments import format_exact, format_moment
from logboom.readers.search_engine.hits.sorting import find_value, get_time
from logboom.web.search_engine.filter_path import matches

TIMESTAMP = "@timestamp"
OWN = ("_time", "_id", "_env", "_index", "_raw")
MOST_PATTERNS = 1000
EVERYTHING = "*"
decode = msgspec.json.Decoder().decode


class WantedSource(InternalStruct, frozen=True):
    """Which members of `_source` are shown: those that patterns match, or all; none of the excluded."""

    is_shown: bool = True
    includes: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()

    def choose(self, source: dict[str, Any]) -> dict[str, Any]:
        if not self.includes and not self.excludes:
            return source
        return self._walk(source, "", not self.includes)

    def _walk(self, members: dict[str, Any], prefix: str, is_included: bool) -> dict[str, Any]:
        chosen = {}
        for name, value in members.items():
            path = prefix + name
            if matches_any(self.excludes, path):
                continue
            is_wanted = is_included or matches_any(self.includes, path)
            if isinstance(value, dict) and value:
                inner = self._walk(value, f"{path}.", is_wanted)
                if inner:
                    chosen[name] = inner
            elif is_wanted:
                chosen[name] = value
        return chosen


def matches_any(patterns: tuple[str, ...], path: str) -> bool:
    return any(matches(pattern, path) for pattern in patterns)


def read_source(written: object) -> WantedSource:
    """`_source`: a boolean, patterns, or an object with `includes` and `excludes`."""
    if written is None or isinstance(written, bool):
        return WantedSource(is_shown=written is not False)
    if isinstance(written, dict):
        includes = read_patterns(written.get("includes", written.get("include", [])))
        return WantedSource(
            includes=includes,
            excludes=read_patterns(written.get("excludes", written.get("exclude", []))),
        )
    return WantedSource(includes=read_patterns(written))


def read_patterns(written: object) -> tuple[str, ...]:
    patterns = read_list(written)
    if not all(isinstance(each, str) for each in patterns) or len(patterns) > MOST_PATTERNS:
        raise unsupported(f"[_source] is {show(written)}, expected patterns of names")
    return tuple(patterns)


def make_source(row: Members) -> dict[str, Any]:
    """The event as it was sent, with its time and message under the names that clients look for."""
    source = decode(row["_raw"]) if row["_raw"][:1] == "{" else {}
    if TIMESTAMP not in source:
        source = {TIMESTAMP: format_exact(get_time(row["_id"])), **source}
    if ast.MESSAGE not in source and row.get(ast.MESSAGE) is not None:
        source[ast.MESSAGE] = row[ast.MESSAGE]
    return source


class WantedField(InternalStruct, frozen=True):
    """A pattern of names, and the format of times that match it."""

    pattern: str
    format: str = ""


def read_wanted_fields(written: object, names: Names) -> tuple[WantedField, ...]:
    """`fields` and `docvalue_fields`: names or patterns, alone or in an object with a format."""
    items = [] if written is None else read_list(written)
    if len(items) > MOST_PATTERNS:
        raise unsupported(f"{len(items)} fields, expected at most {MOST_PATTERNS}")
    return tuple(read_wanted_field(item, names) for item in items)


def read_wanted_field(item: object, names: Names) -> WantedField:
    members = item if isinstance(item, dict) else {"field": item}
    pattern = read_text(members, "field", "")
    is_kept = "*" in pattern or pattern.lower() in TIME_NAMES
    format_ = read_text(members, "format", "") if members.get("format") else ""
    return WantedField(pattern if is_kept else names.find(pattern), format_)


def list_fields(row: Members, wanted: tuple[WantedField, ...]) -> dict[str, list[Any]]:
    """The values of the wanted fields, each as a list; fields that an event lacks are left out."""
    found: dict[str, list[Any]] = {}
    for each in wanted:
        if each.pattern.lower() in TIME_NAMES or each.pattern == EVERYTHING:
            name = TIMESTAMP if each.pattern in (EVERYTHING, TIME) else each.pattern
            found[name] = [format_moment(get_time(row["_id"]), each.format)]
        if "*" not in each.pattern:
            value = None if each.pattern in OWN else find_value(row, each.pattern)
            if value is not None:
                found[each.pattern] = read_list(value)
            continue
        for name, value in row.items():
            if (
                name not in OWN
                and value is not None
                and matches(each.pattern.lower(), name.lower())
            ):
                found[name] = read_list(value)
    return found
