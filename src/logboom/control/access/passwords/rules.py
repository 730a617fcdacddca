"""Which passwords are refused because they are too easy to guess, and why."""

from logboom.base.errors import Invalid
from logboom.control.access.passwords.common_passwords import COMMON_WORDS

SHORTEST_PASSWORD = 8
LONGEST_PASSWORD = 1024
FEWEST_DIFFERENT = 4
SHORTEST_NUMBER = 12
LONGEST_REPEATED = 4
SHORTEST_RUN = 3
"""At least this many neighbours on a keyboard or in the alphabet count as a sequence."""
MOST_OUTSIDE_RUNS = 1
MOST_DECORATION = 5
"""At most this many digits and symbols around a word do not make it a good password."""

ROWS = (
    "abcdefghijklmnopqrstuvwxyz",
    "012345678901234567890",
    *("qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm"),
    *("1qaz2wsx3edc4rfv5tgb6yhn7ujm", "qazwsxedcrfvtgbyhnujm", "zaq12wsxcde34rfvbgt56yhn"),
    *("1q2w3e4r5t6y7u8i9o0p", "q1w2e3r4t5y6u7i8o9p0", "a1b2c3d4e5f6g7h8i9", "1a2b3c4d5e6f7g8h9"),
    *("!@#$%^&*()_+", '!"§$%&/()=?', "147258369", "159753", "789456123", "741852963"),
)
RUNS = (*ROWS, *(row[::-1] for row in ROWS))
LOOKALIKES = str.maketrans("@4301!$5789", "aaeoiisstbg")


def check_password_rules(password: str, username: str = "") -> None:
    """Raise Invalid, with the reason, for a password that is too short, too long or too easy to guess."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise Invalid(
            f"the password has {len(password)} characters, "
            f"expected {SHORTEST_PASSWORD} to {LONGEST_PASSWORD}"
        )
    reason = find_weakness(password, username)
    if reason:
        raise Invalid(
            f"the password {reason}, expected one that is hard to guess, such as a few unrelated words"
        )


def find_weakness(password: str, username: str = "") -> str:
    """Return why a password is too easy to guess; empty when it is not."""
    text, name = password.casefold().strip(), username.casefold()
    weaknesses = {
        "consists only of whitespace": not text,
        f"has fewer than {FEWEST_DIFFERENT} different characters": len(set(text))
        < FEWEST_DIFFERENT,
        f"is a number of fewer than {SHORTEST_NUMBER} digits": is_short_number(text),
        "repeats a few characters": repeats(text),
        "is a sequence of neighbouring keys, letters or digits": is_sequence(text),
        "is the user name, or little more": bool(name) and decorates(text, {name, name[::-1]}),
        "is the name of this product, or little more": decorates(text, {"logboom"}),
        "is one of the most common ones, or little more": decorates(text, COMMON_WORDS),
    }
    return next((reason for reason, holds in weaknesses.items() if holds), "")


def is_short_number(text: str) -> bool:
    return text.isdigit() and len(text) < SHORTEST_NUMBER


def repeats(text: str) -> bool:
    """Return whether a text repeats a few characters."""
    return any(
        text == (text[:size] * len(text))[: len(text)] for size in range(1, LONGEST_REPEATED + 1)
    )


def is_sequence(text: str) -> bool:
    """Return whether nearly all characters belong to runs of neighbours."""
    outside = place = 0
    while place < len(text):
        length = measure_run(text, place)
        outside += 0 if length else 1
        place += length or 1
    return outside <= MOST_OUTSIDE_RUNS


def measure_run(text: str, place: int) -> int:
    """Return how many characters from here on are neighbours; 0 if too few."""
    length = 0
    while place + length < len(text) and any(
        text[place : place + length + 1] in run for run in RUNS
    ):
        length += 1
    return length if length >= SHORTEST_RUN else 0


def decorates(text: str, words: frozenset[str] | set[str]) -> bool:
    """Return whether a text is one of the words with little changed.

    The word may occur twice, have a few digits or symbols around it, or contain some that look like its letters.
    """
    return any(is_word(core, words) for core in list_cores(text))


def list_cores(text: str) -> list[str]:
    """Return a text with and without a few digits and symbols at its ends.

    Each form is also returned with digits and symbols that look like letters replaced by these.
    """
    cores = [text]
    for start in range(MOST_DECORATION + 1):
        for end in range(MOST_DECORATION + 1 - start):
            head, core, tail = text[:start], text[start : len(text) - end], text[len(text) - end :]
            if core and not any(map(str.isalpha, head + tail)):
                cores.append(core)
    return cores + [core.translate(LOOKALIKES) for core in cores]


def is_word(core: str, words: frozenset[str] | set[str]) -> bool:
    half = core[: len(core) // 2]
    return core in words or (core == half * 2 and half in words)
