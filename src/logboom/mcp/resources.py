"""Documents that an agent may read: the reference of the query language."""

from collections.abc import Callable
from typing import NamedTuple

from logboom.mcp.instructions import INSTRUCTIONS
from logboom.mcp.language import list_filters, list_functions, list_pipes


class Document(NamedTuple):
    """A text under an address."""

    uri: str
    title: str
    description: str
    write: Callable[[], str]


DOCUMENTS: dict[str, Document] = {
    document.uri: document
    for document in (
        Document(
            "logboom://guide",
            "How to work with Logboom",
            "What the tools are for, how answers are to be read, and the query language in brief.",
            lambda: INSTRUCTIONS,
        ),
        Document(
            "logboom://language/filters",
            "Filters of the query language",
            "Every kind of filter with an example.",
            list_filters,
        ),
        Document(
            "logboom://language/pipes",
            "Pipes of the query language",
            "Every pipe with an example.",
            list_pipes,
        ),
        Document(
            "logboom://language/functions",
            "Functions of the query language",
            "Aggregates, and functions for expressions.",
            list_functions,
        ),
    )
}
