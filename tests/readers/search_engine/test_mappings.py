"""An index has its own fields only, whatever else is in the blocks of its events."""

from typing import Any

import pytest
from tests.running import RunningService, encode_lines

WIDE = 2100
"""More fields than a block has columns."""


def find_types(service: RunningService, env: str, index: str) -> dict[str, str]:
    caps = service.client.get(f"/{index}/_field_caps", params={"env": env, "fields": "*"}).json()
    return {
        name: kind
        for name, kinds in caps["fields"].items()
        for kind in kinds
        if not name.startswith(("_", "@")) and name not in ("message", "source")
    }


def list_mapped(answer: Any) -> dict[str, set[str]]:
    own = {"@timestamp", "message"}
    return {index: set(each["mappings"]["properties"]) - own for index, each in answer.items()}


@pytest.mark.parametrize("wide", [0, WIDE], ids=["columns", "without_columns"])
def test_an_index_has_its_own_fields_only(service: RunningService, env: str, wide: int) -> None:
    wider = {f"w{number}": number for number in range(wide)}
    events = [
        *({"to": "one", "first": number, "both": number, "message": "a"} for number in range(9)),
        *({"to": "two", "second": "x", "both": "text", "message": "b"} for _ in range(9)),
        {"to": "three", **wider},
    ]
    for part in (events[0::2], events[1::2]):
        service.keep(encode_lines(part), {"env": env, "index": "{{to}}"})
    merged = service.client.post("/api/admin/compact", json={"env": env}).json()
    assert merged["blocks_after"] == (2 if wide else 1)
    mapped = service.client.get("/_mapping", params={"env": env}).json()
    expected = {"one": {"first", "both", "to"}, "two": {"second", "both", "to"}}
    assert list_mapped(mapped) == expected | {"three": {*wider, "to"}}
    assert find_types(service, env, "one") == {"first": "long", "both": "long", "to": "keyword"}
    assert find_types(service, env, "one,two")["both"] == "keyword"


def test_names_of_fields_and_labels_are_those_of_the_indexes(
    service: RunningService, env: str
) -> None:
    events = [{"to": "one", "host": "a", "n": 1}, {"to": "two", "pod": "b", "k.keyword": "x"}]
    service.keep(encode_lines(events), {"env": env, "index": "{{to}}"})
    labels = service.client.get(
        "/loki/api/v1/labels", params={"index": "one"}, headers={"X-Scope-OrgID": env}
    )
    assert labels.json()["data"] == ["host", "index"]
    listed = service.client.get(
        "/api/fields", params={"env": env, "index": "one", "query": "*", "counts": "false"}
    )
    assert {each["name"] for each in listed.json()} == {"_index", "host", "n", "to"}
    found = {
        index: service.client.post(
            f"/{index}/_search",
            params={"env": env},
            json={"aggs": {"k": {"terms": {"field": "k.keyword"}}}},
        ).json()["aggregations"]["k"]["buckets"]
        for index in ("one", "two")
    }
    assert found == {"one": [], "two": [{"key": "x", "doc_count": 1}]}
