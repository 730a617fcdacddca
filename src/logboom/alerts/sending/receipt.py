"""The result of one attempt to notify a receiver."""

import msgspec

LONGEST_ANSWER = 500


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """The receiver's answer.

    `ok` if the receiver accepted it.
    `status` is its status, None without an answer; `answer` is its text, or the error instead.
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
    """Return foreign text shortened to one line that is safe to show."""
    words = " ".join(text[: 4 * LONGEST_ANSWER].split())
    return "".join(letter for letter in words if letter.isprintable())[:LONGEST_ANSWER]
