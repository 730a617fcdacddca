"""Warnings: what the user should know about an answer, beside its rows."""

from difflib import get_close_matches
from itertools import starmap

from logboom.base.errors import LogboomError
from logboom.engine.blocks.losses import Warning_
from logboom.engine.blocks.scope import SearchScope
from logboom.engine.execution.find import Finder
from logboom.engine.pipes.named_fields import find_unmade, list_named
from logboom.engine.terms.request import Request
from logboom.lang.parse.nearest import find_misspelled

REMARKS = {
    "not_numeric": "{count} values of {field} are not numbers and were left out",
    "lacks_field": "{count} events have no {field}",
    "too_many_values": "{count} values of {field} were left out, there are too many",
}
MAX_BLOCKS = 200
"""Blocks whose indexes are searched for the names of fields."""
MAX_COLUMNS = 10
"""Columns of a table that a message names."""
OWN_NAMES = {"index": "_index", "env": "_env", "id": "_id", "time": "_time", "timestamp": "_time"}
"""The service's names for what other products call differently."""


def list_warnings(finder: Finder, request: Request) -> list[Warning_]:
    """Return how the query was interpreted, what was left out, and which of its fields do not exist."""
    warnings: list[Warning_] = [dict(notice.to_dict()) for notice in request.notices]
    warnings += [{"code": stop.code, "message": stop.message} for stop in finder.stops]
    if finder.losses:
        warnings += finder.losses.list_warnings()
    if finder.problem:
        message = f"the cluster did not read everything, this node read the rest: {finder.problem}"
        warnings.append({"code": "cluster", "message": message})
    for (code, field), count in sorted(finder.remarks.items()):
        message = REMARKS[code].format(count=count, field=field)
        warnings.append({"code": code, "field": field, "count": count, "message": message})
    warnings += starmap(warn_of_column, find_unmade(request.query).items())
    return warnings + list(warn_of_fields(finder, request))


def warn_of_fields(finder: Finder, request: Request) -> list[Warning_]:
    """Return a warning for each field of the query that no block has, with similar names."""
    try:
        missing = find_missing(finder, request)
        known = list_names(finder, request) if missing else set()
    except LogboomError:
        # A block that could not be read is reported by the search itself, if needed.
        return []
    return [warn_of_field(field, known) for field in sorted(missing)]


def warn_of_field(field: str, known: set[str]) -> Warning_:
    near = get_close_matches(field, known, n=3)
    meant = OWN_NAMES.get(field) or find_misspelled(field, known)
    message = f"no event has a field {field}" + (f", did you mean {meant}?" if meant else "")
    return {"code": "unknown_field", "field": field, "near": near, "message": message}


def warn_of_column(name: str, columns: tuple[str, ...]) -> Warning_:
    shown = ", ".join(columns[:MAX_COLUMNS]) + (", …" if columns[MAX_COLUMNS:] else "")
    message = f"the table has no column {name}, it has {shown}"
    near = get_close_matches(name, columns, n=3)
    return {"code": "unknown_field", "field": name, "near": near, "message": message}


def find_missing(finder: Finder, request: Request) -> set[str]:
    """Return fields that the query names and no event in scope has; empty if that is not certain.

    The index of a block that also has events outside the scope would reveal those, and so would an answer that
    depends on whether there are such blocks. Usually the first block has all fields.
    """
    missing = list_named(request.query) if request.allowed.is_unlimited else set()
    infos = finder.list_blocks(request) if missing else []
    if not infos or len(infos) > MAX_BLOCKS or finder.budget.check_time():
        return set()
    scope = SearchScope.of_request(request)
    for info in infos:
        block = finder.resources.reader.open(info)
        missing = {name for name in missing if not {name, name.removeprefix("@")} & block.fields}
        if not missing or block.has_overflow:
            return set()
        if not all(map(scope.covers_index, block.index.indexes)):
            return set()
    return missing


def list_names(finder: Finder, request: Request) -> set[str]:
    """Return the fields of events in the blocks of a request."""
    blocks = map(finder.resources.reader.open, finder.list_blocks(request))
    return {name for block in blocks for name in block.fields}
