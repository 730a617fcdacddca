"""Writes a golden directory: data as one release leaves it when it is killed, and what it answers about it.

    python -m tests.golden.make <name> [<the release's src folder>]

The release is driven through its public API only. The directory goes to `<name>.tar.xz` beside this file, and
what the same release answers after a restart to `<name>.json.xz`. Directories are made once, by the release that they stand
for, and never again.
"""

import json
import lzma
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from tests.golden.events import DAYS, SPECIAL, encode, make_requests, make_sparse, make_wide
from tests.golden.questions import SETTINGS, ask_all
from tests.process.service import Service
from tests.waiting import poll_until

HERE = Path(__file__).parent
SOURCE = Path("/tmp/logboom-golden")
"""Where the file is that a pull source reads; part of the directory's documents, so it must not vary."""


def make(name: str, code: str) -> None:
    SOURCE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch) / "data"
        settings = SETTINGS | ({"PYTHONPATH": code} if code else {})
        service = Service(data, Path(scratch) / "log", settings)
        try:
            service.start()
            expected = fill(service)
            service.kill9()
            pack(data, HERE / f"{name}.tar.xz")
            service.start()
            expected |= ask_all(service)
        finally:
            service.close()
    answers = json.dumps(expected, indent=1, ensure_ascii=False, sort_keys=True)
    (HERE / f"{name}.json.xz").write_bytes(lzma.compress(answers.encode(), preset=9))


def fill(service: Service) -> dict[str, Any]:
    """Events and documents of every kind; the last events stay in the write-ahead log."""
    keep_documents(service)
    for number, day in enumerate(DAYS):
        send(service, encode(make_requests(day, 40, number * 40)), index="web")
    send(service, b"".join(line.encode() + b"\n" for line in SPECIAL))
    service.flush()
    send(service, encode([make_wide()]), env="staging", index="wide")
    send(service, b"a line that is no JSON\n[1,2]\n3\n", env="staging")
    service.flush()
    answer = service.ingest(encode(make_requests(DAYS[0], 20, 200)), key="flushed")
    service.flush()
    read_file(service)
    send(service, encode(make_sparse(DAYS[0], 400)), index="sparse")
    service.flush()
    service.post("/api/admin/compact", {}).raise_for_status()
    poll_until(lambda: has_checkpoint(service.data), "a checkpoint")
    send(service, encode(make_requests(DAYS[1], 10, 250)), index="web")
    service.flush()
    waiting = service.ingest(encode(make_requests(DAYS[1], 20, 300)), key="waiting")
    send(service, encode(make_requests(DAYS[2], 20, 400)), env="staging", index="web")
    answers = {"flushed": answer.json(), "waiting": waiting.json()}
    return {"answers": answers}


def has_checkpoint(data: Path) -> bool:
    return any((data / "store" / "_delta_log").glob("*.checkpoint.parquet"))


def send(service: Service, body: bytes, env: str = "default", index: str = "") -> None:
    path = f"/api/ingest?env={env}" + (f"&index={index}" if index else "")
    service.call("POST", path, content=body).raise_for_status()


def read_file(service: Service) -> None:
    """Have a pull source read a file; how far it came is a mark in the catalog."""
    lines = "".join(f"2025-03-01T20:00:{second:02d}Z line {second}\n" for second in range(5))
    (SOURCE / "app.log").write_text(lines)
    document = {"name": "files", "path": f"{SOURCE}/app.log", "index": "files", "enabled": False}
    source = service.post("/api/sources", document).raise_for_status().json()
    try:
        poll_until(lambda: run_source(service, source["id"]), "the file to be read")
    finally:
        shutil.rmtree(SOURCE)


def run_source(service: Service, source_id: str) -> bool:
    """Read once; whether all lines are searchable now. The last one waits until the file is quiet."""
    service.post(f"/api/sources/{source_id}/run", {}).raise_for_status()
    service.flush()
    return len(service.search("_index:files")["rows"]) == 5


def keep_documents(service: Service) -> None:
    made: dict[str, list[dict[str, object]]] = {
        "/api/envs": [{"name": "staging", "retention_days": 36500}],
        "/api/users": [
            {"username": "erika", "password": "a long enough password", "role": "editor"},
            {
                "username": "viktor",
                "password": "a long enough password",
                "role": "viewer",
                "indexes": ["web"],
            },
        ],
        "/api/keys": [{"name": "reader", "scopes": ["search"], "envs": ["staging"]}],
        "/api/tokens": [{"name": "shipper", "env": "staging", "indexes": ["app-*"]}],
        "/api/queries": [{"name": "errors", "query": "level:error | stats count by service"}],
        "/api/alerts": [
            {
                "name": "many errors",
                "query": "level:error | stats count",
                "operator": "above",
                "threshold": 5,
            },
        ],
        "/api/channels": [
            {
                "name": "desk",
                "kind": "webhook",
                "url": "https://desk.test/hook",
                "secret": "s" * 32,
            },
        ],
        "/api/dashboards": [
            {
                "name": "shop",
                "shared": True,
                "variables": [{"name": "service", "field": "service", "default": "*"}],
                "panels": [
                    {
                        "title": "errors",
                        "query": "level:error service:$service | timechart 1h count by service",
                        "x": 0,
                        "y": 0,
                        "w": 6,
                        "h": 4,
                    },
                ],
            },
        ],
        "/api/links": [{"address": "/explore?q=failed"}],
    }
    for path, documents in made.items():
        for document in documents:
            service.post(path, document).raise_for_status()
    changes = {"storage": {"block_flush_rows": 40_000}}
    service.call("PATCH", "/api/settings", json=changes).raise_for_status()
    table = {"csv": "service,team\ncheckout,shop\npayments,money\n"}
    service.call("PUT", "/api/lookups/teams", json=table).raise_for_status()


def pack(data: Path, archive: Path) -> None:
    """Pack the directory as a process that died leaves it, without any trace of this machine."""

    def anonymise(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = 0
        return entry

    with tarfile.open(archive, "w:xz", preset=9) as tar:
        tar.add(data, "data", filter=anonymise)


if __name__ == "__main__":
    make(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
