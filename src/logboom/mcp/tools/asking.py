"""What all tools share: the principal, the scope, and how a question becomes an answer."""

from collections.abc import Callable
from typing import Annotated

import msgspec

from logboom.base.clock import format_time
from logboom.base.errors import about
from logboom.base.process.deadline import Deadline
from logboom.base.structs import InternalStruct
from logboom.control.access.authorise import covers_env
from logboom.control.access.principal import Principal
from logboom.control.access.reach import choose_envs
from logboom.control.control import Control
from logboom.lang.times import parse_moment
from logboom.mcp.answers.answer import Answer
from logboom.mcp.answers.links import link_to
from logboom.mcp.answers.plain import clean, shorten
from logboom.search.answers import SearchAnswer
from logboom.search.question import Moment, Question
from logboom.search.service import SearchService

MOST_NAMED = 10
LONGEST_NOTE = 1_000

OnProgress = Callable[[int, int], None]

Query = Annotated[
    str,
    msgspec.Meta(
        description="What to find, in the query language of the server's instructions. Empty finds everything."
    ),
]
Fields = Annotated[
    list[str] | str,
    msgspec.Meta(description="Field names: a list, or one text separated by commas."),
]


class Arguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The arguments of a tool."""


class ScopeArguments(Arguments, frozen=True, kw_only=True, rename={"from_": "from"}):
    """Where and when to search."""

    env: Annotated[
        str,
        msgspec.Meta(
            description="Environments: a name, a comma list or globs. Default: all that this key may see."
        ),
    ] = "*"
    index: Annotated[
        str, msgspec.Meta(description="Indexes: a name, a comma list or globs. Default: all.")
    ] = "*"
    from_: Annotated[
        Moment,
        msgspec.Meta(
            description="Start of the time range: RFC 3339 in UTC, or relative such as -15m, -24h or -7d."
        ),
    ] = "-24h"
    to: Annotated[Moment, msgspec.Meta(description="End of the time range, not included.")] = "now"


class Toolbox(InternalStruct, frozen=True):
    """What tools need; all of it is thread-safe."""

    control: Control
    search: SearchService


class Caller(InternalStruct, frozen=True):
    """One call: on whose behalf, at what time, and whether the answer is still wanted."""

    toolbox: Toolbox
    principal: Principal
    now_ns: int
    base_url: str
    deadline: Deadline
    on_progress: OnProgress | None = None

    @property
    def search(self) -> SearchService:
        return self.toolbox.search

    def reaches(self, env: str) -> bool:
        return covers_env(self.principal, env)

    def make_question(self, scope: ScopeArguments, query: str = "", limit: int = 100) -> Question:
        """Return the question, with its times fixed at the moment of the call."""
        return Question(
            query=query,
            env=scope.env,
            index=scope.index,
            from_=self._fix("from", scope.from_),
            to=self._fix("to", scope.to),
            limit=limit,
        )

    def _fix(self, name: str, moment: Moment) -> str | None:
        if moment is None or moment == "":
            return None
        with about(name):
            return format_time(parse_moment(moment, self.now_ns))

    def append(self, question: Question, pipes: str) -> Question:
        """Return the question with pipes after its query, whatever language that is written in."""
        read = self.search.parse(self.principal, question).query
        return msgspec.structs.replace(question, query=f"{read} | {pipes}", is_canonical=True)

    def run(self, question: Question) -> SearchAnswer:
        return self.search.search(self.principal, question, self.deadline, self.on_progress)

    def start(self, question: Question, query: str) -> Answer:
        """Return an answer to a question, which says where it searched."""
        answer = Answer(query=query)
        envs = choose_envs(question.env, self.toolbox.control.environments, self.principal)
        more = f" and {len(envs) - MOST_NAMED} more" if len(envs) > MOST_NAMED else ""
        places = f"environments {', '.join(envs[:MOST_NAMED])}{more}; indexes {question.index}"
        times = f"{question.from_ or 'the beginning'} to {question.to or 'the end'} (UTC)"
        answer.note(f"Looked at: {shorten(places, LONGEST_NOTE)}; {times}.")
        answer.note(f"Query: {shorten(query, LONGEST_NOTE)}")
        answer.link = self._link(question, query, envs)
        return answer

    def _link(self, question: Question, query: str, envs: tuple[str, ...]) -> str:
        place = {
            "env": envs[0] if len(envs) == 1 else question.env,
            "index": "" if question.index == "*" else question.index,
            "from": str(question.from_ or ""),
            "to": str(question.to or ""),
        }
        return link_to(self.base_url, query, **place)


def list_names(fields: list[str] | str) -> list[str]:
    parts = fields.split(",") if isinstance(fields, str) else fields
    return [part.strip() for part in parts if part.strip()]


def add_warnings(answer: Answer, warnings: list[dict[str, object]]) -> None:
    """Add warnings as data, because they contain fields and values; repeated ones are dropped."""
    messages = [clean(str(each.get("message", ""))) for each in warnings]
    answer.add(*(f"warning: {each}" for each in messages if each not in answer.data))
