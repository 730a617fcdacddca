"""Errors about queries that requests were translated to."""

from collections.abc import Iterator
from contextlib import contextmanager

from logboom.base.errors import Invalid
from logboom.lang.errors import InvalidQuery


@contextmanager
def translated() -> Iterator[None]:
    """Raise errors about a query without its column, which the client knows nothing of."""
    try:
        yield
    except InvalidQuery as error:
        raise Invalid(error.reason) from error
