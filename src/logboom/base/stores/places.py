"""Where a store is: the directory or bucket that its address names."""

import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

NAMES = {
    "s3": r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]",
    "gs": r"[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]",
    "az": r"[a-z0-9](?:-?[a-z0-9]){2,62}",
}
"""The names of buckets by scheme: S3, Google Cloud Storage, and containers of Azure Blob Storage."""
BUCKET_URL = re.compile(r"(s3|gs|az)://([^/]+)((?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)/?")
ADDRESSES = "s3://bucket/prefix, gs://bucket/prefix or az://container/prefix"


class Bucket(NamedTuple):
    """A bucket and a prefix, which is empty or has no slash at either end."""

    name: str
    prefix: str
    scheme: str = "s3"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.name}/{self.prefix}".rstrip("/")


def parse_place(url: str) -> Path | Bucket:
    """Return the directory or bucket that a store's address names; raise ValueError if it is neither."""
    match = BUCKET_URL.fullmatch(url)
    if match and re.fullmatch(NAMES[match[1]], match[2]):
        return Bucket(match[2], match[3].strip("/"), match[1])
    parts = urlsplit(url)
    if parts.scheme != "file" or parts.netloc or not parts.path.startswith("/"):
        raise ValueError(url)
    return Path(unquote(parts.path))


def format_place(place: Path | Bucket) -> str:
    """Return the address that `parse_place` reads."""
    return place.absolute().as_uri() if isinstance(place, Path) else place.url


def read_optional_place(text: str) -> Path | Bucket | None:
    """Do the same as `parse_place`, but return None for an empty text."""
    return parse_place(text) if text else None


def is_bucket(address: str) -> bool:
    """Return whether an address is meant to name a bucket."""
    return address.partition("://")[0] in NAMES
