"""Ingest tokens: pinned, limited, switched on and off, and when each was last used."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Conflict, Invalid, NotFound, Unauthenticated
from logboom.base.stores.local import LocalObjects
from logboom.control.access.tokens import IngestTokens, TokenDisabled
from logboom.control.documents.cipher import PlainCipher
from logboom.control.documents.store import Documents

START_NS = 1_700_000_000 * NS_PER_S


class Node:
    """The tokens as one process sees them, with a clock that stands where it is put."""

    def __init__(self, root: Path) -> None:
        self.now_ns = START_NS
        self.tokens = IngestTokens(
            Documents(LocalObjects(root), PlainCipher()), lambda: self.now_ns
        )


def list_usage(root: Path) -> list[str]:
    folder = root / "control" / "token-usage"
    return sorted(os.listdir(folder)) if folder.exists() else []


def test_a_secret_has_the_documented_form_and_opens_its_token(tmp_path: Path) -> None:
    tokens = Node(tmp_path).tokens
    token, secret = tokens.create("shipper", "prod", ("App-*", "app-*"))
    assert re.fullmatch(rf"lbt_{token.id}_[A-Za-z0-9_-]{{43}}", secret)
    assert (token.env, token.indexes, token.enabled) == ("prod", ("app-*",), True)
    for each in (tokens, Node(tmp_path).tokens):
        assert each.authenticate(secret) == each.get(token.id) == token
        assert each.list() == (token,)


BAD: dict[str, dict[str, Any]] = {
    "no name": {"name": ""},
    "reserved environment": {"env": "_system"},
    "environment glob": {"env": "*"},
    "no environment": {"env": ""},
    "no indexes": {"indexes": ()},
    "reserved index": {"indexes": ("web", "_self")},
    "reserved glob": {"indexes": ("_*",)},
}


@pytest.mark.parametrize("values", BAD.values(), ids=BAD)
def test_a_token_that_does_not_fit_is_refused(tmp_path: Path, values: dict[str, Any]) -> None:
    tokens = Node(tmp_path).tokens
    with pytest.raises(Invalid):
        tokens.create(**{"name": "shipper", "env": "prod", **values})
    token, _ = tokens.create("shipper", "prod")
    with pytest.raises(Invalid):
        tokens.update(token.id, values)
    with pytest.raises(Invalid):
        tokens.update(token.id, {"digest": token.digest})
    assert tokens.list() == (token,)


def test_a_disabled_token_does_not_count_until_it_is_enabled_again(tmp_path: Path) -> None:
    tokens = Node(tmp_path).tokens
    token, secret = tokens.create("shipper", "prod", enabled=False)
    with pytest.raises(TokenDisabled):
        tokens.authenticate(secret)
    enabled = tokens.update(token.id, {"enabled": True})
    assert tokens.authenticate(secret) == enabled


def test_only_who_has_the_secret_learns_that_the_token_is_disabled(tmp_path: Path) -> None:
    tokens = Node(tmp_path).tokens
    _, secret = tokens.create("shipper", "prod", enabled=False)
    wrong = secret[:-1] + ("A" if secret[-1] != "A" else "B")
    with pytest.raises(Unauthenticated) as unknown:
        tokens.authenticate(wrong)
    assert type(unknown.value) is Unauthenticated
    with pytest.raises(TokenDisabled) as disabled:
        tokens.authenticate(secret)
    assert (disabled.value.message, disabled.value.data) == (unknown.value.message, {})


def test_a_deleted_token_does_not_count(tmp_path: Path) -> None:
    tokens = Node(tmp_path).tokens
    token, secret = tokens.create("shipper", "prod")
    with pytest.raises(Conflict):
        tokens.delete(token.id, 0)
    assert tokens.delete(token.id) == token
    with pytest.raises(Unauthenticated):
        tokens.authenticate(secret)
    with pytest.raises(NotFound, match="no token"):
        tokens.get(token.id)


def test_a_wrong_secret_is_refused(tmp_path: Path) -> None:
    tokens = Node(tmp_path).tokens
    token, secret = tokens.create("shipper", "prod")
    other, _ = tokens.create("other", "prod")
    wrongs = (secret[:-1], secret.replace(token.id, other.id), "lbt_", "", f"lbt_{token.id}_ä")
    for wrong in wrongs:
        with pytest.raises(Unauthenticated):
            tokens.authenticate(wrong)


def test_the_last_use_is_known_at_once_and_written_once_a_minute(tmp_path: Path) -> None:
    node = Node(tmp_path)
    token, _ = node.tokens.create("shipper", "prod")
    assert node.tokens.last_used_ns(token.id) is None
    node.tokens.flush_usage()
    assert list_usage(tmp_path) == []
    for seconds, written in ((0, 1), (1, 1), (59, 1), (60, 2), (61, 2), (121, 3)):
        node.now_ns = START_NS + seconds * NS_PER_S
        node.tokens.touch(token.id)
        node.tokens.flush_usage()
        assert node.tokens.last_used_ns(token.id) == node.now_ns
        assert len(list_usage(tmp_path)) == written


def test_without_use_nothing_is_written(tmp_path: Path) -> None:
    node = Node(tmp_path)
    token, _ = node.tokens.create("shipper", "prod")
    node.tokens.touch(token.id)
    for _ in range(5):
        node.now_ns += 100 * NS_PER_S
        node.tokens.flush_usage()
    assert len(list_usage(tmp_path)) == 1
    assert node.tokens.last_used_ns(token.id) == START_NS


def test_the_last_use_survives_and_nodes_keep_the_later_one(tmp_path: Path) -> None:
    one, two = Node(tmp_path), Node(tmp_path)
    token, _ = one.tokens.create("shipper", "prod")
    two.tokens.refresh()
    two.now_ns += 5 * NS_PER_S
    for node in (two, one):
        node.tokens.touch(token.id)
        node.tokens.flush_usage()
    one.tokens.refresh()
    for node in (one, two, Node(tmp_path)):
        assert node.tokens.last_used_ns(token.id) == two.now_ns


def test_a_stop_writes_at_once(tmp_path: Path) -> None:
    node = Node(tmp_path)
    token, _ = node.tokens.create("shipper", "prod")
    for _ in range(2):
        node.now_ns += NS_PER_S
        node.tokens.touch(token.id)
        node.tokens.flush_usage(now=True)
    assert Node(tmp_path).tokens.last_used_ns(token.id) == node.now_ns


def test_the_use_of_a_deleted_token_is_forgotten(tmp_path: Path) -> None:
    node = Node(tmp_path)
    gone, _ = node.tokens.create("gone", "prod")
    kept, _ = node.tokens.create("kept", "prod")
    for token in (gone, kept):
        node.tokens.touch(token.id)
    node.tokens.delete(gone.id)
    node.tokens.flush_usage()
    assert node.tokens.last_used_ns(gone.id) is None
    assert node.tokens.last_used_ns(kept.id) == START_NS


def test_using_a_token_does_not_change_the_generation_of_the_tokens(tmp_path: Path) -> None:
    node = Node(tmp_path)
    token, _ = node.tokens.create("shipper", "prod")
    node.tokens.touch(token.id)
    node.tokens.flush_usage()
    assert node.tokens.generation == 1
