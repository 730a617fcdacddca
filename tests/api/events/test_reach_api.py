"""Nobody gives, changes or takes more than they have: every route that changes something, by every limited admin."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from tests.api.signing_in import PASSWORD, bearer, make_key
from tests.routes import list_framework_routes
from tests.running import RunningService
from tests.together import together

from logboom.control.access.scopes import Scope
from logboom.control.access.users import Role

INSIDE, OUTSIDE = "inside", "outside"
Body = dict[str, Any]


class Limits(NamedTuple):
    """How an admin is limited."""

    envs: tuple[str, ...]
    indexes: tuple[str, ...]

    @property
    def is_unlimited(self) -> bool:
        return "*" in self.envs and "*" in self.indexes


ADMINS = {
    "unlimited": Limits(("*",), ("*",)),
    "one env": Limits((INSIDE,), ("*",)),
    "some indexes": Limits(("*",), ("app-*",)),
    "both": Limits((INSIDE,), ("app-*", "web")),
}
REACHES = {
    "everything": Limits(("*",), ("*",)),
    "inside": Limits((INSIDE,), ("*",)),
    "outside": Limits((OUTSIDE,), ("*",)),
    "app": Limits(("*",), ("app-*",)),
    "app of inside": Limits((INSIDE,), ("app-1", "app-x*")),
    "wider app": Limits((INSIDE,), ("app*",)),
    "several": Limits((INSIDE, OUTSIDE), ("web",)),
}


def contains(limits: Limits, reach: Limits) -> bool:
    """By trying names, which is all that limits are about."""
    return all(
        any(matches(glob, name) for glob in own)
        for own, wanted in zip(limits, reach, strict=True)
        for name in NAMES
        if any(matches(glob, name) for glob in wanted)
    )


def matches(glob: str, name: str) -> bool:
    return name.startswith(glob[:-1]) if glob.endswith("*") else glob == name


NAMES = (INSIDE, OUTSIDE, "app", "app-", "app-1", "app-2", "app-x", "app-xy", "apple", "web", "db")


class Target(NamedTuple):
    """Records of a kind that has a reach."""

    path: str
    make: Callable[[RunningService, Limits], str]
    describe: Callable[[Limits], Body | None]
    """The body that asks for one; None when the kind cannot have that reach."""
    harmless: Body


def make_user(service: RunningService, limits: Limits, role: Role = Role.ADMIN) -> str:
    name = f"u{len(service.control.users.list())}"
    return service.control.users.create(name, PASSWORD, role, limits.envs, limits.indexes).id


def make_token(service: RunningService, limits: Limits) -> str:
    return service.control.tokens.create("t", limits.envs[0], limits.indexes)[0].id


def make_source(service: RunningService, limits: Limits) -> str:
    return service.control.sources.create(describe_source(limits) or {}, lambda _: None).id


def describe_token(limits: Limits) -> Body | None:
    if len(limits.envs) > 1 or "*" in limits.envs:
        return None
    return {"name": "t", "env": limits.envs[0], "indexes": limits.indexes}


def describe_source(limits: Limits) -> Body | None:
    if len(limits.envs) > 1 or "*" in limits.envs or len(limits.indexes) > 1:
        return None
    index = limits.indexes[0].replace("*", "{{service}}")
    path = "/nowhere/*.log"
    return {"name": "s", "path": path, "environment": limits.envs[0], "index": index}


TARGETS = {
    "users": Target(
        "/api/users",
        make_user,
        lambda limits: {
            "username": f"new-{abs(hash(limits))}",
            "password": PASSWORD,
            "role": "viewer",
            **limits._asdict(),
        },
        {"enabled": True},
    ),
    "keys": Target(
        "/api/keys",
        lambda service, limits: service.control.keys.create("k", (Scope.SEARCH,), *limits)[0].id,
        lambda limits: {"name": "k", "scopes": ["search"], **limits._asdict()},
        {"name": "renamed"},
    ),
    "tokens": Target("/api/tokens", make_token, describe_token, {"name": "renamed"}),
    "sources": Target("/api/sources", make_source, describe_source, {"name": "renamed"}),
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service of its own, whose environments and settings may be changed."""
    with RunningService(tmp_path_factory.mktemp("guarded")) as service:
        for env in (INSIDE, OUTSIDE):
            service.control.environments.create(env)
        yield service


