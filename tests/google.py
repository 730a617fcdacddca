"""Google Cloud Storage for the tests: its XML API in front of the S3 server, which keeps the objects.

Conditions are written in Google's words: a put with `x-goog-if-generation-match: 0` makes a new object or fails.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import uuid4
from xml.sax.saxutils import escape
from zlib import crc32

from obstore.exceptions import AlreadyExistsError
from obstore.store import S3Store
from tests.buckets import NAME, S3Server, open_library, serving

if TYPE_CHECKING:
    from obstore import ObjectMeta

NEW = "0"
METADATA = "x-goog-meta-"
PAGE_KEYS = 7
"""A page of a listing is short, so that listings have several."""


@dataclass
class GoogleFront:
    """The running front; every test takes a prefix of its own."""

    objects: S3Store
    port: int = 0
    is_careless: bool = False
    """While set, conditions are ignored."""
    loses_answers: int = 0
    """So many puts are done without an answer."""
    conditions: list[str | None] = field(default_factory=list)
    """The generations that puts expected."""

    def make_url(self) -> str:
        return f"gs://{NAME}/tests/{uuid4().hex}"

    def make_environment(self, folder: Path) -> dict[str, str]:
        """Return the variables by which the front is found; it accepts everybody."""
        account = {
            "gcs_base_url": f"http://127.0.0.1:{self.port}",
            "disable_oauth": True,
            "client_email": "",
            "private_key": "",
            "private_key_id": "",
        }
        file = folder / "account.json"
        file.write_text(json.dumps(account))
        return {"GOOGLE_SERVICE_ACCOUNT": str(file), "GOOGLE_ALLOW_HTTP": "true"}


class Translating(BaseHTTPRequestHandler):
    """One connection of a client to the front."""

    protocol_version = "HTTP/1.1"
    front: GoogleFront

    @property
    def key(self) -> str:
        return unquote(urlsplit(self.path).path).removeprefix(f"/{NAME}").removeprefix("/")

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        condition = self.headers.get("x-goog-if-generation-match")
        self.front.conditions.append(condition)
        attributes = {
            name.lower().removeprefix(METADATA): value
            for name, value in self.headers.items()
            if name.lower().startswith(METADATA)
        }
        is_new = condition == NEW and not self.front.is_careless
        try:
            self.front.objects.put(
                self.key, body, mode="create" if is_new else "overwrite", attributes=attributes
            )
        except AlreadyExistsError:
            self._refuse(412, "PreconditionFailed")
            return
        if self.front.loses_answers:
            self.front.loses_answers -= 1
            self.close_connection = True
            return
        self._answer(200, b"", describe(b""))

    def do_GET(self) -> None:
        if not self.key:
            self._list(parse_qs(urlsplit(self.path).query))
            return
        try:
            found = self.front.objects.get(self.key)
        except FileNotFoundError:
            self._refuse(404, "NoSuchKey")
            return
        data = found.bytes().to_bytes()
        headers = describe(data)
        for name, value in found.attributes.items():
            headers[METADATA + str(name)] = str(value)
        self._give(data, headers)

    do_HEAD = do_GET  # noqa: N815 - named by the library

    def _give(self, data: bytes, headers: dict[str, str]) -> None:
        asked = self.headers.get("Range")
        if asked is None:
            self._answer(200, data, headers)
            return
        first, _, last = asked.removeprefix("bytes=").partition("-")
        start, end = int(first), min(int(last or len(data)) + 1, len(data))
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(data)}"
        self._answer(206, data[start:end], headers)

    def do_DELETE(self) -> None:
        try:
            self.front.objects.head(self.key)
        except FileNotFoundError:
            self._refuse(404, "NoSuchKey")
            return
        self.front.objects.delete(self.key)
        self._answer(204, b"", {})

    def _list(self, query: dict[str, list[str]]) -> None:
        """Answer with a page of keys."""
        prefix, delimiter = query.get("prefix", [""])[0], query.get("delimiter", [""])[0]
        after = (query.get("continuation-token") or query.get("start-after") or [""])[0]
        items = dict(self._list_items(prefix, delimiter))
        keys = [key for key in sorted(items) if key > after]
        page = keys[:PAGE_KEYS]
        more = len(keys) > len(page)
        token = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if more else ""
        body = (
            f"<ListBucketResult><Name>{NAME}</Name><IsTruncated>{str(more).lower()}</IsTruncated>"
            f"{token}{''.join(items[key] for key in page)}</ListBucketResult>"
        )
        self._answer(200, body.encode(), {"Content-Type": "application/xml"})

    def _list_items(self, prefix: str, delimiter: str) -> Iterator[tuple[str, str]]:
        """Return the objects and folders below a prefix, with their XML."""
        for page in self.front.objects.list(prefix.rpartition("/")[0]):
            for each in page:
                path = each["path"]
                if not path.startswith(prefix):
                    continue
                name, cut, _ = path[len(prefix) :].partition(delimiter or "\0")
                folder = prefix + name + delimiter
                yield (folder, write_folder(folder)) if cut else (path, write_object(each))

    def _refuse(self, status: int, code: str) -> None:
        self._answer(status, f"<Error><Code>{code}</Code></Error>".encode(), {})

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Log nothing: the tests look at `seen` instead."""


def describe(data: bytes) -> dict[str, str]:
    """Return the headers of an object."""
    return {
        "ETag": f'"{crc32(data):x}"',
        "x-goog-generation": "1",
        "Last-Modified": format_datetime(datetime.now(UTC), usegmt=True),
    }


def write_folder(path: str) -> str:
    return f"<CommonPrefixes><Prefix>{escape(path)}</Prefix></CommonPrefixes>"


def write_object(found: "ObjectMeta") -> str:
    return (
        f"<Contents><Key>{escape(found['path'])}</Key><Size>{found['size']}</Size>"
        f"<ETag>{escape(str(found['e_tag']))}</ETag><Generation>1</Generation>"
        f"<LastModified>{found['last_modified']:%Y-%m-%dT%H:%M:%S.%fZ}</LastModified></Contents>"
    )


@contextmanager
def google_front(server: S3Server) -> Iterator[GoogleFront]:
    front = GoogleFront(open_library("google", server.environment))
    handler = type("Handler", (Translating,), {"front": front})
    with serving(handler) as front.port:
        yield front
