"""What is asked about a golden directory: every event, a few figures, and every control document."""

import json
import lzma
from pathlib import Path
from typing import Any

from tests.process.service import Service

SETTINGS = {
    "SERVICE_BLOCK_FLUSH_SECS": "3600",
    "SERVICE_BLOCK_MAX_FIELDS": "40",
    "SERVICE_CHECKPOINT_COMMITS": "3",
    "SERVICE_SOURCE_ROOTS": "/tmp/logboom-golden",
    "SERVICE_LOG_LEVEL": "warning",
}
"""How the service runs that writes a golden directory, and the one that opens it."""

ENVIRONMENTS = ("default", "staging")
EVERYTHING = {"from": "1677-10-01T00:00:00Z", "to": "2262-04-01T00:00:00Z"}

TABLES = (
    "* | stats count by service, level | sort service, level",
    "* | stats count, min(duration), max(duration), sum(status) by _index | sort _index",
    "service:checkout status>=202 | stats count",
    "took 13 ms | stats count",
    "code:* | stats count by code | sort code",
    "http.request.headers.host:shop.test | stats count",
    "attribute_007:* | stats count by attribute_007",
    "attribute_089:value | stats count",
    "texts:y | stats count",
    "ints>2 | stats count",
    "big:* | stats count",
    "cached:true | stats count by status | sort status",
    "* | stats min(_time), max(_time) by _index | sort _index",
)
"""Queries that answer with a table."""

DOCUMENTS = (
    *("/api/users", "/api/envs", "/api/keys", "/api/tokens", "/api/queries", "/api/alerts"),
    *("/api/settings", "/api/lookups", "/api/sources", "/api/channels", "/api/dashboards"),
)

CHANGING = frozenset(
    {
        # What moves on by itself while a service runs.
        *(
            "state",
            "last_used",
            "last_used_ns",
            "last_login",
            "checked",
            "status",
            "events",
            "size_bytes",
        ),
        *("oldest", "newest", "bytes", "blocks", "last_run", "node"),
        # Which extras are there.
        "installed",
    }
)


def ask_all(service: Service) -> dict[str, Any]:
    """Events by environment, tables by query, documents by path."""
    return {
        "events": {env: list_events(service, env) for env in ENVIRONMENTS},
        "raw": {env: list_events(service, env, raw=True) for env in ENVIRONMENTS},
        "tables": {
            env: {query: ask(service, env, query) for query in TABLES} for env in ENVIRONMENTS
        },
        "documents": {path: read_document(service, path) for path in DOCUMENTS},
    }


def read_expected(archive: Path) -> dict[str, Any]:
    """What the build that wrote a directory answered to all of it."""
    answers: dict[str, Any] = json.loads(lzma.decompress(archive.read_bytes()))
    return answers | {"documents": leave_out_changing(answers["documents"])}


def list_events(service: Service, env: str, **options: object) -> list[dict[str, Any]]:
    answer = service.search("", env=env, limit=10_000, **EVERYTHING, **options)
    rows: list[dict[str, Any]] = answer["rows"]
    return rows


def ask(service: Service, env: str, query: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = service.search(query, env=env, limit=1000, **EVERYTHING)["rows"]
    return rows


def read_document(service: Service, path: str) -> Any:
    return leave_out_changing(service.call("GET", path).raise_for_status().json())


def leave_out_changing(value: Any) -> Any:
    if isinstance(value, list):
        return [leave_out_changing(each) for each in value]
    if isinstance(value, dict):
        return {
            name: leave_out_changing(each) for name, each in value.items() if name not in CHANGING
        }
    return value
