"""The first look at a line: whether it is an event, its time and its index."""

from array import array
from collections.abc import Iterator

from logboom.base.clock import NS_PER_DAY
from logboom.model.batch import Routes, Scan
from logboom.model.jsonline import Members, Number, Value, parse_object
from logboom.model.mapping import map_event
from logboom.model.names import IndexNames, IndexTemplate

BLANKS = b" \t\r\n"


def scan_lines(
    data: bytes, arrival_ns: int, template: IndexTemplate, routes: Routes | None = None
) -> Scan:
    """Examine every non-blank line; events without a time get `arrival_ns`.

    A line goes where its route says, else where the template says.
    """
    scan = Scan(array("q"), array("q"), array("q"), array("i"), [], set(), 0)
    names = IndexNames(template)
    errors = 0
    for start, end in split_lines(data):
        event = parse_object(data[start:end])
        errors += event is None
        time_ns, values = look_at(event, template.paths)
        scan.starts.append(start)
        scan.ends.append(end)
        scan.times_ns.append(arrival_ns if time_ns is None else time_ns)
        scan.index_ids.append(names.identify(values))
    index_ids, index_names = follow_routes(routes, scan.index_ids, names.names)
    days = {
        (index, time_ns // NS_PER_DAY)
        for index, time_ns in zip(index_ids, scan.times_ns, strict=True)
    }
    return scan._replace(index_ids=index_ids, index_names=index_names, days=days, errors=errors)


def follow_routes(
    routes: Routes | None, index_ids: "array[int]", index_names: list[str]
) -> tuple["array[int]", list[str]]:
    """Return the index of each line, given what the template says."""
    if routes is None:
        return index_ids, index_names
    if len(routes.ids) != len(index_ids):
        raise ValueError(f"{len(routes.ids)} routes for {len(index_ids)} lines")
    if -1 not in routes.ids:
        return routes.ids, routes.names
    names = list(dict.fromkeys([*routes.names, *index_names]))
    places = [names.index(name) for name in index_names]
    merged = array("i", routes.ids)
    for at, place in enumerate(routes.ids):
        if place < 0:
            merged[at] = places[index_ids[at]]
    return merged, names


def split_lines(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield spans of the lines of `data`, without surrounding whitespace; blank lines are left out."""
    start = 0
    while start < len(data):
        newline = data.find(b"\n", start)
        end = len(data) if newline < 0 else newline
        line = data[start:end]
        stripped = line.strip(BLANKS)
        if stripped:
            first = start + len(line) - len(line.lstrip(BLANKS))
            yield first, first + len(stripped)
        start = end + 1


def look_at(
    event: Members | None, paths: tuple[str, ...]
) -> tuple[int | None, tuple[str | None, ...]]:
    """Return an event's time, and the texts at the placeholder paths of an index template."""
    if event is None:
        return None, (None,) * len(paths)
    time = map_event(event).time
    return time.time_ns if time else None, tuple(find_text(event, path) for path in paths)


def find_text(event: Members, path: str) -> str | None:
    """Return the scalar at a dotted path as text; of several interpretations the one with the fewest keys."""
    found = sorted(find_readings(event, path), key=lambda reading: reading[0])
    return found[0][1] if found else None


def find_readings(members: Members, path: str, keys: int = 1) -> Iterator[tuple[int, str]]:
    for key, value in members:
        if key == path:
            text = read_text(value)
            if text is not None:
                yield keys, text
        elif isinstance(value, Members) and path.startswith(f"{key}."):
            yield from find_readings(value, path[len(key) + 1 :], keys + 1)


def read_text(value: Value) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Number):
        return value.text
    return value if isinstance(value, str) else None
