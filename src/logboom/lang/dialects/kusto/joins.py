"""The join of Kusto: all partners of a row, or whether it has one."""

from logboom.base.patterns import compile_later
from logboom.lang.ast import (
    Dedup,
    Eval,
    Exists,
    Field,
    Fields,
    InQuery,
    Join,
    Literal,
    Not,
    Query,
    Rename,
    Stats,
    Union,
    Uniq,
)
from logboom.lang.dialects.kusto.combine import read_query
from logboom.lang.dialects.kusto.reader import Reader
from logboom.lang.dialects.scanner import show

OPTION = compile_later(r"(?P<name>kind|hint\.\w+)\s*=\s*(?P<value>[\w.]+)\s*")
JOINS = frozenset({"inner", "innerunique", "leftouter"})
SEMI_JOINS = {
    "leftsemi": (False, False),
    "leftanti": (False, True),
    "leftantisemi": (False, True),
    "anti": (False, True),
    "rightsemi": (True, False),
    "rightanti": (True, True),
    "rightantisemi": (True, True),
}
"""Kinds that only test whether there is a partner: whether they keep the right side, and rows without one."""
TWO_SIDES = compile_later(r"\$left\.(?P<left>\w+)\s*==\s*\$right\.(?P<right>\w+)\s*")
TEXT_OR_NAME = compile_later(
    r"//[^\n]*|\"[^\"\n]*\"|'[^'\n]*'|(?P<name>[A-Za-z_]\w*)(?P<assigned>\s*=(?![=~]))?"
)
SECOND = compile_later(r"\w*[A-Za-z_]1")
PARTNER = "_has_partner"


def read_join(reader: Reader) -> None:
    start = reader.scanner.peek().start
    kind = "innerunique"
    while option := reader.scanner.take_match(OPTION):
        kind = option["value"] if option["name"] == "kind" else kind
    query = read_query(reader)
    reader.scanner.expect_word("on")
    lefts, rights = read_on(reader)
    if kind in SEMI_JOINS:
        semi_join(reader, query, (lefts, rights), *SEMI_JOINS[kind])
    elif kind in JOINS:
        check_second_columns(reader, start)
        join_all(reader, kind, query, (lefts, rights))
    else:
        message = (
            f"join kind={kind} is not supported, expected inner, leftouter, leftsemi or leftanti"
        )
        raise reader.refuse(message, start)


def read_lookup(reader: Reader) -> None:
    """Read `lookup`: a join that keeps every row unless `kind=inner`."""
    start = reader.scanner.peek().start
    kind = "leftouter"
    while option := reader.scanner.take_match(OPTION):
        kind = option["value"] if option["name"] == "kind" else kind
    if kind not in ("leftouter", "inner"):
        raise reader.refuse(f"lookup kind={kind} does not exist", start)
    query = read_query(reader)
    reader.scanner.expect_word("on")
    keys = read_on(reader)
    check_second_columns(reader, start)
    join_all(reader, kind, query, keys)


def join_all(
    reader: Reader, kind: str, query: Query, keys: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    """Join all partners, each as a row; the default kind keeps only one left row of a key."""
    lefts, rights = keys
    if kind == "innerunique" and not is_unique(reader.pipeline.finish(), lefts):
        reader.pipeline.add(Dedup(lefts))
    most = 1 if is_unique(query, rights) else 0
    copies = tuple(
        (left, Field(right)) for left, right in zip(lefts, rights, strict=True) if left != right
    )
    if copies:
        query = Query(query.filter, (*query.pipes, Eval(copies)))
    reader.pipeline.add(Join(lefts, query, "left" if kind == "leftouter" else "inner", most))


def check_second_columns(reader: Reader, start: int) -> None:
    """Refuse a later use of `a1`: what Kusto calls a column of the right side whose name the left side has too."""
    text, end = reader.scanner.text, reader.scanner.position
    known = {found["name"] for found in TEXT_OR_NAME.finditer(text, 0, end)}
    known |= {found["name"] for found in TEXT_OR_NAME.finditer(text, end) if found["assigned"]}
    for found in TEXT_OR_NAME.finditer(text, end):
        name = found["name"]
        if name and SECOND.fullmatch(name) and name not in known:
            message = f"{show(name)} of the right side of the join is not kept, give it another name before the join"
            raise reader.refuse(message, start)


def semi_join(
    reader: Reader,
    query: Query,
    keys: tuple[tuple[str, ...], tuple[str, ...]],
    keeps_right: bool,
    is_anti: bool,
) -> None:
    """Keep the rows of one side that have a partner on the other, or those that have none."""
    kept, other = keys
    if keeps_right:
        kept, other = other, kept
        left = reader.pipeline.finish()
        reader.pipeline.begin(query)
        query = left
    partners = Query(query.filter, (*query.pipes, Fields(other)))
    if len(kept) == 1:
        found = InQuery(kept[0], partners)
        reader.pipeline.narrow([Not(found) if is_anti else found])
        return
    if kept != other:
        partners = Query(
            partners.filter, (*partners.pipes, Rename(tuple(zip(other, kept, strict=True))))
        )
    if not is_anti:
        reader.pipeline.add(Join(kept, partners))
        return
    marked = Query(partners.filter, (*partners.pipes, Eval(((PARTNER, Literal(True)),))))
    reader.pipeline.add(Join(kept, marked, "left"))
    reader.pipeline.narrow([Not(Exists(PARTNER))])


def read_on(reader: Reader) -> tuple[tuple[str, ...], tuple[str, ...]]:
    lefts: list[str] = []
    rights: list[str] = []
    while True:
        if found := reader.scanner.take_match(TWO_SIDES):
            lefts.append(reader.lowering.resolve(found["left"]))
            rights.append(reader.lowering.resolve(found["right"]))
        else:
            column = reader.read_column()
            lefts.append(column)
            rights.append(column)
        if not (reader.scanner.take_sign(",") or reader.scanner.take_word("and")):
            return tuple(lefts), tuple(rights)


def is_unique(query: Query, keys: tuple[str, ...]) -> bool:
    """Return whether the query has at most one row for each combination of the keys."""
    for pipe in reversed(query.pipes):
        match pipe:
            case Stats(keys=groups):
                return {group.field for group in groups} <= set(keys)
            case Uniq(fields=fields) | Dedup(fields=fields, keep=1):
                return set(fields) <= set(keys)
            case Union() | Rename() | Join(most=0):
                return False
            case _:
                pass
    return False
