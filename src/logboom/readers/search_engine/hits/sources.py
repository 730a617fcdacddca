"""`_source` of hits: the event as it was sent, or those of its members that are wanted."""

from typing import Any

import msgspec

from logboom.base.structs import InternalStruct
from logboom.lang import ast
from logboom.readers.search_engine.dsl.members import Members
from logboom.readers.search_engine.hits.moments import format_exact
from logboom.readers.search_engine.hits.patterns import Patterns, read_patterns
from logboom.readers.search_engine.hits.sorting import get_time

TIMESTAMP = "@timestamp"
OWN = ("_time", "_id", "_env", "_index", "_raw")
decode = msgspec.json.Decoder().decode


class WantedSource(InternalStruct, frozen=True):
    """Which members of `_source` are shown: those that patterns match, or all; none of the excluded."""

    is_shown: bool = True
    includes: Patterns = Patterns()
    excludes: Patterns = Patterns()

    def choose(self, source: dict[str, Any]) -> dict[str, Any]:
        if not self.includes and not self.excludes:
            return source
        return self._walk(source, "", is_included=not self.includes)

    def _walk(self, members: dict[str, Any], prefix: str, *, is_included: bool) -> dict[str, Any]:
        chosen = {}
        for name, value in members.items():
            path = prefix + name
            if self.excludes.match(path):
                continue
            is_wanted = is_included or self.includes.match(path)
            if isinstance(value, dict) and value:
                inner = self._walk(value, f"{path}.", is_included=is_wanted)
                if inner:
                    chosen[name] = inner
            elif is_wanted:
                chosen[name] = value
        return chosen


def read_source(written: object) -> WantedSource:
    """`_source`: a boolean, patterns, or an object with `includes` and `excludes`."""
    if written is None or isinstance(written, bool):
        return WantedSource(is_shown=written is not False)
    if not isinstance(written, dict):
        return WantedSource(includes=Patterns(read_patterns(written, "_source")))
    chosen = {
        name: Patterns(read_patterns(written.get(f"{name}s", written.get(name, [])), "_source"))
        for name in ("include", "exclude")
    }
    return WantedSource(includes=chosen["include"], excludes=chosen["exclude"])


def make_source(row: Members) -> dict[str, Any]:
    """Return the event as it was sent, with its time and message under the names that clients look for."""
    source = decode(row["_raw"]) if row["_raw"][:1] == "{" else {}
    if TIMESTAMP not in source:
        source = {TIMESTAMP: format_exact(get_time(row["_id"])), **source}
    if ast.MESSAGE not in source and row.get(ast.MESSAGE) is not None:
        source[ast.MESSAGE] = row[ast.MESSAGE]
    return source
