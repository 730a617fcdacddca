"""Passwords that are too easy to guess are refused with the reason, and others are not."""

import pytest
from tests.together import together

from logboom.base.errors import Invalid
from logboom.control.access.passwords.rules import check_password_rules, find_weakness

WEAK = {
    "whitespace": ["        ", " \t \n\u00a0   ", "\u3000" * 9],
    "different characters": [
        "aaaaaaaa",
        "abababab",
        "00000000",
        "x" * 1024,
        "AaAaAaAa",
        "112233221",
    ],
    "repeats": ["wxyqwxyq", "ab1!ab1!ab1!", "Wop2Wop2W"],
    "a number": ["19870412", "44332211", "5550123456"],
    "sequence": [
        *("abcdefgh", "hgfedcba", "qwertyui", "Qwerty12345", "asdf1234", "1q2w3e4r", "zaq12wsx"),
        *("123456789012345", "abc123def456", "1qaz2wsx", "!@#$%^&*", "azertyuiop", "qwertzuiop"),
    ],
    "user name": ["margarete", "Margarete1", "eteragram", "#margarete9", "margarete2026!"],
    "product": ["logboom1", "Logboom2026!", "l0gb00m!!", "logboomlogboom"],
    "common": [
        *("password", "Password1", "P@ssw0rd", "p@$$w0rd123", "passwordpassword", "letmein1!"),
        *(
            "iloveyou",
            "Summer2026!",
            "sunshine",
            "football99",
            "admin12345",
            "trustno1",
            "dr4g0n77",
        ),
        *("  password  ", "welcome1", "Superman!", "changeme", "starwars", "MICHELLE"),
    ],
}
GOOD = [
    *(
        "correct horse",
        "correct horse battery",
        "four unrelated quiet words",
        "xK9$mQ2!",
        "pässwörd-für-ann",
    ),
    *(
        "a long enough password",
        "Tr0ub4dor&3",
        "my-margarete-tree",
        "the password is secret",
        "9f86d081884c",
    ),
    *(
        "8675309-8675",
        "logs are quite boring",
        "Zq7-Zq8-Zq9",
        "ключ от двери",
        "水曜日の朝に走る犬",
    ),
]


@together(
    ("reason", "password"), [(reason, each) for reason, listed in WEAK.items() for each in listed]
)
def test_a_weak_password_is_refused_with_the_reason(reason: str, password: str) -> None:
    with pytest.raises(Invalid, match=reason) as caught:
        check_password_rules(password, "margarete")
    said = caught.value.message.removeprefix("the password ")
    assert not password.strip() or password.strip().lower() not in said


@together("password", GOOD)
def test_a_good_one_is_not(password: str) -> None:
    check_password_rules(password, "margarete")


@pytest.mark.parametrize("password", ["", "1234567", "q" * 1025])
def test_other_lengths_are_refused_without_repeating_the_password(password: str) -> None:
    with pytest.raises(Invalid, match=f"has {len(password)} characters, expected 8 to 1024"):
        check_password_rules(password)


def test_the_longest_password_is_judged_quickly() -> None:
    assert find_weakness(("qwer" * 256)[:1023] + "!")
    assert not find_weakness("".join(chr(0x4E00 + number) for number in range(1024)))
