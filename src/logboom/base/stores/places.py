"""Where a store is: the directory or bucket that its address names."""

import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

BUCKET_URL = re.compile(
    r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)/?"
)


class Bucket(NamedTuple):
    """A bucket and a prefix, which is empty or has no slash at either end."""

    name: str
    prefix: str

    @property
    def url(self) -> str:
        return f"s3://{self.name}/{self.prefix}".rstrip("/")


def parse_place(url: str) -> Path | Bucket:
    """The directory or bucket that a store's address names; ValueError if it is neither."""
    if match := BUCKET_URL.fullmatch(url):
        return Bucket(match[1], match[2].strip("/"))
    parts = urlsplit(url)
    if parts.scheme != "file" or parts.netloc or not parts.path.startswith("/"):
        raise ValueError(url)
    return Path(unquote(parts.path))


def format_place(place: Path | Bucket) -> str:
    """The address that `parse_place` reads."""
    return place.absolute().as_uri() if isinstance(place, Path) else place.url


def read_optional_place(text: str) -> Path | Bucket | None:
    """As `parse_place`; None for an empty text."""
    return parse_place(text) if text else None
