"""Random pipes: their text, and their effect on rows according to the documentation."""

import math
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from tests.engine.reference.aggregates import write_aggregates
from tests.engine.reference.conditions import FIELDS, equals, write_filter
from tests.engine.reference.expressions import compute, settle, write_expression
from tests.engine.reference.values import Row, every, first, key, number, order, text, unify

Rows = list[Row]


class Pipe(NamedTuple):
    """A pipe as text, and what it does.

    `keeps_order` is False if the documentation leaves the order of the result open, `needs_order` if the result
    depends on the order of the rows, `needs_events` if it differs for tables.
    """

    text: str
    apply: Callable[[Rows], Rows]
    keeps_order: bool = True
    needs_order: bool = False
    needs_events: bool = False


def known(row: Row) -> Row:
    return {name: value for name, value in row.items() if value is not None}


def write_where(random: Random) -> Pipe:
    if random.random() < 0.5:
        test = write_expression(random)
        return Pipe(
            f"where eval({test.text})",
            lambda rows: [row for row in rows if first(test.value(row)) is True],
        )
    found = write_filter(random, 1)
    return Pipe(f"where {found.text}", lambda rows: [row for row in rows if found.passes(row)])


def write_eval(random: Random) -> Pipe:
    name, result = random.choice(("n", "s", "made", "tags")), write_expression(random)
    return Pipe(
        f"eval {name} = {result.text}",
        lambda rows: [known({**row, name: result.value(row)}) for row in rows],
    )


def sort_rows(rows: Rows, keys: list[tuple[str, bool]]) -> Rows:
    """Sort rows; those without a value come last in either direction, and ties keep their order."""
    for name, is_descending in reversed(keys):
        there = [row for row in rows if first(row.get(name)) is not None]
        there.sort(key=lambda row: order(row.get(name)), reverse=is_descending)
        rows = there + [row for row in rows if first(row.get(name)) is None]
    return rows


def write_sort(random: Random) -> Pipe:
    keys = [(name, random.random() < 0.5) for name in random.sample(FIELDS, random.choice((1, 2)))]
    limit = random.choice((None, None, 3))
    written = ", ".join(("-" if is_descending else "") + name for name, is_descending in keys)
    return Pipe(
        f"sort {written}" + (f" limit {limit}" if limit else ""),
        lambda rows: sort_rows(list(rows), keys)[:limit],
        needs_order=True,
    )


def write_limit(random: Random) -> Pipe:
    count = random.choice((1, 3, 10))
    return Pipe(f"limit {count}", lambda rows: rows[:count], needs_order=True)


def write_tail(random: Random) -> Pipe:
    count = random.choice((1, 3, 10))
    return Pipe(f"tail {count}", lambda rows: rows[-count:], needs_order=True)


def write_offset(random: Random) -> Pipe:
    count = random.choice((1, 4))
    return Pipe(f"offset {count}", lambda rows: rows[count:], needs_order=True)


def write_drop(random: Random) -> Pipe:
    names = random.sample((*FIELDS, "message"), 2)
    return Pipe(
        f"drop {', '.join(names)}",
        lambda rows: [{n: v for n, v in row.items() if n not in names} for row in rows],
    )


def write_rename(random: Random) -> Pipe:
    """Return a `rename`, which replaces a field that already has the new name."""
    old, new = random.sample(FIELDS, 2)

    def rename(row: Row) -> Row:
        kept = {name: value for name, value in row.items() if name not in (old, new)}
        return known({**kept, new: row.get(old)})

    return Pipe(f"rename {old} as {new}", lambda rows: list(map(rename, rows)), needs_events=True)


def write_dedup(random: Random) -> Pipe:
    names, keep = random.sample(FIELDS, random.choice((1, 2))), random.choice((1, 2))

    def apply(rows: Rows) -> Rows:
        seen: Counter[Any] = Counter()
        kept = []
        for row in rows:
            if any(first(row.get(name)) is None for name in names):
                continue
            combination = tuple(key(row[name]) for name in names)
            seen[combination] += 1
            kept += [row] if seen[combination] <= keep else []
        return kept

    return Pipe(f"dedup {', '.join(names)} keep {keep}", apply, needs_order=True)


def write_fillnull(random: Random) -> Pipe:
    names, (written, value) = random.sample(FIELDS, 2), random.choice((("0", 0), ('"x"', "x")))
    return Pipe(
        f"fillnull value={written} {', '.join(names)}",
        lambda rows: [{**dict.fromkeys(names, value), **row} for row in rows],
    )


def write_mvexpand(random: Random) -> Pipe:
    name, limit = random.choice(("tags", "sizes", "n")), random.choice((None, 1, 2))

    def expand(row: Row) -> Rows:
        return [{**row, name: value} for value in every(row.get(name))[:limit]] or [row]

    return Pipe(
        f"mvexpand {name}" + (f" limit={limit}" if limit else ""),
        lambda rows: [expanded for row in rows for expanded in expand(row)],
    )


