"""The query that is built while the commands of another language are parsed in order."""

from collections.abc import Iterable

from logboom.lang.ast import Everything, Filter, Pipe, Query, Truth, Where
from logboom.lang.dialects.matching import join_and


class Pipeline:
    """A filter and pipes. Leading tests belong to the filter, where a time sets the range."""

    def __init__(self) -> None:
        self.head: list[Filter] = []
        self.pipes: list[Pipe] = []

    def begin(self, query: Query) -> None:
        """Start with the result of another query."""
        self.head = [] if isinstance(query.filter, Everything) else [query.filter]
        self.pipes = list(query.pipes)

    def add(self, pipe: Pipe) -> None:
        self.pipes.append(pipe)

    def narrow(self, filters: Iterable[Filter]) -> None:
        """Keep only what all of the filters match; expressions need pipes of their own."""
        tests = []
        for each in filters:
            if isinstance(each, Truth):
                self.pipes.append(Where(each))
            else:
                tests.append(each)
        if tests and all(isinstance(pipe, Where) for pipe in self.pipes):
            self.head.extend(tests)
        elif tests:
            self.pipes.append(Where(join_and(tests)))

    @property
    def is_empty(self) -> bool:
        return not self.head and not self.pipes

    def finish(self) -> Query:
        return Query(join_and(self.head) if self.head else Everything(), tuple(self.pipes))
