"""What became of one try to tell a receiver."""

import msgspec

LONGEST_ANSWER = 500


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """`ok` when the receiver took it.

    `status` is what it answered, None when it did not; `answer` its words, or what went wrong instead.
    """

    ok: bool
    status: int | None = None
    answer: str = ""
    retry_after_s: float | None = None

    @property
    def problem(self) -> str:
        """Why it is not ok, on one line."""
        said = f"answered {self.status}" if self.status is not None else "not reached"
        return f"{said}: {self.answer}" if self.answer else said


def make_plain(text: str) -> str:
    """As much of a foreign text as may be shown, on one line."""
    words = " ".join(text[: 4 * LONGEST_ANSWER].split())
    return "".join(letter for letter in words if letter.isprintable())[:LONGEST_ANSWER]
