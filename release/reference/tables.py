"""Markdown tables."""

from collections.abc import Iterable, Sequence


def make_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with its line feed; empty without rows."""
    lines = [make_row(row) for row in rows]
    if not lines:
        return ""
    return "\n".join([make_row(heads), "|" + "---|" * len(heads), *lines]) + "\n"


def make_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(clean(cell) for cell in cells) + " |"


def clean(text: str) -> str:
    """Return a text on one line, without the character that would end a cell."""
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str) -> str:
    """Return a text marked as code; an empty text stays empty."""
    return f"`{text}`" if text else ""


def join_codes(texts: Iterable[str]) -> str:
    return ", ".join(code(text) for text in texts)
