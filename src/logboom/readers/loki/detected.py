"""What can be detected in lines: fields, labels, and patterns."""

from collections import Counter, defaultdict

from logboom.base.clock import NS_PER_S
from logboom.base.patterns import compile_later
from logboom.lang import ast
from logboom.model.event_text import STAND_INS
from logboom.model.names import CORE_FIELDS, MESSAGE_FIELD
from logboom.model.timestamps import parse_time
from logboom.readers.loki.asking import Asker
from logboom.readers.loki.browse import list_values, read_optional
from logboom.readers.loki.labels import INDEX, PLACES, name_label, sort_fields
from logboom.readers.loki.metrics.answering import read_steps
from logboom.readers.loki.replies import show, succeed
from logboom.search.answers import FieldSummary, WantedFields
from logboom.web.reply import Reply

DEFAULT_LIMIT = 1000
MAX_LIMIT = 5000
TYPES = {"str": "string", "int": "int", "float": "float", "bool": "boolean"}
LINES = frozenset({MESSAGE_FIELD, *STAND_INS})
MIN_STEP_S = 10
MAX_PATTERNS = 300
MAX_ROWS = 100_000
BUCKET = "time bucket"
"""The column of the start of each step."""
PLACEHOLDER = compile_later(r"<[a-z][a-z0-9_]*>")
ANY = "<_>"


def answer_fields(asker: Asker) -> Reply:
    """The fields of the events that are no labels."""
    limit = asker.asked.read_count("limit", DEFAULT_LIMIT, MAX_LIMIT)
    selection = read_optional(asker.asked.find("query"))
    labels = sort_fields(selection.selected).labels
    fields = [
        {
            "label": name_label(field.name),
            "type": name_type(field),
            "cardinality": count_values(field),
            "parsers": None,
        }
        for field in list_fields(asker, selection.query, WantedFields())
        if field.name not in labels and field.name not in LINES and field.name not in CORE_FIELDS
    ]
    return show({"fields": fields[:limit], "limit": limit})


def answer_field_values(asker: Asker) -> Reply:
    limit = asker.asked.read_count("limit", DEFAULT_LIMIT, MAX_LIMIT)
    from_ns, to_ns = asker.asked.read_range()
    selection = read_optional(asker.asked.find("query"))
    values = list_values(asker, selection, asker.asked.path_values["name"], from_ns, to_ns)
    return show({"values": sorted(values)[:limit], "limit": limit})


def answer_labels(asker: Asker) -> Reply:
    """The labels of the events, and how many values each has."""
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
    return asker.search.fields(asker.principal, question, wanted, asker.cancelled).found.fields


def name_type(field: FieldSummary) -> str:
    """The most frequent type of the values."""
    most = max(field.types, key=lambda kind: field.types[kind])
    return TYPES.get(most, "string")


def count_values(field: FieldSummary) -> int:
    """How many values there are; at most one for each event, if there are too many to count."""
    return field.count if field.distinct is None else field.distinct


def answer_patterns(asker: Asker) -> Reply:
    """The constant parts of lines, and how many lines have them at each step; the most frequent first."""
    steps = read_steps(asker)
    step_s = max(MIN_STEP_S, -(-steps.step_ns // NS_PER_S))
    selection = read_optional(asker.asked.find("query"))
    pipes = (
        *selection.query.pipes,
        ast.Bin("_time", ast.Quantity(step_s, "s"), None, BUCKET),
        ast.Patterns(by=(BUCKET,)),
        ast.Limit(MAX_ROWS),
    )
    from_ns, to_ns = asker.asked.read_range()
    question = asker.make_question(ast.Query(selection.query.filter, pipes), from_ns, to_ns)
    counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for row in asker.run(question).rows:
        bucket = parse_time(str(row[BUCKET]), quoted=True)
        if bucket is not None:
            pattern = PLACEHOLDER.sub(ANY, str(row["pattern"]))
            counts[pattern][bucket.time_ns // NS_PER_S] += int(str(row["count"]))
    frequent = sorted(counts, key=lambda pattern: (-counts[pattern].total(), pattern))
    found = [
        {"pattern": pattern, "samples": sorted(counts[pattern].items())}
        for pattern in frequent[:MAX_PATTERNS]
    ]
    return succeed(found, asker.warnings)
