"""A query together with the filters beside it, which the pills of a page are."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from logboom.base.errors import about
from logboom.lang.ast import And, Everything, Filter, Query
from logboom.lang.errors import InvalidQuery
from logboom.lang.notices import Reading
from logboom.lang.parse import read, read_canonical


def read_query(
    query: str, filter_: str = "", filters: Iterable[str] = (), *, is_canonical: bool = False
) -> Reading:
    """The query, whose filter events must match together with all further ones.

    An error in a further one names it, as `filter` or `filters`. `is_canonical` says that `query` and `filters` are.
    """
    reader = read_canonical if is_canonical else read
    reading = reader(query)
    beside = [read_filter(filter_, "filter")] if filter_.strip() else []
    further = beside + [read_filter(text, "filters", reader) for text in filters if text.strip()]
    if not further:
        return reading
    joined = join_filters(*(each.query.filter for each in further), reading.query.filter)
    notices = sum((each.notices for each in further), reading.notices)
    return Reading(replace(reading.query, filter=joined), notices)


def read_filter(text: str, field: str, reader: Callable[[str], Reading] = read) -> Reading:
    """A query that is a filter alone; an error names the member `field`."""
    with about(field):
        reading = reader(text)
        check_alone(reading.query, text)
    return reading


def check_alone(query: Query, text: str) -> None:
    if query.pipes:
        raise InvalidQuery("a filter with pipes, expected one without", 0, len(text))


def join_filters(*filters: Filter) -> Filter:
    """The filter that matches what all of them do, in the form the parser gives it."""
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
