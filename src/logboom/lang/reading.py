"""A query together with its additional filters, which are the pills of a page."""

from collections.abc import Callable, Iterable
from functools import lru_cache

from msgspec.structs import replace

from logboom.base.errors import about
from logboom.lang.ast import And, Everything, Filter, Query
from logboom.lang.errors import InvalidQuery
from logboom.lang.notices import Reading
from logboom.lang.parse import read, read_canonical

Reader = Callable[[str], Reading]

REMEMBERED_QUERIES = 256
LONGEST_REMEMBERED = 1024
"""In characters: together with the number of entries, a limit of the cache."""


def remember(reader: Reader) -> Reader:
    """Return a caching parser for repeated queries. Results never change; errors are not cached."""
    remembered = lru_cache(REMEMBERED_QUERIES)(reader)
    return lambda text: (remembered if len(text) <= LONGEST_REMEMBERED else reader)(text)


read_written, read_kept = remember(read), remember(read_canonical)


def read_query(
    query: str, filter_: str = "", filters: Iterable[str] = (), *, is_canonical: bool = False
) -> Reading:
    """Return the query, joined with all additional filters.

    An error in one of these names it, as `filter` or `filters`. `is_canonical` says that `query` and `filters` are
    canonical.
    """
    reader = read_kept if is_canonical else read_written
    reading = reader(query)
    beside = [read_filter(filter_, "filter")] if filter_.strip() else []
    further = beside + [read_filter(text, "filters", reader) for text in filters if text.strip()]
    if not further:
        return reading
    joined = join_filters(*(each.query.filter for each in further), reading.query.filter)
    notices = sum((each.notices for each in further), reading.notices)
    return Reading(replace(reading.query, filter=joined), notices)


def read_filter(text: str, field: str, reader: Reader = read_written) -> Reading:
    """Return a query that must be a filter only; an error names the member `field`."""
    with about(field):
        reading = reader(text)
        check_alone(reading.query, text)
    return reading


def check_alone(query: Query, text: str) -> None:
    if query.pipes:
        raise InvalidQuery("a filter with pipes, expected one without", 0, len(text))


def join_filters(*filters: Filter) -> Filter:
    """Return the filter that matches what all of them match, in the parser's form."""
    terms = [
        term
        for each in filters
        if not isinstance(each, Everything)
        for term in (each.terms if isinstance(each, And) else (each,))
    ]
    match terms:
        case []:
            return Everything()
        case [term]:
            return term
        case _:
            return And(tuple(terms))
