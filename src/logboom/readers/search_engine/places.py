"""Where a request looks: its environment, and its indexes as names, patterns and exclusions."""

from msgspec.structs import replace

from logboom.base.errors import Invalid, NotFound
from logboom.base.structs import InternalStruct
from logboom.control.access.globs import matches_any
from logboom.control.access.principal import Principal
from logboom.control.registry.environments import DEFAULT_ENVIRONMENT
from logboom.lang import ast
from logboom.lang.format import format_query
from logboom.model.names import normalise_glob, normalise_index
from logboom.readers.search_engine.asking import Asker
from logboom.readers.search_engine.dsl.context import join_all, negate
from logboom.readers.search_engine.dsl.members import Members, read_flag
from logboom.readers.search_engine.dsl.values import INDEX, read_wildcards
from logboom.search.answers import IndexSummary
from logboom.search.question import Question
from logboom.web.asgi import RawRequest

EVERY_INDEX = "*"
ALL = ("", "_all", EVERY_INDEX)
LONGEST_EXPRESSION = 16 * 1024


class Place(InternalStruct, frozen=True):
    """Where a request searches. `included` and `excluded` are normalised names and globs of indexes."""

    env: str
    included: tuple[str, ...] = (EVERY_INDEX,)
    excluded: tuple[str, ...] = ()

    def make_question(self, query: ast.Query, **options: object) -> Question:
        """Return the question for a query in this place."""
        hidden = [negate(ast.Match(INDEX, read_wildcards(each))) for each in self.excluded]
        filter_ = join_all([query.filter, *hidden])
        question = Question(env=self.env, index=",".join(self.included), is_canonical=True)
        text = format_query(ast.Query(filter_, query.pipes))
        return replace(question, query=text, **options)


def choose_env(request: RawRequest, principal: Principal) -> str:
    """Return the environment that is named, else the only one that the principal may read, else the default."""
    asked = request.find("env", "x-service-env", "")
    if asked:
        return asked
    [only, *others] = principal.envs
    is_name = not others and "*" not in only and "?" not in only
    return only if is_name else DEFAULT_ENVIRONMENT


def read_place(written: object, env: str) -> Place:
    """`logs-*,web,-logs-old`, as a text or a list; nothing stands for all indexes."""
    text = ",".join(written) if isinstance(written, list) else written
    if not isinstance(text, str | None) or len(text or "") > LONGEST_EXPRESSION:
        raise Invalid("index expression, expected names and patterns separated by commas")
    parts = [part.strip() for part in (text or "").split(",") if part.strip()]
    included = [part for part in parts if part[0] != "-"]
    excluded = [part[1:] for part in parts if part[0] == "-" and len(part) > 1]
    names = (EVERY_INDEX if part in ALL else normalise_glob(part) for part in included)
    return Place(env, tuple(names) or (EVERY_INDEX,), tuple(map(normalise_glob, excluded)))


def check_place(asker: Asker, place: Place, written: object, options: Members) -> None:
    """Raise NotFound if an index that is named does not exist, unless the options allow that."""
    is_missing_fine = read_flag(options.get("ignore_unavailable", False), "ignore_unavailable")
    is_none_fine = read_flag(options.get("allow_no_indices", True), "allow_no_indices")
    named = [each for each in place.included if "*" not in each and "?" not in each]
    if (is_missing_fine or not named) and is_none_fine:
        return
    if named and not is_missing_fine:
        missing = set(named) - find_known(asker, place, frozenset(named))
        if missing:
            raise refuse_index(spell(min(missing, key=named.index), written))
    if not is_none_fine and not list_indexes(asker, place):
        raise refuse_index(str(written))


def find_known(asker: Asker, place: Place, names: frozenset[str]) -> frozenset[str]:
    question = Question(env=place.env, index=",".join(place.included))
    return asker.search.known_indexes(asker.principal, question, names, asker.deadline)


def spell(name: str, written: object) -> str:
    """Return the name of a missing index as the request wrote it."""
    parts = written if isinstance(written, list) else str(written).split(",")
    return next((part.strip() for part in parts if normalise_index(part.strip()) == name), name)


def refuse_index(name: str) -> NotFound:
    return NotFound(
        f"no such index [{name[:200]}]", type="index_not_found_exception", index=name[:200]
    )


def list_indexes(asker: Asker, place: Place) -> list[IndexSummary]:
    """Return the indexes of a place that the principal may read."""
    question = Question(env=place.env, index=",".join(place.included))
    found = asker.search.indexes(asker.principal, question, deadline=asker.deadline).found
    return [each for each in found if not matches_any(place.excluded, each.index)]
