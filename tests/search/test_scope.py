"""From words to a request: what a principal reaches, and which member is wrong."""

from pathlib import Path
from typing import Any

import pytest
from tests.running import JWT_SECRET
from tests.store.stores import NOW_NS, HandClock

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Forbidden, Invalid, LogboomError
from logboom.base.stores.local import LocalObjects
from logboom.control.access.principal import UNLIMITED, Principal
from logboom.control.access.scopes import Scope
from logboom.control.control import Control
from logboom.engine.terms.request import END_NS, MIN_NS, Request
from logboom.lang.format import format_query
from logboom.search.question import Question
from logboom.search.scope import ControlResources, make_request

SEARCHER = Principal("user", "s", "searcher", frozenset({Scope.SEARCH}))
LIMITED = Principal(
    "user", "l", "limited", frozenset({Scope.SEARCH}), envs=("shop*",), indexes=("web-*",)
)


@pytest.fixture
def resources(tmp_path: Path) -> ControlResources:
    control = Control.open(LocalObjects(tmp_path), None, JWT_SECRET, HandClock())
    for name in ("shop", "shop-test", "bank"):
        control.environments.create(name)
    control.lookups.put("hosts", "host,owner\na,ann\n")
    return ControlResources(control)


def request(resources: ControlResources, principal: Principal, **members: Any) -> Request:
    return make_request(Question(**members), principal, resources, NOW_NS)


def test_every_member_counts(resources: ControlResources) -> None:
    found = request(
        resources,
        SEARCHER,
        query="error | stats count",
        filter="a:1",
        filters=("b:2", " "),
        env="shop, bank",
        index="web-*,DB",
        from_="-1h",
        to="2023-11-14T00:00:00",
        timezone="Europe/Berlin",
        limit=7,
        count=True,
        raw=True,
    )
    assert format_query(found.query) == "a:1 b:2 error | stats count"
    assert (found.envs, found.indexes) == (("shop", "bank"), ("web-*", "db"))
    assert found.allowed_envs == ("bank", "default", "shop", "shop-test")
    assert found.from_ns == NOW_NS - 3600 * NS_PER_S
    assert found.to_ns == 1_699_916_400 * NS_PER_S
    assert (found.now_ns, str(found.zone)) == (NOW_NS, "Europe/Berlin")
    assert (found.limit, found.after, found.count, found.raw) == (7, None, True, True)
    assert list(found.tables) == ["hosts"]


def test_without_words_everything_is_asked_for(resources: ControlResources) -> None:
    found = request(resources, SEARCHER)
    assert format_query(found.query) == "*"
    assert (found.envs, found.indexes) == (("default",), ("*",))
    assert (found.from_ns, found.to_ns, found.notices) == (MIN_NS, END_NS, ())


def test_how_a_query_was_read_goes_with_it(resources: ControlResources) -> None:
    (notice,) = request(resources, SEARCHER, query='{app="shop"} |= "x"').notices
    assert notice.code == "read_as_dialect"


def test_a_limited_principal_reaches_no_more_than_its_own(resources: ControlResources) -> None:
    found = request(resources, LIMITED, env="*")
    assert found.envs == found.allowed_envs == ("shop", "shop-test")
    assert found.allowed.covers("web-1")
    assert not found.allowed.covers("db")
    for env in ("bank", "nowhere", "shop,bank"):
        with pytest.raises(Forbidden, match="may not use the environment"):
            request(resources, LIMITED, env=env)


def test_what_is_the_service_s_own_is_for_those_without_limits(resources: ControlResources) -> None:
    assert not request(resources, SEARCHER).allowed.covers("_self")
    assert request(resources, UNLIMITED).allowed.covers("_self")
    with pytest.raises(LogboomError):
        request(resources, SEARCHER, env="_system")


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("env", "nowhere"),
        ("env", ","),
        ("index", ","),
        ("timezone", "Nowhere/City"),
        ("from_", "yesterweek"),
        ("to", "?"),
        ("cursor", "!"),
        ("filter", "a | stats count"),
        ("filters", ("a", "(")),
    ],
)
def test_an_error_names_the_member_it_is_about(
    resources: ControlResources, member: str, value: object
) -> None:
    with pytest.raises(Invalid) as caught:
        request(resources, SEARCHER, **{member: value})
    assert caught.value.data["field"] == member.rstrip("_")
