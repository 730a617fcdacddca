"""A client of the Loki API, with the parameters and headers that Grafana and logcli send."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx
from tests.running import RunningService

FIRST_S = 1_700_000_000
START_NS = FIRST_S * 10**9
CATEGORIZE = {"X-Loki-Response-Encoding-Flags": "categorize-labels"}

Labels = dict[str, str]
Entry = tuple[int, str]


class Stream(NamedTuple):
    labels: Labels
    entries: list[list[Any]]


class LokiClient:
    """Asks one environment, as its tenant."""

    def __init__(self, service: RunningService, env: str) -> None:
        self.service = service
        self.env = env

    def push(self, *streams: tuple[Labels, list[Any]]) -> None:
        """Push streams of entries, and make them searchable."""
        body = {"streams": [{"stream": labels, "values": values} for labels, values in streams]}
        answer = self.service.anonymous.post(
            "/loki/api/v1/push", params={"env": self.env}, json=body
        )
        assert answer.status_code == 204, answer.text
        self.service.flush()

    def get(
        self, path: str, headers: Mapping[str, str] | None = None, **parameters: Any
    ) -> httpx.Response:
        sent: dict[str, Any] = {
            "start": str(START_NS),
            "end": str(START_NS + 10**12),
        } | parameters
        return self.service.client.get(
            f"/loki/api/v1/{path}",
            params=sent,
            headers={"X-Scope-OrgID": self.env, **(headers or {})},
        )

    def read(self, path: str, **parameters: Any) -> Any:
        """Return the data of an answer that must be a success."""
        answer = self.get(path, **parameters)
        assert answer.status_code == 200, answer.text
        content = answer.json()
        assert content["status"] == "success"
        return content["data"]

    def list_streams(self, query: str, **parameters: Any) -> list[Stream]:
        data = self.read("query_range", query=query, **parameters)
        assert data["resultType"] == "streams"
        return [Stream(each["stream"], each["values"]) for each in data["result"]]

    def list_entries(self, query: str, **parameters: Any) -> list[Entry]:
        """Return the entries of all streams, the oldest first; those of equal times in the order of arrival."""
        streams = self.list_streams(query, **parameters)
        entries = [(int(time), line) for stream in streams for time, line, *_ in stream.entries]
        return sorted(entries, key=lambda entry: entry[0])
