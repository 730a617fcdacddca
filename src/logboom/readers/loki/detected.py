"""What can be detected in lines: fields, labels, and patterns."""

from collections import Counter, defaultdict
from functools import cache

from logboom.base.clock import NS_PER_S
from logboom.base.patterns import compile_later
from logboom.lang import ast
from logboom.lang.dialects.logql.pipeline import list_sources
from logboom.model.event_text import STAND_INS
from logboom.model.names import CORE_FIELDS, MESSAGE_FIELD, fold_name
from logboom.model.timestamps import parse_time
from logboom.readers.loki.asking import Asker
from logboom.readers.loki.browse import read_optional
from logboom.readers.loki.labels import INDEX, PLACES, name_label, sort_fields
from logboom.readers.loki.metrics.answering import read_steps
from logboom.readers.loki.replies import show, succeed
from logboom.readers.loki.sampling import sample_fields
from logboom.readers.loki.selecting import Selection
from logboom.readers.translated import translated
from logboom.search.answers import FieldSummary, WantedFields
from logboom.web.reply import Reply

LINES = frozenset({MESSAGE_FIELD, *STAND_INS})
DEFAULT_LIMIT = 1000
MAX_LIMIT = 5000
MIN_STEP_S = 10
MAX_PATTERNS = 300
MAX_LINES = 30_000
"""About as many lines are examined; of more only a part, evenly over time."""
COUNT = "number of lines"
MAX_ROWS = 100_000
BUCKET = "time bucket"
"""The column of the start of each step."""
PLACEHOLDER = compile_later(r"<[a-z][a-z0-9_]*>")
ANY = "<_>"


def answer_fields(asker: Asker) -> Reply:
    """Answer with the fields of the newest events that are no labels."""
    limit = asker.asked.read_count("limit", DEFAULT_LIMIT, MAX_LIMIT)
    selection = read_optional(asker.asked.find("query"))
    hidden = {*CORE_FIELDS, *LINES, *sort_fields(selection.selected).labels}
    fields = [
        {
            "label": name_label(each.name),
            "type": each.type,
            "cardinality": len(each.values),
            "parsers": None,
        }
        for each in sample_fields(asker, selection, hidden)[:limit]
    ]
    return show({"fields": fields, "limit": limit})


def answer_field_values(asker: Asker) -> Reply:
    """Answer with the values of a field of the newest events."""
    limit = asker.asked.read_count("limit", DEFAULT_LIMIT, MAX_LIMIT)
    selection = read_optional(asker.asked.find("query"))
    names = set(map(fold_name, list_sources(asker.asked.path_values["name"])))
    fields = (each for each in sample_fields(asker, selection) if each.name in names)
    values = {text for each in fields for _, text in each.values}
    return show({"values": sorted(values)[:limit], "limit": limit})


def answer_labels(asker: Asker) -> Reply:
    """Answer with the labels of the events, and how many values each has."""
    selection = read_optional(asker.asked.find("query"))
    labels = {**sort_fields(selection.selected).labels, PLACES[INDEX]: INDEX}
    counts: Counter[str] = Counter()
    for field in list_fields(asker, selection.query, WantedFields(names=frozenset(labels))):
        counts[labels[field.name]] += count_values(field)
    found = [{"label": label, "cardinality": counts[label]} for label in sorted(counts)]
    return show({"detectedLabels": found})


def list_fields(asker: Asker, query: ast.Query, wanted: WantedFields) -> list[FieldSummary]:
    from_ns, to_ns = asker.asked.read_range()
    question = asker.make_question(query, from_ns, to_ns)
    with translated():
        return asker.search.fields(asker.principal, question, wanted, asker.deadline).found.fields


def count_values(field: FieldSummary) -> int:
    """Return how many values there are; at most one for each event, if there are too many to count."""
    return field.count if field.distinct is None else field.distinct


def answer_patterns(asker: Asker) -> Reply:
    """Answer with the constant parts of lines and how many lines have them at each step, the most frequent first."""
    steps = read_steps(asker)
    step_s = max(MIN_STEP_S, -(-steps.step_ns // NS_PER_S))
    selection = read_optional(asker.asked.find("query"))
    from_ns, to_ns = asker.asked.read_range()
    one_in = choose_share(asker, selection, from_ns, to_ns)
    pipes = (
        *([ast.Sample(one_in)] if one_in > 1 else []),
        *selection.query.pipes,
        ast.Bin("_time", ast.Quantity(step_s, "s"), None, BUCKET),
        ast.Patterns(by=(BUCKET,)),
        ast.Limit(MAX_ROWS),
        ast.Fields((BUCKET, "pattern", "count")),
    )
    question = asker.make_question(ast.Query(selection.query.filter, pipes), from_ns, to_ns)
    counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
    read_bucket = cache(read_seconds)
    name_pattern = cache(lambda text: PLACEHOLDER.sub(ANY, text))
    for row in asker.run(question).rows:
        bucket = read_bucket(row[BUCKET])
        counts[name_pattern(row["pattern"])][bucket] += one_in * row["count"]  # type: ignore[operator]
    frequent = sorted(counts, key=lambda pattern: (-counts[pattern].total(), pattern))
    found = [
        {"pattern": pattern, "samples": sorted(counts[pattern].items())}
        for pattern in frequent[:MAX_PATTERNS]
    ]
    return succeed(found, asker.warnings)


def read_seconds(time: object) -> int:
    parsed = parse_time(str(time), quoted=True)
    assert parsed is not None, "the start of a step is a time"
    return parsed.time_ns // NS_PER_S


def choose_share(asker: Asker, selection: Selection, from_ns: int, to_ns: int) -> int:
    """Return how many lines there are for each one examined; stages may leave out some more."""
    count = ast.Stats((ast.Aggregate("count", name=COUNT),))
    query = ast.Query(selection.query.filter, (count,))
    [row] = asker.run(asker.make_question(query, from_ns, to_ns)).rows
    return -(-int(str(row[COUNT])) // MAX_LINES)
