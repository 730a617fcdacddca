"""The authorise step: who has which scopes, and which environments and indexes they reach."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.together import together

from logboom.base.errors import Forbidden, Unauthenticated
from logboom.control.access.authorise import (
    admits_row,
    bound_reading,
    check_env,
    covers_env,
    require,
)
from logboom.control.access.keys import ApiKey
from logboom.control.access.principal import ANONYMOUS, Principal
from logboom.control.access.scopes import Scope
from logboom.control.access.tokens import IngestToken
from logboom.control.access.users import Role, User

SCOPES: dict[str, str] = {
    "viewer": "search",
    "editor": "search edit",
    "admin": "search edit ingest admin",
    "key search": "search",
    "key ingest": "ingest",
    "key mcp": "mcp",
    "key search mcp": "search mcp",
    "key admin": "search edit ingest admin",
    "key admin mcp": "search edit ingest admin mcp",
    "token": "ingest",
    "anonymous": "",
}


def make_principal(
    name: str, envs: tuple[str, ...] = ("*",), indexes: tuple[str, ...] = ("*",)
) -> Principal:
    kind, *scopes = name.split()
    if kind == "anonymous":
        return ANONYMOUS
    if kind == "token":
        return Principal.of_token(
            IngestToken(id="t", name="shipper", digest="", env=envs[0], indexes=indexes)
        )
    if kind == "key":
        chosen = tuple(map(Scope, scopes))
        return Principal.of_key(
            ApiKey(id="k", name="robot", digest="", scopes=chosen, envs=envs, indexes=indexes)
        )
    return Principal.of_user(
        User(id="u", username="ann", password_hash="", role=Role(kind), envs=envs, indexes=indexes)
    )


@together(("name", "scopes"), SCOPES.items())
def test_everybody_has_exactly_their_scopes(name: str, scopes: str) -> None:
    principal = make_principal(name)
    assert principal.scopes == {Scope(scope) for scope in scopes.split()}
    assert principal.is_admin == ("admin" in scopes.split())
    for scope in Scope:
        assert principal.may(scope) == (scope.value in scopes.split())


@pytest.mark.parametrize(("name", "scopes"), SCOPES.items())
@pytest.mark.parametrize("scope", Scope)
def test_a_missing_scope_is_refused_with_who_and_what(name: str, scopes: str, scope: Scope) -> None:
    principal = make_principal(name)
    if scope.value in scopes.split():
        require(principal, scope)
    elif name == "anonymous":
        with pytest.raises(Unauthenticated, match="no credential"):
            require(principal, scope)
    else:
        with pytest.raises(Forbidden, match=f"'{principal.name}' .*expected {scope.value}$"):
            require(principal, scope)


ENVS: list[tuple[str, tuple[str, ...], str, bool]] = [
    ("viewer", ("*",), "default", True),
    ("viewer", ("*",), "_system", False),
    ("viewer", ("_system",), "_system", False),
    ("admin", ("*",), "_system", True),
    ("admin", ("prod*",), "_system", False),
    ("admin", ("prod*",), "prod-eu", True),
    ("editor", ("prod", "stag?"), "stag1", True),
    ("editor", ("prod", "stag?"), "stag", False),
    ("editor", ("prod",), "prod2", False),
    ("editor", ("prod",), "PROD", False),
    ("editor", ("prod",), "prod\n", False),
    ("key search", (), "default", False),
    ("token", ("prod",), "prod", True),
    ("token", ("prod",), "default", False),
]


@together(("name", "envs", "env", "covered"), ENVS)
def test_environments_are_covered_by_globs_and_reserved_ones_by_admins(
    name: str, envs: tuple[str, ...], env: str, covered: bool
) -> None:
    principal = make_principal(name, envs)
    assert covers_env(principal, env) is covered
    if covered:
        check_env(principal, env)
    else:
        with pytest.raises(Forbidden, match=f"'{principal.name}' may not use the environment"):
            check_env(principal, env)


INDEXES: list[tuple[str, tuple[str, ...], str, bool, bool]] = [
    ("viewer", ("*",), "web", True, True),
    ("viewer", ("*",), "_self", False, False),
    ("viewer", ("_*",), "_self", False, False),
    ("admin", ("*",), "_self", True, False),
    ("admin", ("web",), "_self", False, False),
    ("token", ("app-*",), "app-1", True, True),
    ("token", ("app-*",), "app", False, False),
    ("token", ("app-*",), "xapp-1", False, False),
    ("token", ("a", "b"), "b", True, True),
    ("token", ("*",), "_x", False, False),
]


@together(("name", "globs", "index", "readable", "writable"), INDEXES)
def test_indexes_are_covered_by_globs_and_reserved_ones_are_never_written(
    name: str, globs: tuple[str, ...], index: str, readable: bool, writable: bool
) -> None:
    principal = make_principal(name, ("default",), globs)
    assert bound_reading(principal).covers(index) is readable
    assert admits_row(principal, index) is writable


names = st.text("ab_-", min_size=1, max_size=5)


@given(globs=st.lists(st.text("ab_-*?", min_size=1, max_size=4), max_size=4), index=names)
def test_nobody_writes_what_is_reserved_and_all_who_write_may_be_told_by_the_globs(
    globs: list[str], index: str
) -> None:
    for name in SCOPES:
        principal = make_principal(name, ("default",), tuple(globs))
        assert not (admits_row(principal, index) and index.startswith("_"))
        if bound_reading(principal).covers(index):
            assert principal.is_admin or admits_row(principal, index)


def test_a_token_is_pinned_and_nobody_else() -> None:
    pinned = {name: make_principal(name, ("prod",)).pinned_env for name in SCOPES}
    assert {name: env for name, env in pinned.items() if env} == {"token": "prod"}
