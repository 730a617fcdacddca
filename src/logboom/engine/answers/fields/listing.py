"""The fields of events, page by page: names from the indexes of blocks, then exact counts for one page.

Pages are sorted by how many events of the searched blocks have a field. That is known at once, and an upper bound for
the matching events.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from logboom.base.errors import Corrupt
from logboom.base.structs import InternalStruct
from logboom.engine.answers.fields.panel import FieldSummary, Panel, read_panel
from logboom.engine.answers.rowwise import check_complete, check_rowwise
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.census import ENTRIES
from logboom.engine.blocks.overflow import OVERFLOW
from logboom.engine.blocks.scope import SearchScope
from logboom.engine.execution.find import Finder
from logboom.engine.filters.skip import may_match
from logboom.engine.rows.table import INDEX, Table
from logboom.engine.terms.request import Request
from logboom.model.names import expose_name, fold_name
from logboom.store.block.info import BlockInfo

COUNTED = 1000
"""Fields that are counted for one answer by default."""
MAX_FIELDS = 100_000


class WantedFields(InternalStruct, frozen=True):
    """Which fields: those whose names contain `contains`, and of these the ones in `names` unless it is empty."""

    contains: str = ""
    names: frozenset[str] = frozenset()
    offset: int = 0
    limit: int = COUNTED

    def chooses(self, name: str) -> bool:
        return fold_name(self.contains) in name and (not self.names or name in self.names)


class NamePage(NamedTuple):
    """The names of one page, and where the next one starts; None if this is the last."""

    names: list[str]
    next_offset: int | None


class FieldPage(NamedTuple):
    """The fields of one page, the most frequent first, and where the next one starts."""

    fields: list[FieldSummary]
    next_offset: int | None


def list_names(finder: Finder, wanted: WantedFields) -> NamePage:
    """Return fields of the searched blocks; some may belong to events that do not match."""
    request = prepare(finder)
    ranked = rank_names(finder, request, finder.list_blocks(request), wanted.names or None)
    check_complete(finder)
    return cut_names(ranked, wanted)


def list_fields(finder: Finder, wanted: WantedFields) -> FieldPage:
    """Return fields of the matching events, with exact counts."""
    request = prepare(finder)
    blocks = finder.list_blocks(request)
    ranked = rank_names(finder, request, blocks, wanted.names or None)
    names, next_offset = cut_names(ranked, wanted)
    are_all = len(names) == len(ranked) and not wanted.names
    only = None if are_all else frozenset(names)
    run = finder.start(request, Panel(only))
    if only is not None:
        # There are too many such pages to cache their results.
        run.plan = replace(run.plan, text="")
    table = run.reduce(blocks)
    check_complete(finder)
    return FieldPage(read_panel(table), next_offset)


def prepare(finder: Finder) -> Request:
    request = finder.prepare(finder.request)
    check_rowwise(finder, request, "a list of fields")
    return request


def cut_names(ranked: Iterable[str], wanted: WantedFields) -> NamePage:
    chosen = [name for name in ranked if wanted.chooses(name)]
    end = wanted.offset + wanted.limit
    return NamePage(chosen[wanted.offset : end], end if end < len(chosen) else None)


def rank_names(
    finder: Finder,
    request: Request,
    blocks: Iterable[BlockInfo],
    only: frozenset[str] | None = None,
) -> list[str]:
    """Return the fields of the searched blocks, the most frequent first; others than those in `only` may be missing."""
    counts: Counter[str] = Counter()
    left: list[BlockInfo] = []
    scope = SearchScope.of_request(request)
    for info in blocks:
        block = finder.try_open(info)
        if block is None:
            continue
        is_open = all(map(request.allowed.covers, block.index.indexes))
        if request.query.pipes or not is_open:
            left.append(info)
        elif scope.touches(block) and may_match(request.query.filter, block):
            try:
                counts.update(count_roughly(block, scope.list_columns(block)))
            except Corrupt as error:
                finder.note_loss(info.path, error)
    for name, count in count_exactly(finder, request, left, only):
        counts[name] += count
    return sorted(+counts, key=lambda name: (-counts[name], name))


def count_roughly(block: Block, columns: frozenset[str]) -> Counter[str]:
    """Return how many events of a block have each field of some columns, by its index.

    The counts include events of other indexes, and are too high if a field has two names.
    """
    counts = Counter({INDEX.field: block.index.rows})
    for name, stored in block.index.names_by_field.items():
        counts[name] += sum(block.index.columns[each].count for each in stored if each in columns)
    if block.index.overflow_rows:
        for text in block.read([OVERFLOW])[OVERFLOW].drop_nulls():
            counts.update(map(expose_name, ENTRIES.decode(text)))
    return counts


def count_exactly(
    finder: Finder, request: Request, blocks: list[BlockInfo], only: frozenset[str] | None
) -> Iterable[tuple[str, int]]:
    """Return how many matching events have each field, for blocks whose indexes are not enough or reveal too much.

    Pipes make fields that no index knows. Indexes of blocks with hidden events would reveal those.
    """
    if not blocks:
        return []
    table: Table = finder.start(request, Panel(only, has_values=False)).reduce(blocks)
    return table.frame.select("field", "count").iter_rows()
