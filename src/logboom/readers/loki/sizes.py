"""How much there is: events and bytes of a selector, in total, over time, and by labels."""

import polars as pl

from logboom.base.errors import Invalid
from logboom.readers.loki.asking import Asker
from logboom.readers.loki.browse import count_streams, read_optional
from logboom.readers.loki.metrics.answering import read_steps, show_matrix, show_vector
from logboom.readers.loki.metrics.ranges import evaluate_range
from logboom.readers.loki.metrics.tree import Grouping, Range
from logboom.readers.loki.metrics.vectors import SERIES, STEP, VALUE, Steps, Vectors, order
from logboom.readers.loki.replies import show
from logboom.web.reply import Reply

DEFAULT_LIMIT = 100
MAX_LIMIT = 1000
BY_SERIES, BY_LABELS = "series", "labels"


def answer_stats(asker: Asker) -> Reply:
    """Answer with the numbers of streams, blocks and events, and with their share of the stored bytes."""
    from_ns, to_ns = asker.asked.read_range()
    selection = read_optional(asker.asked.find("query"))
    census = count_streams(asker, selection, from_ns, to_ns)
    entries = sum(count for _, count in census.streams)
    question = asker.make_question(selection.query, from_ns, to_ns)
    indexes = asker.search.indexes(asker.principal, question, deadline=asker.deadline).found
    stored, size = sum(each.events for each in indexes), sum(each.bytes for each in indexes)
    return show(
        {
            "streams": len(census.streams),
            "chunks": census.blocks,
            "entries": entries,
            "bytes": round(size * entries / stored) if stored else 0,
        }
    )


def answer_volume(asker: Asker) -> Reply:
    """Answer with the bytes of lines by labels, the largest first."""
    from_ns, to_ns = asker.asked.read_range()
    # The end is not included, so the only step is just before it.
    steps = Steps(to_ns - 1, 1, 1)
    return show_vector(asker, measure_volume(asker, steps, max(to_ns - from_ns, 1)), to_ns)


def answer_volume_range(asker: Asker) -> Reply:
    """Answer with the bytes of lines by labels over time."""
    steps = read_steps(asker)
    return show_matrix(asker, measure_volume(asker, steps, steps.step_ns), steps)


def measure_volume(asker: Asker, steps: Steps, range_ns: int) -> Vectors:
    asked = asker.asked
    limit = asked.read_count("limit", DEFAULT_LIMIT, MAX_LIMIT)
    targets = [name for text in asked.list("targetLabels") for name in text.split(",") if name]
    by = asked.find("aggregateBy") or BY_SERIES
    if by not in (BY_SERIES, BY_LABELS):
        raise Invalid(f"aggregateBy {by[:40]!r}, expected {BY_SERIES} or {BY_LABELS}")
    selection = read_optional(asked.find("query"))
    of_streams = by == BY_LABELS and not targets
    grouping = None if of_streams else Grouping(tuple(targets or selection.selected))
    node = Range("bytes_over_time", selection, None, range_ns, grouping=grouping)
    found = evaluate_range(asker, node, steps)
    return keep_largest(sum_labels(found) if by == BY_LABELS else found, limit)


def sum_labels(vectors: Vectors) -> Vectors:
    """Return one series for each label, whatever its values; an event counts for each label that it has."""
    names = sorted({name for labels in vectors.labels for name in labels})
    places = {name: place for place, name in enumerate(names)}
    pairs = pl.DataFrame(
        [(series, places[name]) for series, labels in enumerate(vectors.labels) for name in labels],
        schema={SERIES: pl.Int64, "label": pl.Int64},
        orient="row",
    )
    summed = vectors.frame.join(pairs, on=SERIES).group_by("label", STEP).agg(pl.col(VALUE).sum())
    return Vectors([{name: ""} for name in names], summed.rename({"label": SERIES}))


def keep_largest(vectors: Vectors, limit: int) -> Vectors:
    """Return the series with the largest totals."""
    totals = order(
        vectors.frame.group_by(SERIES).agg(pl.col(VALUE).sum()), is_descending=True
    ).head(limit)
    kept = vectors.frame.join(totals.select(SERIES), on=SERIES, how="semi")
    return Vectors(vectors.labels, order(kept, is_descending=True), is_sorted=True)
