"""The types of fields, from the indexes of blocks where these do not reveal too much."""

from collections import defaultdict
from collections.abc import Mapping

from logboom.engine.answers.fields.panel import Panel
from logboom.engine.answers.rowwise import check_complete, check_rowwise
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.scope import SearchScope
from logboom.engine.execution.find import Finder
from logboom.engine.rows.table import ENV, INDEX
from logboom.model.columns import Kind, parse_column

FieldTypes = Mapping[str, frozenset[Kind]]
"""The kinds of single values by field."""

OWN = frozenset({INDEX.field, ENV.field})


def list_types(finder: Finder) -> FieldTypes:
    """Return the fields of the searched blocks; some may belong to events that do not match."""
    request = finder.prepare(finder.request)
    check_rowwise(finder, request, "a list of fields")
    scope = SearchScope.of_request(request)
    types: defaultdict[str, set[Kind]] = defaultdict(set)
    left = []
    for info in finder.list_blocks(request):
        block = finder.try_open(info)
        if block is None:
            continue
        is_open = all(map(request.allowed.covers, block.index.indexes))
        if not is_open or block.has_overflow:
            # Indexes of blocks with hidden events would reveal those; values without a column are in no index.
            left.append(info)
        elif scope.touches(block):
            add_types(types, block)
    if left:
        table = finder.start(request, Panel(has_values=False)).reduce(left)
        for field, kind in table.frame.select("field", "kind").drop_nulls().iter_rows():
            types[field].add(Kind(kind))
    check_complete(finder)
    return {field: frozenset(kinds) for field, kinds in types.items() if field not in OWN}


def add_types(types: defaultdict[str, set[Kind]], block: Block) -> None:
    for field, names in block.index.names_by_field.items():
        held = {
            parse_column(name).kind.element for name in names if block.index.columns[name].count
        }
        if held:
            types[field].update(held)
