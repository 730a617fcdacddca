"""Stored questions: kept in canonical form, so that later releases need not guess their meaning."""

from collections.abc import Container
from urllib.parse import quote_plus, unquote_plus

import msgspec

from logboom.base.errors import about
from logboom.control.saved.links import LONGEST_ADDRESS_BYTES, check_address
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query
from logboom.lang.parse import read
from logboom.lang.reading import read_filter
from logboom.search.question import Question
from logboom.search.variables import quote_variables

EXPLORE = "/explore"
SAFE = "*-._"
"""Characters that pages do not escape in parameters, besides letters and digits."""


def make_canonical(question: Question, before: Question | None = None) -> Question:
    """Return the question with its query and filters in canonical form; an error names the one that is invalid.

    Parts that are canonical already, as in the question stored `before`, are not parsed again.
    """
    kept = before if before is not None and before.is_canonical else Question()
    with about("query"):
        written = quote_variables(question.query, question.variables)
        query = written if written == kept.query else write_canonical(written)
    filters = (write_filter(text, kept.filters) for text in question.filters if text.strip())
    return msgspec.structs.replace(question, query=query, filters=tuple(filters), is_canonical=True)


def write_canonical(text: str) -> str:
    """Return the canonical text of a query; an empty one stays empty, which matches everything as well."""
    return format_query(read(text).query) if text.strip() else ""


def write_filter(text: str, kept: Container[str]) -> str:
    return text if text in kept else format_query(read_filter(text, "filters").query)


def make_address_canonical(address: str) -> str:
    """Return the address of a page with its query in canonical form, if it is valid and fits.

    Raise Invalid if it is not the address of a page.
    """
    check_address(address)
    path, mark, parameters = address.partition("?")
    if path != EXPLORE:
        return address
    written = path + mark + "&".join(map(write_parameter, parameters.split("&")))
    return written if len(written) <= LONGEST_ADDRESS_BYTES else address


def write_parameter(parameter: str) -> str:
    name, _, value = parameter.partition("=")
    if name != "q":
        return parameter
    try:
        return f"q={quote_plus(write_canonical(unquote_plus(value)), safe=SAFE)}"
    except InvalidQuery:
        return parameter