def write_bin(random: Random) -> Pipe:
    """Return a `bin`, which rounds down to a multiple; values that are not numbers stay."""
    name, size = random.choice(("n", "f", "m")), random.choice((2, 10, 100))

    def floor(value: Any) -> Any:
        single = number(value)
        return (
            first(value)
            if single is None
            else settle(
                math.floor(single / size) * size
                if isinstance(single, float)
                else single // size * size
            )
        )

    return Pipe(
        f"bin {name} span={size} as step",
        lambda rows: [known({**row, "step": floor(row.get(name))}) for row in rows],
    )


def write_delta(random: Random) -> Pipe:
    name = random.choice(("n", "f", "m"))

    def apply(rows: Rows) -> Rows:
        before = [None, *(row.get(name) for row in rows)]
        pairs = zip(rows, before, strict=False)
        return [known({**row, "made": subtract(row.get(name), old)}) for row, old in pairs]

    return Pipe(f"delta {name} as made", apply, needs_order=True)


def subtract(new: Any, old: Any) -> Any:
    return compute("-", new, old)


def write_addtotals(random: Random) -> Pipe:
    names = random.sample(FIELDS, 2)

    def total(row: Row) -> Any:
        numbers = [each for name in names if (each := number(row.get(name))) is not None]
        return settle(sum(numbers))

    return Pipe(
        f"addtotals fieldname=made {', '.join(names)}",
        lambda rows: [known({**row, "made": total(row)}) for row in rows],
    )


def group(rows: Rows, read: Callable[[Row], tuple[Any, ...]]) -> dict[tuple[Any, ...], Rows]:
    groups: dict[tuple[Any, ...], Rows] = {}
    for row in rows:
        groups.setdefault(read(row), []).append(row)
    return groups


class Key(NamedTuple):
    """A key after `by` as text, the name of its column, and its value for a row."""

    text: str
    name: str
    read: Callable[[Row], Any]


def write_keys(random: Random) -> list[Key]:
    """Return random keys, none of which has the name of an aggregate."""
    names = [name for name in FIELDS if name != "out0"]
    chosen = random.sample(names, random.choice((0, 1, 1, 2)))
    return [write_key(random, name) for name in chosen]


