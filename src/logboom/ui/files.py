"""The files of the pages, ready to be sent in any encoding that a browser accepts."""

import gzip
import hashlib
import re
from functools import cached_property
from pathlib import Path

import brotli

from logboom.base.version import __version__

PAGES = Path(__file__).with_name("pages")
FIRST_PAGE = "index.html"
MEDIA_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/vnd.microsoft.icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""By the ending of a file; the tables of operating systems differ, and take a while to read."""
BROTLI_QUALITY = 9
REFUSED = re.compile(r"\s*q\s*=\s*0(?:\.0*)?\s*")
UNBUILT = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Logboom</title>
<meta name="viewport" content="width=device-width"></head>
<body><h1>Logboom {__version__}</h1>
<p>Logboom is running, but its pages have not been built: run <code>make setup</code> on a machine with Node.
The API works without them, see <a href="/docs/">the documentation</a>.</p>
</body></html>
"""


class PageFile:
    """A file; its encodings and tag are computed on first use."""

    def __init__(self, name: str, content: bytes) -> None:
        self.content = content
        media_type = MEDIA_TYPES.get(Path(name).suffix, "application/octet-stream")
        self.media_type = (
            f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
        )
        self.is_page = media_type == "text/html"

    @cached_property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'

    @cached_property
    def brotli(self) -> bytes:
        return bytes(brotli.compress(self.content, quality=BROTLI_QUALITY))

    @cached_property
    def gzip(self) -> bytes:
        return gzip.compress(self.content, mtime=0)

    def encode(self, accepted: str) -> tuple[bytes, str]:
        """Return the content in the best encoding that an `Accept-Encoding` header allows, and the encoding's name."""
        names = list_accepted(accepted)
        if "br" in names:
            return self.brotli, "br"
        if "gzip" in names:
            return self.gzip, "gzip"
        return self.content, ""


def list_accepted(header: str) -> set[str]:
    """Return the encodings that a browser accepts; a weight of 0 excludes one."""
    parts = (part.partition(";") for part in header.lower().split(","))
    return {name.strip() for name, _, weight in parts if not REFUSED.fullmatch(weight)}


def read_files(folder: Path = PAGES, unbuilt: str = UNBUILT) -> dict[str, PageFile]:
    """Return every file by its name; if nothing was built, a first page that says so."""
    files = {
        path.relative_to(folder).as_posix(): PageFile(path.name, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return files or {FIRST_PAGE: PageFile(FIRST_PAGE, unbuilt.encode())}
