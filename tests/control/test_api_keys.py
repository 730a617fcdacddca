"""API keys: shown once, kept as a digest, refused when anything about them is wrong."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logboom.base.clock import system_clock
from logboom.base.errors import Conflict, Invalid, NotFound, Unauthenticated
from logboom.base.stores.local import LocalObjects
from logboom.control.access.keys import ApiKeys
from logboom.control.access.scopes import Scope
from logboom.control.documents.cipher import PlainCipher
from logboom.control.documents.store import Documents


def open_keys(root: Path) -> ApiKeys:
    return ApiKeys(Documents(LocalObjects(root), PlainCipher()), system_clock)


@pytest.fixture
def keys(tmp_path: Path) -> ApiKeys:
    return open_keys(tmp_path)


def test_a_secret_has_the_documented_form_and_opens_its_key(tmp_path: Path, keys: ApiKeys) -> None:
    key, secret = keys.create("robot", (Scope.SEARCH,))
    assert re.fullmatch(rf"lbk_{key.id}_[A-Za-z0-9_-]{{43}}", secret)
    for each in (keys, open_keys(tmp_path)):
        assert each.authenticate(secret) == each.get(key.id) == key
        assert each.list() == (key,)


def test_no_two_secrets_are_alike(keys: ApiKeys) -> None:
    secrets = {keys.create("same name", (Scope.SEARCH,))[1][-43:] for _ in range(20)}
    assert len(secrets) == 20


def test_limits_are_brought_into_their_normal_form(keys: ApiKeys) -> None:
    scopes = (Scope.MCP, Scope.SEARCH, Scope.MCP)
    key, _ = keys.create("robot", scopes, ("prod*",), ("Web", "web"), ("find_*",))
    assert key.scopes == (Scope.SEARCH, Scope.MCP)
    assert (key.envs, key.indexes, key.tools) == (("prod*",), ("web",), ("find_*",))


BAD: dict[str, dict[str, Any]] = {
    "no scopes": {"scopes": ()},
    "no name": {"name": ""},
    "blank name": {"name": " "},
    "long name": {"name": "a" * 101},
    "name of two lines": {"name": "a\nb"},
    "bad environment": {"envs": ("A",)},
    "no environments": {"envs": ()},
    "no indexes": {"indexes": ()},
    "no tools": {"tools": ()},
    "bad tool": {"tools": ("a b",)},
}


@pytest.mark.parametrize("values", BAD.values(), ids=BAD)
def test_a_key_that_does_not_fit_is_refused(keys: ApiKeys, values: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        keys.create(**{"name": "robot", "scopes": (Scope.SEARCH,), **values})
    assert keys.list() == ()
    key, _ = keys.create("robot", (Scope.SEARCH,))
    with pytest.raises(Invalid):
        keys.update(key.id, values)
    assert keys.list() == (key,)


@pytest.mark.parametrize(
    "changes", [{"digest": "x"}, {"id": "x"}, {"scopes": ["root"]}, {"scopes": "search"}, {"a": 1}]
)
def test_a_change_that_does_not_fit_is_refused(keys: ApiKeys, changes: dict[str, Any]) -> None:
    key, secret = keys.create("robot", (Scope.SEARCH,))
    with pytest.raises(Invalid):
        keys.update(key.id, changes)
    assert keys.authenticate(secret) == key


def test_a_change_counts_at_once_and_the_secret_stays(keys: ApiKeys) -> None:
    key, secret = keys.create("robot", (Scope.SEARCH,))
    changed = keys.update(key.id, {"scopes": ["ingest"], "name": "other"}, keys.generation)
    assert (changed.scopes, changed.name) == ((Scope.INGEST,), "other")
    assert keys.authenticate(secret) == changed


def test_a_deleted_key_does_not_count(keys: ApiKeys) -> None:
    key, secret = keys.create("robot", (Scope.SEARCH,))
    other, other_secret = keys.create("other", (Scope.SEARCH,))
    assert keys.delete(key.id) == key
    with pytest.raises(Unauthenticated):
        keys.authenticate(secret)
    assert keys.authenticate(other_secret) == other
    for act in (keys.get, keys.delete, lambda name: keys.update(name, {})):
        with pytest.raises(NotFound, match="no key"):
            act(key.id)


def test_a_stale_generation_is_a_conflict(keys: ApiKeys) -> None:
    key, _ = keys.create("robot", (Scope.SEARCH,))
    with pytest.raises(Conflict):
        keys.update(key.id, {"name": "other"}, 0)
    with pytest.raises(Conflict):
        keys.delete(key.id, 0)
    assert keys.list() == (key,)


def test_every_changed_character_is_refused(keys: ApiKeys) -> None:
    _, secret = keys.create("robot", (Scope.SEARCH,))
    for offset in range(len(secret)):
        other = "A" if secret[offset] != "A" else "B"
        with pytest.raises(Unauthenticated):
            keys.authenticate(secret[:offset] + other + secret[offset + 1 :])
    for wrong in (secret[:-1], secret + "A", secret + "\n", f" {secret}", secret.upper(), ""):
        with pytest.raises(Unauthenticated):
            keys.authenticate(wrong)


def test_one_keys_secret_does_not_open_another(keys: ApiKeys) -> None:
    one, one_secret = keys.create("one", (Scope.SEARCH,))
    two, _ = keys.create("two", (Scope.ADMIN,))
    with pytest.raises(Unauthenticated):
        keys.authenticate(one_secret.replace(one.id, two.id))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=100) | st.from_regex(r"\Albk_[0-9a-z]{26}_[A-Za-z0-9_-]{43}\Z"))
def test_any_text_is_refused(keys: ApiKeys, text: str) -> None:
    with pytest.raises(Unauthenticated):
        keys.authenticate(text)