@pytest.fixture(
    scope="module", params=[(name, kind) for name in ADMINS for kind in ("key", "user")]
)
def admin(
    request: pytest.FixtureRequest, guarded: RunningService
) -> Iterator[tuple[Limits, httpx.Client]]:
    """An admin with limits, as a key and as a user."""
    name, kind = request.param
    limits = ADMINS[name]
    if kind == "key":
        headers = make_key(guarded, Scope.ADMIN, envs=limits.envs, indexes=limits.indexes)
    else:
        user = guarded.control.users.get(make_user(guarded, limits))
        headers = bearer(guarded.control.sessions.issue(user))
    with httpx.Client(
        base_url=guarded.anonymous.base_url, headers=headers, timeout=50.0, verify=False
    ) as client:
        yield limits, client


Admin = tuple[Limits, httpx.Client]


def check(answer: httpx.Response, is_allowed: bool) -> None:
    assert (answer.status_code < 400) is is_allowed, answer.text
    if not is_allowed:
        assert answer.status_code == 403, answer.text
        assert "expected" in answer.json()["error"]["message"]


@together("kind", TARGETS)
def test_nothing_wider_is_created(admin: Admin, kind: str) -> None:
    limits, client = admin
    for reach in REACHES.values():
        body = TARGETS[kind].describe(reach)
        if body is None:
            continue
        answer = client.post(TARGETS[kind].path, json=body)
        check(answer, contains(limits, reach))
        if answer.status_code < 400:
            client.delete(f"{TARGETS[kind].path}/{answer.json()['id']}")


@together("kind", TARGETS)
def test_nothing_wider_is_changed_or_deleted(
    guarded: RunningService, admin: Admin, kind: str
) -> None:
    limits, client = admin
    target = TARGETS[kind]
    for reach in REACHES.values():
        if target.describe(reach) is None:
            continue
        path = f"{target.path}/{target.make(guarded, reach)}"
        is_allowed = contains(limits, reach)
        check(client.patch(path, json=target.harmless), is_allowed)
        if kind == "users":
            check(client.patch(path, json={"password": f"another {PASSWORD}"}), is_allowed)
            check(client.patch(path, json={"enabled": False}), is_allowed)
        if kind == "sources":
            check(client.post(f"{path}/reset"), is_allowed)
            check(client.post(f"{path}/run"), is_allowed)
        check(client.delete(path), is_allowed)


@together("kind", TARGETS)
def test_nothing_is_widened(guarded: RunningService, admin: Admin, kind: str) -> None:
    limits, client = admin
    target, narrow = TARGETS[kind], REACHES["app of inside"]
    if target.describe(narrow) is None:
        narrow = Limits((INSIDE,), ("app-1",))
    path = f"{target.path}/{target.make(guarded, narrow)}"
    for reach in REACHES.values():
        body = target.describe(reach)
        if body is None:
            continue
        changes = {
            name: body[name] for name in body if name not in ("username", "password", "role")
        }
        check(client.patch(path, json=changes), contains(limits, reach))
        client.patch(path, json=target.describe(narrow))
    check(client.delete(path), is_allowed=True)


@pytest.mark.parametrize("role", Role)
def test_a_role_is_raised_by_those_only_who_have_it(guarded: RunningService, role: Role) -> None:
    user_id = make_user(guarded, REACHES["everything"], Role.VIEWER)
    for scopes, may_raise in (((Scope.ADMIN,), True), ((Scope.SEARCH, Scope.EDIT), False)):
        headers = make_key(guarded, *scopes)
        answer = guarded.anonymous.patch(
            f"/api/users/{user_id}", json={"role": role}, headers=headers
        )
        check(answer, may_raise)


def test_a_scope_is_given_by_those_only_who_have_it(guarded: RunningService) -> None:
    body = {"name": "k", "scopes": ["mcp"], "tools": ["search"]}
    for headers, may_give in (
        (make_key(guarded, Scope.ADMIN), False),
        (make_key(guarded, Scope.ADMIN, Scope.MCP), True),
        (dict(guarded.client.headers), True),
    ):
        check(guarded.anonymous.post("/api/keys", json=body, headers=headers), may_give)
    _, secret = guarded.control.keys.create("k", (Scope.ADMIN, Scope.MCP), tools=("search",))
    wide = {"name": "k", "scopes": ["mcp"]}
    check(guarded.anonymous.post("/api/keys", json=wide, headers=bearer(secret)), False)
    check(guarded.anonymous.post("/api/keys", json=body, headers=bearer(secret)), True)


EVERYWHERE: list[tuple[str, str, Body]] = [
    ("PATCH", "/api/settings", {"general": {"retention_days": None}}),
    ("POST", "/api/admin/gc", {}),
    ("POST", "/api/admin/compact", {}),
    ("PUT", "/api/lookups/table", {"csv": "a,b\n1,2\n"}),
    ("DELETE", "/api/lookups/table", {}),
]


