"""What customers do: their paths through the services, and how frequent each is."""

from collections.abc import Callable
from typing import NamedTuple

from logboom.base.clock import NS_PER_S
from logboom.samples import messages
from logboom.samples.customers import Random
from logboom.samples.incident import Incident
from logboom.samples.topology import REGIONS, Event
from logboom.samples.visits import Call, Settle, Visit, begin_visit, run_call


class Journey(NamedTuple):
    """A path; `later` is done by a worker after the customer has the answer."""

    weight: int
    method: str
    path: str
    call: Call
    later: Call | None = None


def sometimes(share: float, status: int) -> Settle:
    """Return a service that occasionally ends with this status."""
    return lambda visit: status if visit.rng.random() < share else 200


def at_edge(*calls: Call) -> Call:
    return Call("edge", messages.log_edge, (Call("web", messages.log_web, calls),))


POSTGRES = Call("postgres", messages.log_postgres)
CATALOG = Call("catalog", messages.log_catalog, settle=sometimes(0.008, 500))
CATALOG_ON_DISK = Call("catalog", messages.log_catalog, (POSTGRES,))
CART = Call("cart", messages.log_cart, settle=sometimes(0.02, 409))
AUTH = Call("auth", messages.log_auth, settle=sometimes(0.08, 401))
PAYMENTS = Call("payments", messages.log_payments, (POSTGRES,), sometimes(0.03, 402))
CHECKOUT = Call("checkout", messages.log_checkout, (Call("cart", messages.log_cart), PAYMENTS))
RECEIPT = Call("worker", messages.log_worker)

JOURNEYS = {
    "look": Journey(40, "GET", "/product/{product}", at_edge(CATALOG)),
    "search": Journey(22, "GET", "/search", at_edge(CATALOG_ON_DISK)),
    "add": Journey(14, "POST", "/cart", at_edge(CART)),
    "sign in": Journey(8, "POST", "/login", at_edge(AUTH)),
    "buy": Journey(12, "POST", "/checkout", at_edge(CHECKOUT), RECEIPT),
}
NAMES = list(JOURNEYS)
WEIGHTS = [journey.weight for journey in JOURNEYS.values()]
REGION_NAMES = list(REGIONS)
REGION_WEIGHTS = list(REGIONS.values())

Story = Callable[[Random, Incident, int], list[Event]]
"""Something that happens from a time on, as the events that it produces."""


def travel(visit: Visit, journey: Journey, start_ns: int) -> list[Event]:
    end_ns, status = run_call(visit, journey.call, start_ns, None)
    if journey.later and status == 200:
        pause_ns = int((0.2 + 4 * visit.rng.random()) * NS_PER_S)
        run_call(visit, journey.later, end_ns + pause_ns, None)
    return visit.events


def pick_region(rng: Random) -> str:
    return rng.choices(REGION_NAMES, REGION_WEIGHTS)[0]


def make_journey(rng: Random, incident: Incident, start_ns: int) -> list[Event]:
    """Return the events of a customer's visit to the shop."""
    journey = JOURNEYS[rng.choices(NAMES, WEIGHTS)[0]]
    visit = begin_visit(rng, incident, pick_region(rng), journey.method, journey.path)
    return travel(visit, journey, start_ns)


def make_purchase(rng: Random, incident: Incident, start_ns: int, region: str) -> list[Event]:
    """Return the events of a customer of the region who buys something."""
    journey = JOURNEYS["buy"]
    visit = begin_visit(rng, incident, region, journey.method, journey.path)
    return travel(visit, journey, start_ns)
