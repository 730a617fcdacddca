"""Password rules and hashes."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from logboom.base.errors import Invalid
from logboom.control.passwords import Passwords, check_password_rules


@pytest.mark.parametrize("password", ["12345678", "x" * 1024, "pässwörd", "  \t\0\n   "])
def test_passwords_of_8_to_1024_characters_are_accepted(password: str) -> None:
    check_password_rules(password)


@pytest.mark.parametrize("password", ["", "1234567", "x" * 1025])
def test_other_lengths_are_refused_without_repeating_the_password(password: str) -> None:
    with pytest.raises(Invalid, match=f"has {len(password)} characters, expected 8 to 1024"):
        check_password_rules(password)


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
    assert passwords._nobodys_hash.rsplit("$", 2)[0] == settings
    assert not passwords.matches("correct horse", None)


def test_many_at_once_wait_their_turn() -> None:
    passwords = Passwords()
    password_hash = passwords.hash("correct horse")
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda _: passwords.matches("correct horse", password_hash), range(12))
        assert all(answers)
