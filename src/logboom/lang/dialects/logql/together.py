"""Combines several log queries into one, with a condition for the events of each."""

from logboom.lang.ast import And, Between, Everything, Filter, Pipe, Query, Where
from logboom.lang.dialects.logql.matchers import all_of, any_of
from logboom.lang.dialects.logql.quantities import read_duration


def can_unite(queries: list[Query]) -> bool:
    """Return whether the stages of each are a prefix of the longest."""
    stages = [list_stages(query) for query in queries]
    longest = max(stages, key=len)
    return all(longest[: len(each)] == each for each in stages)


def unite(queries: list[Query]) -> tuple[Query, list[Filter | None]]:
    """Return the query that finds the events of all, and for each the condition of its own events, if any."""
    if len(queries) == 1:
        return queries[0], [None]
    selected = [list_terms(query.filter) for query in queries]
    tested = [list_tests(query) for query in queries]
    shared, own_selected = take_common(selected)
    shared_tests, own_tested = take_common(tested)
    conditions = [
        all_of([*terms, *tests]) for terms, tests in zip(own_selected, own_tested, strict=True)
    ]
    shared = [*cover([query for query in queries if has_period(query)]), *shared]
    if all(own_selected):
        shared.append(any_of(list(dict.fromkeys(all_of(terms) for terms in own_selected))))
    pipes = max((list_stages(query) for query in queries), key=len)
    if shared_tests:
        pipes = [*pipes, Where(all_of(shared_tests))]
    united = Query(all_of(shared), tuple(pipes))
    return united, [None if isinstance(each, Everything) else each for each in conditions]


def has_period(query: Query) -> bool:
    """Return whether only a period before now is searched."""
    return any(isinstance(term, Between) for term in list_terms(query.filter))


def cover(queries: list[Query]) -> list[Filter]:
    """Return the time from the first of their periods to the end of the last."""
    terms = [term for query in queries for term in list_terms(query.filter)]
    periods = dict.fromkeys(term for term in terms if isinstance(term, Between))
    if len(periods) < 2:
        return []
    start = max((period.start for period in periods), key=measure_past)
    end = min((period.end for period in periods), key=measure_past)
    return [Between(start, end)]


def measure_past(moment: str | None) -> float:
    """Return how long before now a time such as `now-5m` is."""
    assert moment is not None, "periods have both ends"
    length = moment.removeprefix("now").removeprefix("-")
    return read_duration(length).scaled if length else 0


def list_stages(query: Query) -> list[Pipe]:
    return [pipe for pipe in query.pipes if not isinstance(pipe, Where)]


def list_terms(filter_: Filter) -> list[Filter]:
    if isinstance(filter_, And):
        return list(filter_.terms)
    return [] if isinstance(filter_, Everything) else [filter_]


def list_tests(query: Query) -> list[Filter]:
    """Return the conditions on events after the stages."""
    return [
        term for pipe in query.pipes if isinstance(pipe, Where) for term in list_terms(pipe.filter)
    ]


def take_common(lists: list[list[Filter]]) -> tuple[list[Filter], list[list[Filter]]]:
    """Return the terms that are in all lists, and the other terms of each list."""
    common = [term for term in lists[0] if all(term in each for each in lists[1:])]
    return common, [[term for term in each if term not in common] for each in lists]
