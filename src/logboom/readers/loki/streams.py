"""Answers log queries: events as the lines of streams."""

from collections.abc import Mapping

from logboom.base.errors import Invalid
from logboom.base.structs import InternalStruct
from logboom.base.texts import write_value
from logboom.lang import ast
from logboom.model.event_text import find_stand_in, read_text
from logboom.model.names import MESSAGE_FIELD, fold_name
from logboom.model.timestamps import parse_time
from logboom.readers.loki.asking import Asked, Asker
from logboom.readers.loki.labels import Sorting, sort_fields
from logboom.readers.loki.replies import succeed
from logboom.readers.loki.selecting import Selection, read_selection
from logboom.readers.loki.statistics import describe_cost
from logboom.search.answers import parse_id
from logboom.web.reply import Reply

DEFAULT_LIMIT = 100
MAX_LIMIT = 5000
TIME, RAW, ID = "_time", "_raw", "_id"
FLAGS = "x-loki-response-encoding-flags"
CATEGORIZE = "categorize-labels"
OLDEST_FIRST = ast.SortKey(TIME)

Row = Mapping[str, object]


class Entry(InternalStruct, frozen=True):
    """One line, and its labels as they are answered."""

    time_ns: int
    stream: dict[str, str]
    value: list[object]


def answer_streams(asker: Asker, text: str) -> Reply:
    asked = asker.asked
    from_ns, to_ns = asked.read_range()
    limit = asked.read_count("limit", DEFAULT_LIMIT, MAX_LIMIT)
    interval_ns = asked.read_length("interval")
    if interval_ns < 0:
        raise Invalid("interval must be >= 0", field="interval")
    is_forward = read_direction(asked.find("direction"))
    selection = read_selection(text)
    query = selection.query
    if is_forward:
        oldest = ast.Sort((OLDEST_FIRST,), limit)
        query = ast.Query(query.filter, (*query.pipes, oldest))
    found = asker.run(asker.make_question(query, from_ns, to_ns, limit))
    if not all(map(has_line, found.rows)):
        # The line is all of the event, which takes longer to find.
        found = asker.run(asker.make_raw_question(query, from_ns, to_ns, limit))
    form = choose_form(asked, selection)
    entries = [form.make_entry(row) for row in found.rows]
    if is_forward:
        # Of events at the same time the search has the newest first.
        entries.reverse()
        entries.sort(key=lambda entry: entry.time_ns)
    entries = thin_out(entries, interval_ns) if interval_ns else entries
    # Grafana reads the members in this order: how values are encoded must come before them, and statistics after.
    data: dict[str, object] = {"resultType": "streams"}
    if form.is_categorized:
        data["encodingFlags"] = [CATEGORIZE]
    data["result"] = group_entries(entries)
    data["stats"] = describe_cost(found, len(entries))
    return succeed(data, asker.warnings)


def read_direction(text: str) -> bool:
    """Return whether the oldest lines come first."""
    direction = text.lower() or "backward"
    if direction not in ("forward", "backward"):
        raise Invalid(f"invalid direction {text[:40]!r}, expected forward or backward")
    return direction == "forward"


class EntryForm(InternalStruct, frozen=True):
    """How events become entries; `is_categorized` if the client wants other fields apart from labels."""

    sorting: Sorting
    is_categorized: bool
    keeps_time: bool
    """Whether the query leaves the time as it is."""

    def make_entry(self, row: Row) -> Entry:
        line, hidden = find_line(row)
        labels, metadata, made = self.sorting.divide(row, hidden)
        time_ns = read_time(row, keeps_time=self.keeps_time)
        if not self.is_categorized:
            return Entry(time_ns, {**metadata, **labels, **made}, [str(time_ns), line])
        parts = {"structuredMetadata": metadata, "parsed": made}
        beside = {name: part for name, part in parts.items() if part}
        return Entry(time_ns, labels, [str(time_ns), line, beside])


def choose_form(asked: Asked, selection: Selection) -> EntryForm:
    sorting = sort_fields(selection.selected, selection.made)
    keeps_time = not selection.query.pipes
    return EntryForm(sorting, CATEGORIZE in asked.headers.get(FLAGS, ""), keeps_time)


def has_line(row: Row) -> bool:
    """Return whether the event has a message, or something that stands in for it."""
    return row.get(MESSAGE_FIELD) is not None or find_line(row)[1] != (RAW,)


def find_line(row: Row) -> tuple[str, tuple[str, ...]]:
    """Return the line of an event and the fields that it shows: its message, else a stand-in, else the whole event."""
    name = find_stand_in(row)
    if name is not None:
        return read_text(row[name]), (RAW, name)
    for field, value in row.items():
        if value is not None and fold_name(field) == MESSAGE_FIELD:
            return write_value(value), (RAW, field)
    return str(row.get(RAW) or ""), (RAW,)


def read_time(row: Row, *, keeps_time: bool) -> int:
    """Return the time of an event, which its id has too."""
    event = parse_id(str(row.get(ID))) if keeps_time else None
    if event is not None:
        return event.time_ns
    parsed = parse_time(str(row.get(TIME)), quoted=True)
    if parsed is None:
        raise Invalid(f"the query replaces or removes {TIME}, expected one that keeps it")
    return parsed.time_ns


def thin_out(entries: list[Entry], interval_ns: int) -> list[Entry]:
    """Return entries that are at least an interval apart."""
    kept: list[Entry] = []
    for entry in entries:
        if not kept or abs(entry.time_ns - kept[-1].time_ns) >= interval_ns:
            kept.append(entry)
    return kept


def group_entries(entries: list[Entry]) -> list[dict[str, object]]:
    """Return entries by stream, in the order of the first entry of each."""
    streams: dict[tuple[tuple[str, str], ...], tuple[dict[str, str], list[list[object]]]] = {}
    for entry in entries:
        key = tuple(sorted(entry.stream.items()))
        streams.setdefault(key, (entry.stream, []))[1].append(entry.value)
    return [{"stream": stream, "values": values} for stream, values in streams.values()]
