"""Evaluates functions of ranges: one question to the search for each, answered for all steps at once."""

from collections import Counter

import polars as pl

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Invalid
from logboom.lang import ast
from logboom.model.event_text import STAND_INS
from logboom.model.names import fold_name
from logboom.model.timestamps import MAX_TIME_NS, MIN_TIME_NS
from logboom.readers.loki.asking import Asker
from logboom.readers.loki.browse import find_fields
from logboom.readers.loki.labels import ENV, INDEX, PLACES, name_label, sort_fields
from logboom.readers.loki.metrics.counters import (
    MAX_SAMPLES,
    TIME,
    gather_samples,
    measure_growth,
)
from logboom.readers.loki.metrics.tree import ABSENT, COUNTER, RANGE_FUNCTIONS, Range
from logboom.readers.loki.metrics.vectors import (
    SERIES,
    STEP,
    VALUE,
    Steps,
    Vectors,
    make_constant,
)
from logboom.readers.translated import translated
from logboom.search.answers import Sliding

FIGURE = "the figure"
MEASURED = "the measured value"
KEY = "the label "
"""Columns that the question adds; no field has such a name."""
BYTES = ast.Call(
    "len_bytes", (ast.Call("coalesce", tuple(map(ast.Field, (ast.MESSAGE, *STAND_INS)))),)
)
REDUCERS = {"sum": pl.sum, "min": pl.min, "max": pl.max}
MAX_SPREAD = 20_000_000
"""The most slots of time in all windows together, for what cannot be added up."""
MAX_POINTS = 2_000_000
"""The most values of all series together, at any stage."""
MAX_GROUPS = 200_000
"""The most series that others are made from."""


def evaluate_range(asker: Asker, node: Range, steps: Steps) -> Vectors:
    """Return the values of a function at each step, over the range before it; without events there is none."""
    keys = choose_keys(asker, node, steps)
    sliding = slide(node, steps)
    if node.function == COUNTER:
        return evaluate_counter(asker, node, sliding, keys)
    function = RANGE_FUNCTIONS[node.function]
    is_count = (function.lines if node.value is None else function.values) == "count"
    if sliding.overlap > 1 and (is_count or function.counts_bytes):
        found = add_slots(find_groups(asker, node, cut_slots(sliding), keys), sliding)
    else:
        check_spread(sliding)
        found = find_groups(asker, node, sliding, keys)
    if function.is_rate:
        found = found.with_values(pl.col(VALUE) / (node.range_ns / NS_PER_S))
    return find_absent(found, node, steps) if node.function == ABSENT else found


def slide(node: Range, steps: Steps) -> Sliding:
    """Return the windows of the steps: a range begins just after its start, and includes its end."""
    first_ns = steps.first_ns - node.offset_ns - node.range_ns + 1
    sliding = Sliding(first_ns, node.range_ns, steps.step_ns, steps.count)
    if first_ns < MIN_TIME_NS or sliding.end_ns > MAX_TIME_NS:
        raise Invalid("the ranges are not all in the years 1678 to 2261")
    return sliding


def cut_slots(sliding: Sliding) -> Sliding:
    """Return adjacent windows, of which the others consist."""
    size_ns = sliding.slot_ns
    count = (sliding.end_ns - sliding.first_ns) // size_ns
    return Sliding(sliding.first_ns, size_ns, size_ns, count)


def choose_keys(asker: Asker, node: Range, steps: Steps) -> dict[str, ast.Expression]:
    """Return the labels of the series and how each is computed."""
    if node.function == ABSENT:
        return {}
    grouping = node.grouping
    if grouping is not None and not grouping.is_without:
        return {label: find_label(label) for label in grouping.labels}
    selection = node.selection
    sorting = sort_fields(selection.selected, selection.made)
    sliding = slide(node, steps)
    present = find_fields(asker, selection, sorting, sliding.first_ns, sliding.end_ns)
    fields: dict[str, list[str]] = {}
    for field in sorting.fields:
        if field in present:
            fields.setdefault(sorting.labels[field], []).append(field)
    keys: dict[str, ast.Expression] = {INDEX: find_label(INDEX)}
    keys |= {label: first_of(names) for label, names in fields.items()}
    keys |= {name_label(name): ast.Field(name) for name in selection.made}
    if sorting.shows_env:
        keys[ENV] = find_label(ENV)
    hidden = {*(grouping.labels if grouping else ()), *name_unwrapped(node)}
    return {label: value for label, value in keys.items() if label not in hidden}


