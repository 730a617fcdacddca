"""The metrics of the cluster."""

from prometheus_client import Counter, Gauge

tasks_sent = Counter("logboom_cluster_tasks", "Tasks that were sent to the cluster")
tasks_failed = Counter(
    "logboom_cluster_tasks_failed", "Tasks of the cluster that failed or got lost"
)
blocks_taken_back = Counter(
    "logboom_cluster_blocks_taken_back",
    "Blocks that the node read itself because the cluster did not",
)
workers_seen = Gauge("logboom_cluster_workers", "Workers of the cluster that are connected")
