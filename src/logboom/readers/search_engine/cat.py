"""`_cat`: tables about indexes, as text or as JSON."""

import msgspec

from logboom.base.clock import NS_PER_S, format_time
from logboom.base.errors import Invalid
from logboom.readers.search_engine.endpoint import count
from logboom.readers.search_engine.places import list_indexes
from logboom.readers.search_engine.visit import Visit
from logboom.search.answers import IndexSummary
from logboom.web.reply import Reply
from logboom.web.search_engine.errors import PRODUCT

SHOWN = (
    *("health", "status", "index", "uuid", "pri", "rep"),
    *("docs.count", "docs.deleted", "store.size", "pri.store.size", "dataset.size"),
)
ALIASES = {
    "h": "health", "s": "status", "i": "index", "idx": "index", "id": "uuid", "p": "pri", "r": "rep",
    "dc": "docs.count", "docsCount": "docs.count", "dd": "docs.deleted", "ss": "store.size",
    "storeSize": "store.size", "creation.date.string": "creation.date.string", "creation.date": "creation.date",
}  # fmt: skip
ALIAS_COLUMNS = ("alias", "index", "filter", "routing.index", "routing.search", "is_write_index")
NUMBERS = frozenset({"pri", "rep", "docs.count", "docs.deleted"})
SIZES = ("store.size", "pri.store.size", "dataset.size")
UNITS = {"b": 1, "kb": 2**10, "mb": 2**20, "gb": 2**30, "tb": 2**40, "pb": 2**50}


def cat_indexes(visit: Visit) -> Reply:
    """`_cat/indices`: one line for each index."""
    rows = [describe(each) for each in list_indexes(visit.asker, visit.find_place())]
    rows = sort_rows(rows, visit.parameters.get("s", "index"))
    return reply_table(visit, rows, SHOWN, ("creation.date.string",))


def cat_count(visit: Visit) -> Reply:
    """`_cat/count`: one line with the number of events that match."""
    now_ns = visit.asker.now_ns
    row = {
        "epoch": str(now_ns // NS_PER_S),
        "timestamp": format_time(now_ns)[11:19],
        "count": str(count(visit)["count"]),
    }
    return reply_table(visit, [row], tuple(row))


def cat_aliases(visit: Visit) -> Reply:
    """`_cat/aliases`: there are none."""
    return reply_table(visit, [], ALIAS_COLUMNS)


def reply_table(
    visit: Visit, rows: list[dict[str, str]], shown: tuple[str, ...], others: tuple[str, ...] = ()
) -> Reply:
    """Answer with the columns that are asked for, or else with those in `shown`."""
    columns = choose_columns(visit.parameters.get("h", ""), shown, others)
    unit = visit.parameters.get("bytes", "")
    table = [{name: show(row, name, unit) for name in columns} for row in rows]
    if visit.parameters.get("format") == "json" or "json" in visit.request.headers.get(
        "accept", ""
    ):
        return Reply(body=msgspec.json.encode(table), headers=PRODUCT)
    has_header = visit.parameters.get("v", "false") in ("", "true")
    lines = write_lines(columns, table, has_header=has_header)
    return Reply(body=lines.encode(), content_type="text/plain; charset=UTF-8", headers=PRODUCT)


def describe(index: IndexSummary) -> dict[str, str]:
    size = str(index.bytes)
    return {
        "health": "green",
        "status": "open",
        "index": index.index,
        "uuid": index.index,
        "pri": "1",
        "rep": "0",
        "docs.count": str(index.events),
        "docs.deleted": "0",
        "creation.date.string": index.first,
        **dict.fromkeys(SIZES, size),
    }


def choose_columns(written: str, shown: tuple[str, ...], others: tuple[str, ...]) -> list[str]:
    """Return the columns of `h`, which may be patterns or short names."""
    asked = [ALIASES.get(name, name) for name in written.split(",") if name]
    known = (*shown, *others)
    return [name for name in asked if name in known] if asked else list(shown)


def sort_rows(rows: list[dict[str, str]], written: str) -> list[dict[str, str]]:
    """Return the rows sorted by the columns of `s`, from the last to the first: each sort keeps the order of ties."""
    for part in reversed([part for part in written.split(",") if part]):
        name, _, direction = part.partition(":")
        column = ALIASES.get(name, name)
        if rows and column not in rows[0]:
            raise Invalid(f"cannot sort by [{column[:80]}], expected one of {', '.join(SHOWN)}")
        is_number = column in NUMBERS or column in SIZES
        rows = sorted(
            rows,
            key=lambda row: (int(row[column]), "") if is_number else (0, row[column]),
            reverse=direction == "desc",
        )
    return rows


def show(row: dict[str, str], name: str, unit: str) -> str:
    """Return a value of a row as text; a size in the given unit, or in one that suits it."""
    value = row[name]
    if name not in SIZES:
        return value
    size = int(value)
    if unit in UNITS:
        return str(size // UNITS[unit])
    suited = next((each for each in reversed(UNITS) if size >= UNITS[each]), "b")
    return f"{size / UNITS[suited]:.1f}".removesuffix(".0") + suited


def write_lines(columns: list[str], rows: list[dict[str, str]], *, has_header: bool) -> str:
    """Return rows as lines of aligned columns, with numbers and sizes on the right."""
    table = [dict(zip(columns, columns, strict=True)), *rows] if has_header else rows
    widths = {name: max((len(row[name]) for row in table), default=0) for name in columns}
    lines = []
    for row in table:
        cells = [
            row[name].rjust(widths[name])
            if name in NUMBERS or name in SIZES
            else row[name].ljust(widths[name])
            for name in columns
        ]
        lines.append(" ".join(cells).rstrip() + "\n")
    return "".join(lines)