def find_label(label: str) -> ast.Expression:
    """Return the value of a label that is named; its other fields were taken care of when the query was read."""
    if label == INDEX:
        return ast.Field(PLACES[INDEX])
    return first_of([label, PLACES[ENV]] if label == ENV else [label])


def first_of(names: list[str]) -> ast.Expression:
    fields = tuple(map(ast.Field, names))
    return ast.Call("coalesce", fields) if len(fields) > 1 else fields[0]


def name_unwrapped(node: Range) -> list[str]:
    """Return the label whose value is measured, which is no label of the series."""
    value = node.value
    if isinstance(value, ast.Call):
        value = value.arguments[0]
    return [name_label(value.name)] if isinstance(value, ast.Field) else []


def name_columns(node: Range, keys: dict[str, ast.Expression]) -> dict[str, str]:
    """Return the columns of labels: unchanged fields, which are faster, if values of several types can be merged."""
    names = Counter(
        fold_name(value.name) for value in keys.values() if isinstance(value, ast.Field)
    )
    merges = RANGE_FUNCTIONS[node.function].merges is not None
    return {
        label: value.name
        if merges and isinstance(value, ast.Field) and names[fold_name(value.name)] == 1
        else KEY + label
        for label, value in keys.items()
    }


def make_query(
    node: Range, keys: dict[str, ast.Expression], beside: tuple[ast.Key, ...] = ()
) -> ast.Query:
    """Return the log query with `stats` after it, by the labels and what is `beside` them."""
    function = RANGE_FUNCTIONS[node.function]
    measured = BYTES if function.counts_bytes else node.value
    name = function.lines if node.value is None else function.values
    assert name is not None, "the function takes what it was given when it was read"
    columns = name_columns(node, keys)
    computed = [
        (columns[label], ast.Call("coalesce", (ast.Call("tostring", (value,)), ast.Literal(""))))
        for label, value in keys.items()
        if columns[label] == KEY + label
    ]
    pipes: list[ast.Pipe] = [*node.selection.query.pipes]
    argument: ast.Expression | None = None
    if measured is not None:
        argument = ast.Field(MEASURED)
        computed.append((MEASURED, ast.Call("tonumber", (measured,))))
    if computed:
        pipes.append(ast.Eval(tuple(computed)))
    if argument is not None:
        pipes.append(ast.Where(ast.Exists(MEASURED)))
    figure = ast.Aggregate(name, argument, node.percent, name=FIGURE)
    labels = tuple(map(ast.Key, columns.values()))
    pipes.append(ast.Stats((figure,), (*labels, *beside)))
    return ast.Query(node.selection.query.filter, tuple(pipes))


def find_groups(
    asker: Asker, node: Range, sliding: Sliding, keys: dict[str, ast.Expression]
) -> Vectors:
    """Return the figure of each group in each window."""
    question = asker.make_question(make_query(node, keys), sliding.first_ns, sliding.end_ns)
    fields = list(name_columns(node, keys).values())
    with translated():
        listed = asker.search.list_groups(
            asker.principal, question, sliding, fields, FIGURE, asker.deadline
        )
    asker.warn(listed.warnings)
    frame = listed.found.drop_nulls("figure")
    columns = [str(place) for place in range(len(fields))]
    merges = RANGE_FUNCTIONS[node.function].merges
    if merges is not None and columns:
        # Values of different types may have the same text.
        frame = frame.group_by("window", *columns).agg(REDUCERS[merges]("figure"))
    if frame.height > MAX_POINTS:
        raise refuse_points()
    if not columns:
        plain = frame.select(
            pl.lit(0, pl.Int64).alias(SERIES),
            pl.col("window").alias(STEP),
            pl.col("figure").alias(VALUE),
        )
        return Vectors([{}], plain)
    # In the order of labels, so that ranks choose the same of equal values each time.
    groups = frame.select(columns).unique().sort(columns).with_row_index(SERIES)
    if groups.height > MAX_GROUPS:
        raise Invalid(f"{groups.height} series, expected at most {MAX_GROUPS}: use fewer labels")
    labels = [
        {label: value for label, value in zip(keys, row, strict=True) if value}
        for row in groups.select(columns).iter_rows()
    ]
    numbered = frame.join(groups, on=columns).select(
        pl.col(SERIES).cast(pl.Int64), pl.col("window").alias(STEP), pl.col("figure").alias(VALUE)
    )
    return Vectors(labels, numbered)


