"""What a client asks: the parameters of a request, and how they become questions."""

from collections.abc import Callable, Iterable, Mapping

import msgspec
from msgspec.structs import replace

from logboom.base.clock import format_time
from logboom.base.errors import Invalid, TooLarge
from logboom.base.process.deadline import Deadline
from logboom.base.structs import InternalStruct
from logboom.control.access.principal import Principal
from logboom.control.registry.environments import DEFAULT_ENVIRONMENT
from logboom.lang import ast
from logboom.lang.format import format_query
from logboom.model.timestamps import MAX_TIME_NS, MIN_TIME_NS
from logboom.readers.loki.moments import read_duration, read_moment
from logboom.readers.reader import Reader
from logboom.readers.translated import translated
from logboom.search.answers import SearchAnswer
from logboom.search.question import Question
from logboom.search.service import SearchService
from logboom.web.asgi import RawRequest, parse_pairs
from logboom.web.reply import Reply

MAX_FORM_BYTES = 1024 * 1024
FORM = "application/x-www-form-urlencoded"
TENANT = "x-scope-orgid"
DEFAULT_RANGE = "1h"


class Asked(InternalStruct, frozen=True):
    """A request: the values of each parameter in order, headers, and when it came."""

    parameters: Mapping[str, list[str]]
    path_values: Mapping[str, str]
    headers: Mapping[str, str]
    now_ns: int

    def find(self, name: str) -> str:
        """Return the first value of a parameter; empty if there is none."""
        values = self.parameters.get(name)
        return values[0].strip() if values else ""

    def list(self, *names: str) -> list[str]:
        """Return all values of some parameters."""
        return [value for name in names for value in self.parameters.get(name, ()) if value.strip()]

    @property
    def env(self) -> str:
        """The environments: a parameter, or the tenants, which Loki joins with bars."""
        tenants = self.headers.get(TENANT, "").replace("|", ",")
        return (
            self.find("env") or tenants or self.headers.get("x-service-env") or DEFAULT_ENVIRONMENT
        )

    @property
    def index(self) -> str:
        return self.find("index") or self.headers.get("x-service-index") or "*"

    def read_count(self, name: str, default: int, most: int) -> int:
        """Return a positive number of at most `most`."""
        text = self.find(name)
        if not text:
            return default
        if not text.isdecimal() or not text.isascii() or int(text[:20]) == 0:
            raise Invalid(f"{name} must be a positive value", field=name)
        if int(text[:20]) > most:
            raise Invalid(
                f"max entries limit per query exceeded, {name} > {most} ({text[:20]} > {most})",
                field=name,
            )
        return int(text)

    def read_range(self, default: str = DEFAULT_RANGE) -> tuple[int, int]:
        """`start` and `end`; without a start the time before the end that `since` or the default says."""
        end = self.find("end")
        to_ns = read_moment(end, "end") if end else self.now_ns
        start = self.find("start")
        if start:
            from_ns = read_moment(start, "start")
        else:
            from_ns = min(to_ns, self.now_ns) - read_duration(
                self.find("since") or default, "since"
            )
        if to_ns < from_ns:
            raise Invalid("end timestamp must not be before or equal to start time", field="end")
        return from_ns, to_ns

    def read_length(self, name: str) -> int:
        """Return a duration; 0 if it is not given."""
        text = self.find(name)
        return read_duration(text, name) if text else 0


class Asker(InternalStruct, frozen=True):
    """A client's request on its way through the search."""

    search: SearchService
    principal: Principal
    asked: Asked
    deadline: Deadline
    warnings: list[str] = msgspec.field(default_factory=list)
    """What the answer lacks."""

    def run(self, question: Question) -> SearchAnswer:
        """Run a search and return its answer; what that lacks is noted."""
        with translated():
            found = self.search.search(self.principal, question, self.deadline)
        if not found.complete:
            self.warn(found.warnings)
        return found

    def warn(self, warnings: Iterable[Mapping[str, object]]) -> None:
        """Note what an answer lacks; several questions may lack the same."""
        for each in warnings:
            message = str(each["message"])
            if message not in self.warnings:
                self.warnings.append(message)

    def make_question(
        self, query: ast.Query, from_ns: int, to_ns: int, limit: int = 100
    ) -> Question:
        """Return the question for a query, if there is time left to ask it."""
        self.deadline.check()
        return Question(
            query=format_query(query),
            is_canonical=True,
            env=self.asked.env,
            index=self.asked.index,
            from_=write_bound(from_ns),
            to=write_bound(to_ns),
            limit=limit,
        )

    def make_raw_question(self, query: ast.Query, from_ns: int, to_ns: int, limit: int) -> Question:
        """Return a question for events as they were received."""
        return replace(self.make_question(query, from_ns, to_ns, limit), raw=True)


Work = Callable[[Asker], Reply]


async def read_asked(reader: Reader, request: RawRequest) -> Asked:
    """Return the parameters of the address and, as Grafana sends them, of a form in the body."""
    body = b""
    async for piece in request.stream(reader.offload):
        body += piece
        if len(body) > MAX_FORM_BYTES:
            raise TooLarge(f"the body is too long, expected at most {MAX_FORM_BYTES} bytes")
    is_form = request.content_type == FORM
    return make_asked(reader, request, parse_pairs(body) if is_form else [])


def make_asked(reader: Reader, request: RawRequest, form: Iterable[tuple[str, str]] = ()) -> Asked:
    parameters: dict[str, list[str]] = {}
    for name, value in (*form, *request.pairs):
        parameters.setdefault(name, []).append(value)
    return Asked(parameters, request.path_values, request.headers, reader.clock())


def write_bound(time_ns: int) -> str:
    return format_time(min(max(time_ns, MIN_TIME_NS), MAX_TIME_NS))
