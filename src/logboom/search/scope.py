"""Turns a question and a principal into a request: the only place that parses queries and applies limits."""

from collections.abc import Mapping
from typing import Protocol

import polars as pl
from msgspec.structs import replace

from logboom.base.errors import about
from logboom.control.access import reach
from logboom.control.access.authorise import bound_reading
from logboom.control.access.principal import Principal
from logboom.control.control import Control
from logboom.engine.terms.request import END_NS, MIN_NS, EventKey, Request, decode_cursor
from logboom.lang.notices import Reading
from logboom.lang.reading import read_query
from logboom.lang.times import find_zone, parse_moment
from logboom.search.question import Question
from logboom.search.variables import put_values, quote_variables


class Resources(Protocol):
    """What a question may name besides fields and indexes: environments and lookup tables."""

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """Every lookup table by name."""

    def list_envs(self, principal: Principal) -> tuple[str, ...]:
        """Return the environments that a principal may read."""

    def choose_envs(self, text: str, principal: Principal) -> tuple[str, ...]:
        """Return the environments that a name, a comma list or globs name; fail if one of them is not allowed."""


class ControlResources:
    """Environments and lookup tables of the control plane."""

    def __init__(self, control: Control) -> None:
        self._control = control

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        return self._control.lookups.tables

    def list_envs(self, principal: Principal) -> tuple[str, ...]:
        return reach.list_envs(self._control.environments, principal)

    def choose_envs(self, text: str, principal: Principal) -> tuple[str, ...]:
        return reach.choose_envs(text, self._control.environments, principal)


def make_request(
    question: Question, principal: Principal, resources: Resources, now_ns: int
) -> Request:
    """Return the request for the engine; an error names the member that it is about, unless that is the query."""
    with about("env"):
        envs = resources.choose_envs(question.env, principal)
    with about("index"):
        indexes = reach.choose_indexes(question.index)
    with about("timezone"):
        zone = find_zone(question.timezone)
    after = read_cursor(question.cursor) if question.cursor else None
    reading = read_words(question)
    with about("from"):
        from_ns = MIN_NS if question.from_ is None else parse_moment(question.from_, now_ns, zone)
    with about("to"):
        to_ns = END_NS if question.to is None else parse_moment(question.to, now_ns, zone)
    return Request(
        query=reading.query,
        notices=reading.notices,
        envs=envs,
        allowed_envs=resources.list_envs(principal),
        indexes=indexes,
        allowed=bound_reading(principal),
        from_ns=from_ns,
        to_ns=to_ns,
        limit=question.limit,
        after=after,
        count=question.count,
        raw=question.raw,
        now_ns=now_ns,
        zone=zone,
        tables=resources.tables,
    )


def read_cursor(text: str) -> EventKey:
    with about("cursor"):
        return decode_cursor(text)


def read_words(question: Question) -> Reading:
    """Return the query joined with its filters, with variables replaced by their values."""
    reading = read_query(
        quote_variables(question.query, question.variables),
        question.filter,
        question.filters,
        is_canonical=question.is_canonical,
    )
    if not question.variables:
        return reading
    return replace(reading, query=put_values(reading.query, question.variables))
