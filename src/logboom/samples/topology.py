"""The services, regions and pods of the shop."""

from typing import Any, NamedTuple

Event = dict[str, Any]
"""An event being built; `timestamp` is in nanoseconds until it is written."""

INDEX_TEMPLATE = "shop-{{tier}}"


class Service(NamedTuple):
    """A service; its own processing time is log-normal."""

    name: str
    tier: str
    version: str
    pods_per_region: int
    median_ms: float
    spread: float


class Pod(NamedTuple):
    """A running instance of a service, as its events describe it."""

    service: Service
    region: str
    number: int
    labels: Event


SERVICES = {
    service.name: service
    for service in (
        Service("edge", "web", "1.27.2", 2, 1.2, 0.5),
        Service("web", "web", "3.19.4", 4, 14.0, 0.5),
        Service("cart", "app", "1.8.0", 3, 6.0, 0.5),
        Service("checkout", "app", "4.2.7", 4, 25.0, 0.4),
        Service("payments", "app", "2.4.0", 6, 90.0, 0.5),
        Service("catalog", "app", "5.1.2", 4, 9.0, 0.7),
        Service("auth", "app", "2.0.11", 2, 35.0, 0.3),
        Service("worker", "app", "1.3.9", 2, 220.0, 0.9),
        Service("deploy", "app", "0.9.1", 1, 1.0, 0.1),
        Service("postgres", "db", "16.4", 1, 2.5, 1.0),
    )
}
INDEXES = sorted({f"shop-{service.tier}" for service in SERVICES.values()})

REGIONS = {"eu-west-1": 5, "us-east-1": 3, "ap-south-1": 2}
"""The distribution of customers."""

OUTSIDE_THE_CLUSTER = {"edge", "postgres"}


def make_pod(service: Service, region: str, number: int, version: str | None = None) -> Pod:
    """Return an instance of the service; `version` overrides its usual one."""
    version = version or service.version
    area = region.split("-")[0]
    labels: Event = {"service": service.name, "tier": service.tier, "region": region}
    if service.name in OUTSIDE_THE_CLUSTER:
        labels |= {"host": f"{area}-{service.name}-{number + 1:02d}", "version": version}
        return Pod(service, region, number, labels)
    revision = f"{sum(map(ord, service.name + version)) * 7919 % 0xFFFFF:05x}"
    labels |= {
        "host": f"{area}-node-{(number * 3 + len(service.name)) % 7 + 1:02d}",
        "version": version,
        "k8s": {"namespace": "shop", "pod": f"{service.name}-{revision}-{area}{number}"},
    }
    return Pod(service, region, number, labels)


PODS = {
    (service.name, region): [
        make_pod(service, region, number) for number in range(service.pods_per_region)
    ]
    for service in SERVICES.values()
    for region in REGIONS
}
