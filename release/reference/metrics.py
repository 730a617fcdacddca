"""Every metric of `/metrics`, as it describes itself."""

from collections.abc import Iterator

from prometheus_client import REGISTRY, Metric

import logboom.base.stores.bucket
import logboom.engine.cluster.counts
import logboom.server  # noqa: F401 - brings every other metric with it
from release.reference.tables import code, make_table

HEAD = """# Metrics

`GET /metrics` shows them in the text format of Prometheus. [What to watch](../operations.md#metrics) says which of them are worth
an alarm. Counters only grow while the process runs; a histogram has `_bucket`, `_sum` and `_count`.

"""


def make_metrics() -> str:
    rows = sorted(list_metrics())
    return HEAD + make_table(("Metric", "Kind", "Meaning"), rows)


def list_metrics() -> Iterator[tuple[str, ...]]:
    for family in REGISTRY.collect():
        if family.name.startswith("logboom_"):
            yield code(name_metric(family)), family.type, family.documentation


def name_metric(family: Metric) -> str:
    return f"{family.name}_total" if family.type == "counter" else family.name
