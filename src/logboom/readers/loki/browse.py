"""What there is to select: labels, their values, and series."""

from typing import NamedTuple

from logboom.base.texts import write_value
from logboom.lang import ast
from logboom.lang.dialects.logql.pipeline import list_sources
from logboom.model.names import fold_name
from logboom.readers.loki.asking import Asker
from logboom.readers.loki.labels import (
    ENV,
    INDEX,
    PLACES,
    Sorting,
    sort_fields,
)
from logboom.readers.loki.replies import succeed
from logboom.readers.loki.selecting import Selection, read_selection
from logboom.readers.translated import translated
from logboom.search.answers import WantedFields
from logboom.web.reply import Reply

EVERYTHING = Selection(ast.Query(ast.Everything()), (), ())
DEFAULT_RANGE = "6h"
MAX_VALUES = 10_000
MAX_SERIES = 10_000
COUNT = "number of events"
"""The column of counts; no label has such a name."""

Labels = dict[str, str]


def answer_labels(asker: Asker) -> Reply:
    """Answer with the usual labels that events have."""
    from_ns, to_ns = asker.asked.read_range(DEFAULT_RANGE)
    selection = read_optional(asker.asked.find("query"))
    sorting = sort_fields(selection.selected)
    found = find_fields(asker, selection, sorting, from_ns, to_ns)
    names = {sorting.labels[field] for field in found}
    return succeed(
        sorted({*names, INDEX}) if names or has_events(asker, selection, from_ns, to_ns) else []
    )


def answer_values(asker: Asker) -> Reply:
    """Answer with the values of a label, which may be any field."""
    from_ns, to_ns = asker.asked.read_range(DEFAULT_RANGE)
    selection = read_optional(asker.asked.find("query"))
    label = asker.asked.path_values["name"]
    return succeed(sorted(list_values(asker, selection, label, from_ns, to_ns)))


def answer_series(asker: Asker) -> Reply:
    """Answer with the labels of every stream that some selector matches."""
    asked = asker.asked
    from_ns, to_ns = asked.read_range(DEFAULT_RANGE)
    series: dict[tuple[tuple[str, str], ...], Labels] = {}
    for text in asked.list("match[]", "match", "query") or [""]:
        for labels, _ in count_streams(asker, read_optional(text), from_ns, to_ns).streams:
            series.setdefault(tuple(sorted(labels.items())), labels)
    return succeed(list(series.values())[:MAX_SERIES], asker.warnings)


def read_optional(text: str) -> Selection:
    return read_selection(text) if text else EVERYTHING


def has_events(asker: Asker, selection: Selection, from_ns: int, to_ns: int) -> bool:
    question = asker.make_question(selection.query, from_ns, to_ns, limit=1)
    return bool(asker.run(question).rows)


def find_fields(
    asker: Asker, selection: Selection, sorting: Sorting, from_ns: int, to_ns: int
) -> list[str]:
    """Return the folded fields of labels that some event may have, the most frequent first."""
    # Without stages indexes tell; what stages make is known from the query.
    events = ast.Query(selection.query.filter)
    question = asker.make_question(events, from_ns, to_ns)
    wanted = WantedFields(names=frozenset(sorting.fields))
    with translated():
        page = asker.search.field_names(asker.principal, question, wanted, asker.deadline).found
    return page.names


def list_values(
    asker: Asker, selection: Selection, label: str, from_ns: int, to_ns: int
) -> set[str]:
    """Return the most frequent values of all fields that a label may stand for."""
    question = asker.make_question(selection.query, from_ns, to_ns, limit=MAX_VALUES)
    wanted = WantedFields(names=frozenset(map(fold_name, list_sources(label))))
    with translated():
        page = asker.search.field_names(asker.principal, question, wanted, asker.deadline).found
    fields = [*page.names, *([PLACES[label]] if label in PLACES else [])]
    values: set[str] = set()
    for field in fields if label != INDEX else [PLACES[INDEX]]:
        found = asker.search.values(asker.principal, question, field, deadline=asker.deadline)
        values.update(write_value(each.value) for each in found.found)
    return values


class Census(NamedTuple):
    """The streams with the number of events of each, the largest first; and how many blocks have events."""

    streams: list[tuple[Labels, int]]
    blocks: int


def count_streams(asker: Asker, selection: Selection, from_ns: int, to_ns: int) -> Census:
    sorting = sort_fields(selection.selected, selection.made)
    fields = [PLACES[INDEX], *find_fields(asker, selection, sorting, from_ns, to_ns)]
    if sorting.shows_env:
        fields.append(PLACES[ENV])
    grouped = ast.Stats(
        (ast.Aggregate("count", name=COUNT),), tuple(ast.Key(field) for field in fields)
    )
    pipes = (*selection.query.pipes, grouped, ast.Limit(MAX_SERIES))
    question = asker.make_question(ast.Query(selection.query.filter, pipes), from_ns, to_ns)
    found = asker.run(question)
    streams = [(sorting.divide(row)[0], int(str(row[COUNT]))) for row in found.rows]
    return Census(streams, found.stats.blocks)