def test_what_counts_everywhere_is_for_those_without_limits(admin: Admin) -> None:
    limits, client = admin
    for method, path, body in EVERYWHERE:
        check(client.request(method, path, json=body), limits.is_unlimited)


@together("env", [INSIDE, OUTSIDE])
def test_an_environment_is_for_those_who_reach_all_of_it(
    guarded: RunningService, admin: Admin, env: str
) -> None:
    limits, client = admin
    is_allowed = contains(limits, Limits((env,), ("*",)))
    check(client.patch(f"/api/envs/{env}", json={"retention_days": 90}), is_allowed)
    check(client.post("/api/envs", json={"name": "new"}), limits.is_unlimited)
    guarded.control.environments.update(env, None)
    if limits.is_unlimited:
        check(client.delete("/api/envs/new?name=new"), is_allowed=True)
    else:
        check(client.delete(f"/api/envs/{OUTSIDE}?name={OUTSIDE}"), is_allowed=False)


def test_a_query_of_another_is_changed_by_those_only_who_may_ask_it(
    guarded: RunningService, admin: Admin
) -> None:
    limits, client = admin
    if client.get("/api/auth/me").status_code != 200:
        return
    for reach in REACHES.values():
        env, index = ",".join(reach.envs), ",".join(reach.indexes)
        body = {
            "name": f"{env} {index}",
            "query": "x",
            "env": env,
            "index": index,
            "is_shared": True,
        }
        made = guarded.client.post("/api/queries", json=body).raise_for_status().json()
        path = f"/api/queries/{made['id']}"
        is_allowed = contains(limits, reach)
        check(client.patch(path, json={"description": "changed"}), is_allowed)
        check(client.delete(path), is_allowed)
        guarded.client.delete(path)


def test_an_alert_of_another_is_changed_by_those_only_who_read_as_much(
    guarded: RunningService, admin: Admin
) -> None:
    limits, client = admin
    if client.get("/api/auth/me").status_code != 200:
        return
    for reach in REACHES.values():
        owner = guarded.control.users.get(make_user(guarded, reach))
        session = bearer(guarded.control.sessions.issue(owner))
        body = {"name": "a", "query": "x", "operator": "above", "threshold": 1, "env": "*"}
        made = guarded.anonymous.post("/api/alerts", json=body, headers=session)
        path = f"/api/alerts/{made.raise_for_status().json()['id']}"
        is_allowed = contains(limits, reach)
        check(client.patch(path, json={"description": "changed"}), is_allowed)
        check(client.delete(path), is_allowed)


DECIDED = {
    *("/api/users", "/api/users/{id:str}", "/api/keys", "/api/keys/{id:str}"),
    *("/api/tokens", "/api/tokens/{id:str}", "/api/sources", "/api/sources/{id:str}"),
    *(
        "/api/sources/{id:str}/run",
        "/api/sources/{id:str}/reset",
        "/api/envs",
        "/api/envs/{id:str}",
    ),
    *("/api/settings", "/api/lookups/{name:str}", "/api/admin/gc", "/api/admin/compact"),
    *("/api/queries/{id:str}", "/api/alerts/{id:str}", "/api/dashboards/{id:str}"),
    *("/api/channels", "/api/channels/{id:str}", "/api/channels/{id:str}/test"),
}
HARMLESS = {
    "/api/admin/flush": "what was accepted becomes searchable a little sooner",
    "/api/samples": "checks by itself where the events go",
    "/api/alerts": "is asked in the name of its owner",
    "/api/alerts/preview": "is asked in the name of whoever asks",
    "/api/queries": "is asked in the name of whoever asks",
    "/api/queries/{id:str}/star": "is about oneself",
    "/api/dashboards": "is asked in the name of whoever opens it",
    "/api/links": "gives nobody the right to see anything",
    "/api/auth/login": "needs the password",
    "/api/auth/logout": "is about oneself",
    "/api/auth/saml/acs": "needs the word of the identity provider",
    "/api/auth/password": "is about oneself",
    "/api/setup": "works once, before there is anybody",
    "/api/search": "reads",
    "/api/difference": "reads",
    "/api/histogram": "reads",
    "/api/query/parse": "reads",
}


def test_every_route_that_changes_something_is_decided() -> None:
    changing = {path for method, path in list_framework_routes() if method not in ("GET", "HEAD")}
    assert changing == DECIDED | set(HARMLESS)
