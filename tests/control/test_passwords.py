"""Hashes of passwords."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.hashing import REAL_MEMORY_KIB, REAL_PASSES

from logboom.control.access.passwords import hashes
from logboom.control.access.passwords.hashes import NOBODYS_HASH, Passwords


@pytest.fixture(autouse=True)
def real_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashes, "PASSES", REAL_PASSES)
    monkeypatch.setattr(hashes, "MEMORY_KIB", REAL_MEMORY_KIB)


def test_a_hash_is_argon2id_salted_and_matches_only_its_password() -> None:
    passwords = Passwords()
    password_hash = passwords.hash("correct horse")
    assert password_hash.startswith("$argon2id$")
    assert password_hash != passwords.hash("correct horse")
    assert passwords.matches("correct horse", password_hash)
    assert not passwords.matches("correct horsf", password_hash)


def test_nobodys_hash_costs_the_same_work_and_matches_nothing() -> None:
    passwords = Passwords()
    settings = passwords.hash("correct horse").rsplit("$", 2)[0]
    assert NOBODYS_HASH.rsplit("$", 2)[0] == settings
    assert not passwords.matches("correct horse", None)


def test_many_at_once_wait_their_turn() -> None:
    passwords = Passwords()
    password_hash = passwords.hash("correct horse")
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda _: passwords.matches("correct horse", password_hash), range(12))
        assert all(answers)
