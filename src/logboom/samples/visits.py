"""A request on its way through the services: one trace with nested spans."""

from collections.abc import Callable
from typing import NamedTuple

from msgspec import field

from logboom.base.clock import NS_PER_S
from logboom.base.structs import MutableStruct
from logboom.samples.customers import PRODUCT_NAMES, PRODUCTS, Customer, Random, pick_customer
from logboom.samples.incident import NS_PER_MS, Incident, Trouble
from logboom.samples.topology import PODS, SERVICES, Event

DEADLINE_NS = 10 * NS_PER_S
"""How long checkout waits for payments."""


class LogEntry(NamedTuple):
    """What a service logs about a span when it ends."""

    level: str
    message: str
    fields: Event


class Visit(MutableStruct):
    """A customer's request, and the events that it produces."""

    rng: Random
    incident: Incident
    region: str
    method: str
    path: str
    customer: Customer
    product: str
    order_id: int
    total: float
    trace_id: str
    trouble: Trouble | None = None
    events: list[Event] = field(default_factory=list)

    @property
    def request_id(self) -> str:
        return f"req-{self.trace_id[-12:]}"


WriteEntry = Callable[[Visit, int, float], LogEntry]
"""Called with the status and the duration in milliseconds."""
Settle = Callable[[Visit], int]
"""Returns the status that a service produces by itself."""


class Call(NamedTuple):
    """A call to a service: which services it calls in turn, and what it logs at the end."""

    service: str
    write: WriteEntry
    calls: tuple["Call", ...] = ()
    settle: Settle | None = None


def begin_visit(
    rng: Random, incident: Incident, region: str, method: str, path_template: str
) -> Visit:
    product = PRODUCT_NAMES[int(rng.random() ** 2 * len(PRODUCT_NAMES))]
    return Visit(
        rng,
        incident,
        region,
        method,
        path_template.replace("{product}", product),
        pick_customer(rng, region),
        product,
        100_000 + rng.getrandbits(19),
        round(PRODUCTS[product] * (1 + rng.getrandbits(2)), 2),
        f"{rng.getrandbits(128):032x}",
    )


def run_call(visit: Visit, call: Call, start_ns: int, parent_id: str | None) -> tuple[int, int]:
    """Add the events of a call and all below it; return its end and its status."""
    rng = visit.rng
    service = SERVICES[call.service]
    pods = PODS[service.name, visit.region]
    pod = visit.incident.find_pod(pods[int(rng.random() * len(pods))], start_ns)
    span_id = f"{rng.getrandbits(64):016x}"
    own_ns = int(service.median_ms * rng.lognormvariate(0, service.spread) * NS_PER_MS)
    time_ns, status = start_ns + own_ns // 4, 200
    trouble = visit.incident.find_trouble(rng, pod, start_ns)
    if trouble:
        visit.trouble = trouble
        time_ns, status = time_ns + trouble.wait_ns, trouble.status
    if status == 200:
        time_ns, status = run_inner(visit, call, time_ns, span_id)
    if status == 504 and service.name == "checkout":
        time_ns = max(time_ns, start_ns + DEADLINE_NS)
    time_ns += own_ns - own_ns // 4
    took_ms = (time_ns - start_ns) / NS_PER_MS
    entry = call.write(visit, status, took_ms)
    event: Event = {"timestamp": time_ns, "level": entry.level, **pod.labels}
    event |= {"trace_id": visit.trace_id, "span_id": span_id}
    if parent_id:
        event["parent_span_id"] = parent_id
    event |= {"message": entry.message, "duration_ms": round(took_ms, 2), **entry.fields}
    visit.events.append(event)
    return time_ns, status


def run_inner(visit: Visit, call: Call, time_ns: int, span_id: str) -> tuple[int, int]:
    """Run the calls that a service makes, one after the other until one fails; return the end and the status."""
    for inner in call.calls:
        time_ns, status = run_call(visit, inner, time_ns, span_id)
        if status >= 400:
            return time_ns, status
    return time_ns, call.settle(visit) if call.settle else 200
