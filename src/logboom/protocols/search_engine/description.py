"""What the server tells clients about itself before they send or search."""

import re

from logboom.model.names import normalise_index
from logboom.web.asgi import RawRequest

CLUSTER = "logboom"
CLUSTER_ID = "logboom-search-cluster"
VERSION = "8.19.0"
BEAT = re.compile(r"Elastic-[\w-]+/(\d{1,3}\.\d{1,3}\.\d{1,3})")


def find_version(request: RawRequest) -> str:
    """Return the version to claim: some Beats refuse a server that is older than they are."""
    beat = BEAT.search(request.headers.get("user-agent", ""))
    return beat[1] if beat else VERSION


def describe_server(request: RawRequest) -> object:
    version = {
        "number": find_version(request),
        "build_flavor": "default",
        "build_type": "docker",
        "build_hash": "0000000000000000000000000000000000000000",
        "build_date": "2025-01-01T00:00:00.000000000Z",
        "build_snapshot": False,
        "lucene_version": "9.12.0",
        "minimum_wire_compatibility_version": "7.17.0",
        "minimum_index_compatibility_version": "7.0.0",
    }
    return {
        "name": CLUSTER,
        "cluster_name": CLUSTER,
        "cluster_uuid": CLUSTER_ID,
        "version": version,
        "tagline": "You Know, for Search",
    }


def describe_nodes(request: RawRequest) -> object:
    """Return the address that the client used, for clients that discover nodes."""
    address = request.headers.get("host", "")
    node = {
        "name": CLUSTER,
        "version": find_version(request),
        "roles": ["data", "ingest", "master"],
        "http": {"publish_address": address},
        "ingest": {"processors": []},
    }
    return {"_nodes": ONE_OF_ONE, "cluster_name": CLUSTER, "nodes": {CLUSTER: node}}


def describe_new_index(request: RawRequest) -> object:
    index = normalise_index(request.path_values["index"])
    return {"acknowledged": True, "shards_acknowledged": True, "index": index}


ONE_OF_ONE = {"total": 1, "successful": 1, "failed": 0}
ACKNOWLEDGED = {"acknowledged": True}
NO_SETTINGS: dict[str, object] = {"persistent": {}, "transient": {}}
REFRESHED = {"_shards": ONE_OF_ONE}
LICENSE = {
    "license": {
        "status": "active",
        "uid": "00000000-0000-0000-0000-000000000000",
        "type": "basic",
        "issue_date": "2023-11-14T22:13:20.000Z",
        "issue_date_in_millis": 1700000000000,
        "issued_to": CLUSTER,
        "issuer": "elasticsearch",
        "start_date_in_millis": -1,
    }
}
FEATURES = {
    "build": {},
    "license": {"type": "basic", "mode": "basic", "status": "active"},
    "features": {
        "monitoring": {"available": True, "enabled": False},
        "ilm": {"available": True, "enabled": True},
    },
}
HEALTH = {
    "cluster_name": CLUSTER,
    "status": "green",
    "timed_out": False,
    "number_of_nodes": 1,
    "number_of_data_nodes": 1,
    "active_primary_shards": 1,
    "active_shards": 1,
    "relocating_shards": 0,
    "initializing_shards": 0,
    "unassigned_shards": 0,
    "delayed_unassigned_shards": 0,
    "number_of_pending_tasks": 0,
    "number_of_in_flight_fetch": 0,
    "task_max_waiting_in_queue_millis": 0,
    "active_shards_percent_as_number": 100.0,
}
NO_PROCESSORS = {"_nodes": ONE_OF_ONE, "cluster_name": CLUSTER, "nodes": {}}
"""The answer that nothing is missing."""
