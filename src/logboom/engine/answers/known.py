"""Which of some indexes or fields exist: the search ends as soon as all of them were found."""

from logboom.engine.answers.fields.panel import Panel
from logboom.engine.answers.rowwise import check_complete
from logboom.engine.blocks.scope import SearchScope
from logboom.engine.execution.find import Finder

Names = frozenset[str]


def find_indexes(finder: Finder, wanted: Names) -> Names:
    """Return those of the wanted indexes that have events in the request's scope."""
    scope = SearchScope.of_request(finder.request)
    missing = {name for name in wanted if scope.covers_index(name)}
    for info in scope.list_blocks(finder.snapshot):
        if not missing:
            break
        if block := finder.try_open(info):
            missing.difference_update(part for part in block.index.indexes)
    return frozenset(name for name in wanted if scope.covers_index(name)) - missing


def find_fields(finder: Finder, wanted: Names) -> Names:
    """Return those of the wanted fields, folded, that blocks in the request's scope have.

    Events outside the scope may have them as well.
    """
    request = finder.prepare(finder.request)
    scope = SearchScope.of_request(request)
    missing, left = set(wanted), []
    for info in finder.list_blocks(request):
        if not missing:
            break
        block = finder.try_open(info)
        if block is None:
            continue
        if block.has_overflow or not all(map(request.allowed.covers, block.index.indexes)):
            # Indexes of blocks with hidden events would reveal those; values without a column are in no index.
            left.append(info)
        elif scope.touches(block):
            columns = scope.list_columns(block)
            known = block.index.names_by_field
            missing -= {name for name in missing & known.keys() if columns & set(known[name])}
    if missing and left:
        panel = Panel(frozenset(missing), has_values=False)
        table = finder.start(request, panel).reduce(left)
        check_complete(finder)
        missing -= set(table.frame["field"])
    return wanted - missing