def write_key(random: Random, name: str) -> Key:
    if name in ("n", "f", "m") and random.random() < 0.4:
        size = random.choice((2, 100))

        def floor(row: Row) -> Any:
            single = number(row.get(name))
            return None if single is None else unify(settle(single // size * size))

        return Key(f"{name}:{size}", name, floor)
    return Key(name, name, lambda row: unify(first(row.get(name))))


def write_stats(random: Random) -> Pipe:
    keys, aggregates = write_keys(random), write_aggregates(random)

    def apply(rows: Rows) -> Rows:
        groups = group(rows, lambda row: tuple(key(each.read(row)) for each in keys))
        if not keys:
            groups = {(): rows}
        return [
            known(
                {each.name: value for each, (_, value) in zip(keys, values, strict=True)}
                | {each.name: each.compute(members) for each in aggregates}
            )
            for values, members in groups.items()
        ]

    by = f" by {', '.join(each.text for each in keys)}" if keys else ""
    written = ", ".join(each.text for each in aggregates)
    needs_order = any(each.needs_order for each in aggregates)
    return Pipe(f"stats {written}{by}", apply, keeps_order=False, needs_order=needs_order)


def write_eventstats(random: Random) -> Pipe:
    keys, aggregates = write_keys(random), write_aggregates(random)

    def apply(rows: Rows) -> Rows:
        def read(row: Row) -> tuple[Any, ...]:
            return tuple(key(each.read(row)) for each in keys)

        added = {
            values: {each.name: each.compute(members) for each in aggregates}
            for values, members in group(rows, read).items()
        }
        return [known({**row, **added[read(row)]}) for row in rows]

    by = f" by {', '.join(each.text for each in keys)}" if keys else ""
    written = ", ".join(each.text for each in aggregates)
    needs_order = any(each.needs_order for each in aggregates)
    return Pipe(f"eventstats {written}{by}", apply, needs_order=needs_order)


def write_streamstats(random: Random) -> Pipe:
    keys, aggregates = write_keys(random), write_aggregates(random)
    window = random.choice((None, None, 1, 3))

    def apply(rows: Rows) -> Rows:
        before: dict[tuple[Any, ...], Rows] = {}
        added = []
        for row in rows:
            members = before.setdefault(tuple(key(each.read(row)) for each in keys), [])
            members.append(row)
            seen = members[-window:] if window else members
            added.append(known({**row, **{each.name: each.compute(seen) for each in aggregates}}))
        return added

    by = f" by {', '.join(each.text for each in keys)}" if keys else ""
    written = ", ".join(each.text for each in aggregates)
    options = f"window={window} " if window else ""
    return Pipe(f"streamstats {options}{written}{by}", apply, needs_order=True)


def write_uniq(random: Random) -> Pipe:
    """Return a `uniq` of some fields, which drops rows without any of them."""
    names = random.sample(FIELDS, random.choice((1, 2)))

    def apply(rows: Rows) -> Rows:
        there = [row for row in rows if any(first(row.get(name)) is not None for name in names)]
        groups = group(there, lambda row: tuple(key(unify(first(row.get(n)))) for n in names))
        return [
            known({n: v for n, (_, v) in zip(names, values, strict=True)} | {"count": len(members)})
            for values, members in groups.items()
        ]

    return Pipe(f"uniq {', '.join(names)}", apply, keeps_order=False)


def write_top(random: Random) -> Pipe:
    """Return a `top` of some fields; rows without one of them do not count."""
    names = random.sample(FIELDS, random.choice((1, 2)))
    name = random.choice(("top", "rare"))

    def apply(rows: Rows) -> Rows:
        there = [row for row in rows if all(first(row.get(n)) is not None for n in names)]
        groups = group(there, lambda row: tuple(key(unify(first(row[n]))) for n in names))
        return [
            {n: v for n, (_, v) in zip(names, values, strict=True)} | {"count": len(members)}
            for values, members in groups.items()
        ]

    return Pipe(f"{name} limit=0 {', '.join(names)} | drop percent", apply, keeps_order=False)


def write_replace(_random: Random) -> Pipe:
    def swap(row: Row) -> Row:
        value = row.get("s")
        return {**row, "s": value.replace("a", "zz")} if isinstance(value, str) else row

    return Pipe('replace "a" with "zz" in s', lambda rows: list(map(swap, rows)))


WRITERS: tuple[Callable[[Random], Pipe], ...] = (
    write_where, write_where, write_eval, write_eval, write_sort, write_limit, write_tail, write_offset,
    write_drop, write_rename, write_dedup, write_fillnull, write_mvexpand, write_bin, write_delta,
    write_addtotals, write_stats, write_stats, write_eventstats, write_streamstats, write_uniq, write_top,
    write_replace,
)  # fmt: skip


def write_join(random: Random, everything: Rows) -> Pipe:
    """Return a `join`, which keeps the fields that a row already has; types and the case of texts count."""
    name, is_left = random.choice(("n", "s", "m", "flag")), random.random() < 0.5
    found = write_filter(random, 1)
    others: dict[Any, Row] = {}
    for other in filter(found.passes, everything):
        if other.get(name) is not None:
            others.setdefault(key(unify(first(other[name]))), other)

    def apply(rows: Rows) -> Rows:
        joined = []
        for row in rows:
            value = first(row.get(name))
            match = None if value is None else others.get(key(unify(value)))
            joined += [{**(match or {}), **row}] if match or is_left else []
        return joined

    return Pipe(f"join {'type=left ' * is_left}{name} ({found.text})", apply)


def write_union(random: Random, everything: Rows) -> Pipe:
    found = write_filter(random, 1)
    others = list(filter(found.passes, everything))
    return Pipe(
        f"eval made = 1 | union ({found.text} | stats count by n)",
        lambda rows: [*({**row, "made": 1} for row in rows), *count_by(others, "n")],
        keeps_order=False,
    )


def count_by(rows: Rows, name: str) -> Rows:
    groups = group(rows, lambda row: key(unify(first(row.get(name)))))
    return [known({name: value, "count": len(found)}) for (_, value), found in groups.items()]


def write_member(random: Random, everything: Rows) -> Pipe:
    """Return a `where` that tests whether a field equals a value that another query finds."""
    name, found = random.choice(("n", "s", "m", "tags")), write_filter(random, 1)
    wanted = {
        text(unify(value))
        for row in filter(found.passes, everything)
        for value in every(row.get(name))
    }
    return Pipe(
        f"where {name}:in({found.text} | fields {name})",
        lambda rows: [
            row
            for row in rows
            if any(equals(v, each) for v in every(row.get(name)) for each in wanted)
        ],
        needs_events=True,
    )


ASKING: tuple[Callable[[Random, Rows], Pipe], ...] = (write_join, write_union, write_member)
"""Pipes with a query of their own, about all rows in the range of time."""


def write_pipes(random: Random, count: int, everything: Rows) -> tuple[list[Pipe], bool]:
    """Return pipes whose result the documentation determines, and whether that includes the order of rows."""
    pipes: list[Pipe] = []
    is_ordered = True
    while len(pipes) < count:
        asks = random.random() < 0.1
        pipe = random.choice(ASKING)(random, everything) if asks else random.choice(WRITERS)(random)
        if is_ordered or not (pipe.needs_order or pipe.needs_events):
            pipes.append(pipe)
            is_ordered = is_ordered and pipe.keeps_order
    return pipes, is_ordered