def evaluate_counter(
    asker: Asker, node: Range, sliding: Sliding, keys: dict[str, ast.Expression]
) -> Vectors:
    """Return the growth of a counter: of its values at each time, because their order matters."""
    query = make_query(node, keys, (ast.Key(TIME),))
    limited = ast.Query(query.filter, (*query.pipes, ast.Limit(MAX_SAMPLES + 1)))
    rows = asker.run(asker.make_question(limited, sliding.first_ns, sliding.end_ns)).rows
    samples, labels = gather_samples(rows, name_columns(node, keys), FIGURE)
    return Vectors(labels, measure_growth(samples, sliding))


def check_spread(sliding: Sliding) -> None:
    spread = sliding.count * (sliding.length_ns // sliding.slot_ns)
    if sliding.overlap > 1 and spread > MAX_SPREAD:
        raise Invalid(
            "the range is too long for so many steps, expected a longer step or a shorter range"
        )


def add_slots(slots: Vectors, sliding: Sliding) -> Vectors:
    """Return the sums of counts in windows: slot by slot if they are few, else as differences of running totals."""
    if slots.frame.height * sliding.overlap <= MAX_POINTS:
        return spread_slots(slots, sliding)
    if len(slots.labels) * sliding.count <= MAX_POINTS:
        return subtract_totals(slots, sliding)
    raise refuse_points()


def refuse_points() -> Invalid:
    return Invalid(
        f"too many series for so many steps, more than {MAX_POINTS} points: expected fewer labels, a longer step or a "
        "shorter range"
    )


def spread_slots(slots: Vectors, sliding: Sliding) -> Vectors:
    windows = sliding.list_windows(pl.col(STEP), 0, sliding.count)
    spread = slots.frame.with_columns(windows.alias(STEP)).filter(pl.col(STEP).list.len() > 0)
    summed = spread.explode(STEP).group_by(SERIES, STEP).agg(pl.col(VALUE).sum())
    return slots.with_frame(summed)


def subtract_totals(slots: Vectors, sliding: Sliding) -> Vectors:
    size_ns = sliding.slot_ns
    totals = slots.frame.sort(STEP).select(
        SERIES, pl.col(STEP).alias("slot"), pl.col(VALUE).cum_sum().over(SERIES).alias("total")
    )
    series = pl.DataFrame({SERIES: pl.int_range(len(slots.labels), dtype=pl.Int64, eager=True)})
    step = pl.DataFrame({STEP: pl.int_range(sliding.count, dtype=pl.Int64, eager=True)})
    first = pl.col(STEP) * (sliding.step_ns // size_ns)
    bounds = {"first": first, "end": first + sliding.length_ns // size_ns}
    grid = step.join(series, how="cross").with_columns(
        expression.alias(name) for name, expression in bounds.items()
    )
    for name in bounds:
        before = totals.rename({"slot": f"slot before {name}", "total": f"total before {name}"})
        # Both sides are in the order of time, but Polars cannot tell within each series.
        grid = grid.join_asof(
            before,
            left_on=name,
            right_on=f"slot before {name}",
            by=SERIES,
            allow_exact_matches=False,
            check_sortedness=False,
        )
    ends, firsts = (pl.col(f"total before {name}").fill_null(0) for name in ("end", "first"))
    counted = grid.select(SERIES, STEP, (ends - firsts).cast(pl.Float64).alias(VALUE))
    return slots.with_frame(counted.filter(pl.col(VALUE) > 0))


def find_absent(found: Vectors, node: Range, steps: Steps) -> Vectors:
    """Return 1 at every step without events, with the labels that the selector requires."""
    there = found.frame.select(STEP).unique()
    absent = make_constant(1, steps).frame.join(there, on=STEP, how="anti")
    terms = node.selection.query.filter
    tests = terms.terms if isinstance(terms, ast.And) else (terms,)
    labels: dict[str, str] = {}
    for test in tests:
        match test:
            case ast.Exact(field, text) if field in node.selection.selected:
                labels[name_label(field)] = text
            case ast.ScopeFilter(kind, pattern) if pattern.text is not None:
                labels[kind] = pattern.text
            case _:
                pass
    return Vectors([labels], absent)
