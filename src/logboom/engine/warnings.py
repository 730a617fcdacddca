"""Warnings: what the asker should know about an answer, beside its rows."""

from difflib import get_close_matches

from logboom.engine.find import Finder
from logboom.engine.needs import need_node
from logboom.engine.request import Request
from logboom.engine.scope import Scope
from logboom.lang import ast
from logboom.model.names import CORE_FIELDS

Warning_ = dict[str, object]

REMARKS = {
    "not_numeric": "{count} values of {field} are not numbers and were left out",
    "lacks_field": "{count} events have no {field}",
    "too_many_values": "{count} values of {field} were left out, there are too many",
}
MAX_BLOCKS = 200
"""Blocks whose indexes are looked at for the names of fields."""


def list_warnings(finder: Finder, request: Request) -> list[Warning_]:
    """How the query was read, what it met, and which of its fields nothing has."""
    warnings: list[Warning_] = [dict(notice.to_dict()) for notice in request.notices]
    warnings += [{"code": stop.code, "message": stop.message} for stop in finder.stops]
    for (code, field), count in sorted(finder.remarks.items()):
        message = REMARKS[code].format(count=count, field=field)
        warnings.append({"code": code, "field": field, "count": count, "message": message})
    return warnings + list(warn_of_fields(finder, request))


def warn_of_fields(finder: Finder, request: Request) -> list[Warning_]:
    """Fields of the filter that no block has, with the names that come near."""
    asked = (
        need_node(request.query.filter).fields - set(CORE_FIELDS) - {ast.MESSAGE, "env", "index"}
    )
    if not asked:
        return []
    known = list_names(finder, request)
    if known is None:
        return []
    return [
        {
            "code": "unknown_field",
            "field": field,
            "near": near,
            "message": f"no event has a field {field}"
            + (f", did you mean {near[0]}?" if near else ""),
        }
        for field in sorted(asked - known)
        for near in [get_close_matches(field, known, n=3)]
    ]


def list_names(finder: Finder, request: Request) -> set[str] | None:
    """The fields that events in scope have; None when that is not known for certain.

    The index of a block that also has events outside the scope would tell of those too, and so would an
    answer that depends on whether there are such blocks.
    """
    if not request.allowed.is_unlimited:
        return None
    infos, scope = finder.list_blocks(request), Scope.of_request(request)
    if not infos or len(infos) > MAX_BLOCKS:
        return None
    names: set[str] = set()
    for info in infos:
        block = finder.means.reader.open(info)
        if block.has_overflow or not all(map(scope.covers_index, block.index.indexes)):
            return None
        names |= block.fields
    return names
