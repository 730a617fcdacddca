"""Parsers for the texts of settings; each raises ValueError for an invalid text."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit


def read_count(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = int(text)
        if not least <= value <= most:
            raise ValueError(text)
        return value

    return read


def read_positive(most: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        value = float(text)
        if not 0 < value <= most:
            raise ValueError(text)
        return value

    return read


def read_choice(*choices: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text.lower() not in choices:
            raise ValueError(text)
        return text.lower()

    return read


def read_names(*known: str) -> Callable[[str], tuple[str, ...]]:
    """Return one or more of the known names, in their own order."""

    def read(text: str) -> tuple[str, ...]:
        wanted = {part.strip().lower() for part in text.split(",")}
        if not wanted <= set(known):
            raise ValueError(text)
        return tuple(name for name in known if name in wanted)

    return read


def read_text(text: str) -> str:
    if not text:
        raise ValueError(text)
    return text


def read_printable(text: str) -> str:
    """Return printable text without surrounding whitespace; it may be empty."""
    text = text.strip()
    if not text.isprintable():
        raise ValueError(text)
    return text


def read_path(text: str) -> Path:
    return Path(read_text(text)).expanduser().absolute()


def read_optional_path(text: str) -> Path | None:
    return read_path(text) if text else None


def read_roots(text: str) -> tuple[Path, ...]:
    roots = tuple(Path(part) for part in text.split(":") if part)
    if not all(root.is_absolute() for root in roots):
        raise ValueError(text)
    return roots or (Path("/"),)


def read_url(text: str) -> str:
    """Return the URL of a web site without a trailing slash; may be empty."""
    text = read_printable(text).rstrip("/")
    parts = urlsplit(text)
    is_site = parts.scheme in ("http", "https") and parts.hostname
    if text and (not is_site or parts.query or parts.fragment or " " in text):
        raise ValueError(text)
    return text


def read_scheduler(text: str) -> str:
    """Return the address of a Dask scheduler; may be empty."""
    parts = urlsplit(read_printable(text))
    is_address = parts.scheme in ("tcp", "tls") and parts.hostname and parts.port
    if text and (not is_address or text != f"{parts.scheme}://{parts.netloc}" or parts.username):
        raise ValueError(text)
    return text
