"""The symptoms of the incident: failing purchases, detected leaks, complaints; and the releases."""

from logboom.samples.background import label
from logboom.samples.customers import Random, pick_customer
from logboom.samples.incident import REGION, RELEASED, SERVICE, VERSION, Incident
from logboom.samples.journeys import make_purchase
from logboom.samples.stack_traces import JAVA
from logboom.samples.topology import SERVICES, Event
from logboom.samples.traffic import Period

COMPLAINTS = (
    "checkout just spins and then says 504, have I been charged?",
    "tried to pay three times, nothing happens",
    "your payment page is broken",
    "paid but got no receipt, please help!!",
    "will not wait another ten seconds for an error page",
)
OTHER_RELEASES = (
    (0.12, "catalog", "us-east-1"),
    (0.4, "web", "eu-west-1"),
    (0.7, "cart", "eu-west-1"),
)
"""As shares of the whole period; harmless."""


def make_symptom(rng: Random, incident: Incident, time_ns: int) -> list[Event]:
    """Return a symptom: mostly a customer who tries to buy, repeatedly."""
    chance = rng.random()
    if chance < 0.8:
        return make_purchase(rng, incident, time_ns, REGION)
    if chance < 0.9:
        return [make_leak(rng, time_ns)]
    if chance < 0.96:
        return [notice_idle_session(rng, incident, time_ns)]
    return [complain(rng, incident, time_ns)]


def make_leak(rng: Random, time_ns: int) -> Event:
    """Return the event that shows the cause."""
    pod = rng.choice(list(RELEASED.values()))
    thread = f"http-nio-8080-exec-{1 + rng.getrandbits(4)}"
    message = f"Connection leak detection triggered on thread {thread}, stack trace follows"
    return {
        "timestamp": time_ns,
        "level": "warn",
        **pod.labels,
        "message": f"{message}\n{JAVA['leak']}",
        "thread": thread,
        "tags": ["hikari", "leak"],
    }


def notice_idle_session(rng: Random, incident: Incident, time_ns: int) -> Event:
    seconds = int(30 + 600 * incident.progress(time_ns) * rng.random())
    pid = 2000 + rng.getrandbits(10)
    message = f"process {pid} of payments@shop is idle in transaction for {seconds} s"
    begun = label(rng, incident, time_ns, ("postgres", REGION), "warn")
    return begun | {"message": message, "db": {"pid": pid, "client": "payments"}}


def complain(rng: Random, incident: Incident, time_ns: int) -> Event:
    customer = pick_customer(rng, REGION)
    begun = label(rng, incident, time_ns, ("web", REGION), "warn")
    user = {"id": customer.id, "plan": customer.plan, "country": customer.country}
    message = f"contact form: {rng.choice(COMPLAINTS)}"
    return begun | {"message": message, "user": user, "tags": ["complaint"]}


def release(rng: Random, incident: Incident, time_ns: int, what: Event, message: str) -> Event:
    begun = label(rng, incident, time_ns, ("deploy", what["region"]), "info")
    return begun | {"message": message, "deploy": what}


def list_landmarks(rng: Random, incident: Incident, period: Period) -> list[Event]:
    """Return events that are always present, however few are ordered, by time: all releases, the cause, a complaint."""
    window, good = incident.window, SERVICE.version
    bad: Event = {"service": SERVICE.name, "version": VERSION, "previous": good, "region": REGION}
    back = {**bad, "version": good, "previous": VERSION}
    pods = f"{len(RELEASED)} of {SERVICE.pods_per_region} pods"
    told = f"deployed payments {VERSION} to {REGION} ({pods}): audit trail for refunds"
    undone = f"rolled back payments {VERSION} to {good} in {REGION}: errors at checkout"
    others = [
        release(rng, incident, period.find(share), *describe_release(name, region))
        for share, name, region in OTHER_RELEASES
    ]
    return [
        *others,
        release(rng, incident, window.from_ns, bad, told),
        make_leak(rng, window.find(0.1)),
        complain(rng, incident, window.find(0.5)),
        release(rng, incident, window.to_ns, back, undone),
    ]


def describe_release(name: str, region: str) -> tuple[Event, str]:
    version = SERVICES[name].version
    what = {"service": name, "version": version, "region": region}
    return what, f"deployed {name} {version} to {region} (all pods): dependencies updated"
