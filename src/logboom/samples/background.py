"""What happens without customers: files, bots, probes, jobs, the database, one event each."""

from collections.abc import Callable

from logboom.samples.customers import AGENTS, Random, pick_customer
from logboom.samples.incident import POOL_SIZE, VERSION, Incident
from logboom.samples.journeys import REGION_NAMES, pick_region
from logboom.samples.messages import GREEN, PLAIN
from logboom.samples.stack_traces import PYTHON
from logboom.samples.topology import PODS, Event

FILES = ("/static/app.js", "/static/app.css", "/static/logo.svg", "/images/lamp-arc.webp")
PROBED = ("/wp-login.php", "/.env", "/admin/config.php", "/.git/config", "/phpmyadmin/")
BOTS = ("192.0.2.66", "192.0.2.67", "203.0.113.250")
JOBS = ("thumbnails", "stock-sync", "invoices", "newsletter")
TABLES = ("orders", "products", "carts", "sessions")

Remark = Callable[[Random, Incident, int, str], Event]
"""One event of a region."""


def label(
    rng: Random, incident: Incident, time_ns: int, place: tuple[str, str], level: str
) -> Event:
    """Return the start of an event of some pod of that service and region."""
    pods = PODS[place]
    pod = incident.find_pod(pods[int(rng.random() * len(pods))], time_ns)
    return {"timestamp": time_ns, "level": level, **pod.labels}


def serve(rng: Random, ip: str, agent: str, path: str, status: int) -> Event:
    size = 153 if status != 200 else int(rng.lognormvariate(10, 1))
    return {
        "message": f'{ip} - - "GET {path} HTTP/2.0" {status} {size} "-" "{agent}" 0.001',
        "duration_ms": round(rng.lognormvariate(0, 0.5), 2),
        "http": {"method": "GET", "path": path, "status": status, "bytes": size},
        "client": {"ip": ip, "agent": agent},
    }


def remark_file(rng: Random, incident: Incident, time_ns: int, region: str) -> Event:
    ip = pick_customer(rng, region).ip
    status = 304 if rng.random() < 0.3 else 200
    said = serve(rng, ip, rng.choice(AGENTS), rng.choice(FILES), status)
    return label(rng, incident, time_ns, ("edge", region), "info") | said


def remark_bot(rng: Random, incident: Incident, time_ns: int, region: str) -> Event:
    said = serve(rng, rng.choice(BOTS), "zgrab/0.x", rng.choice(PROBED), 404)
    return label(rng, incident, time_ns, ("edge", region), "warn") | said | {"tags": ["bot"]}


def remark_probe(rng: Random, incident: Incident, time_ns: int, region: str) -> Event:
    said = serve(rng, "10.0.0.10", "kube-probe/1.30", "/healthz", 200)
    return label(rng, incident, time_ns, ("edge", region), "debug") | said


def remark_job(rng: Random, incident: Incident, time_ns: int, region: str) -> Event:
    is_failed = rng.random() < 0.03
    job, took_ms = "receipt" if is_failed else rng.choice(JOBS), rng.lognormvariate(6, 1)
    fields = {"duration_ms": round(took_ms, 1), "job": {"name": job, "queue": "default"}}
    begun = label(rng, incident, time_ns, ("worker", region), "info")
    if is_failed:
        message = f"job {job} failed, will be tried again\n{PYTHON['mail']}"
        return begun | {"level": "error", "message": message, **fields}
    message = f'level=info job={job} items={rng.getrandbits(8)} took={took_ms:.0f}ms msg="done"'
    return begun | {"message": message, **fields}


def remark_database(rng: Random, incident: Incident, time_ns: int, region: str) -> Event:
    begun = label(rng, incident, time_ns, ("postgres", region), "info")
    table, chance = rng.choice(TABLES), rng.random()
    if chance < 0.5:
        written = rng.getrandbits(11)
        message = f"checkpoint complete: wrote {written} buffers ({written / 163.84:.1f}%)"
        return begun | {"message": message, "db": {"buffers": written}}
    if chance < 0.8:
        message = f'automatic vacuum of table "shop.public.{table}": index scans: 1'
        return begun | {"message": message, "db": {"table": table}}
    took_ms = 200 + rng.lognormvariate(6, 0.7)
    message = f"duration: {took_ms:.3f} ms  statement: refresh materialized view {table}_by_day"
    fields = {"duration_ms": round(took_ms, 2), "db": {"table": table, "rows": 1}}
    return begun | {"level": "warn", "message": message, **fields}


def remark_pool(rng: Random, incident: Incident, time_ns: int, region: str) -> Event:
    begun = label(rng, incident, time_ns, ("payments", region), "debug")
    active, waiting = 1 + rng.getrandbits(2), 0
    if begun["version"] == VERSION:
        progress = incident.progress(time_ns)
        active = min(POOL_SIZE, int(4 + 60 * progress))
        waiting = int(60 * progress) if active == POOL_SIZE else 0
        begun["level"] = "warn" if waiting else "debug"
    pool = {"size": POOL_SIZE, "active": active, "idle": POOL_SIZE - active, "waiting": waiting}
    counted = f"total={POOL_SIZE}, active={active}, idle={POOL_SIZE - active}, waiting={waiting}"
    return begun | {"message": f"HikariPool-1 - Pool stats ({counted})", "pool": pool}


def remark_build(rng: Random, incident: Incident, time_ns: int, region: str) -> Event:
    begun = label(rng, incident, time_ns, ("web", region), "debug")
    message = f"{GREEN}✓{PLAIN} template cache filled in {rng.getrandbits(8)} ms"
    return begun | {"message": message, "tags": ["ssr", "cache"]}


REMARKS: dict[Remark, int] = {
    remark_file: 40,
    remark_bot: 6,
    remark_probe: 8,
    remark_job: 18,
    remark_database: 10,
    remark_pool: 12,
    remark_build: 2,
}
CHOICES = list(REMARKS)
WEIGHTS = list(REMARKS.values())


def make_remark(rng: Random, incident: Incident, time_ns: int) -> list[Event]:
    """Return a random background event."""
    remark = rng.choices(CHOICES, WEIGHTS)[0]
    return [remark(rng, incident, time_ns, pick_region(rng))]


def make_last_event(rng: Random, incident: Incident, time_ns: int) -> Event:
    """Return a last event, at the end of the period."""
    return remark_probe(rng, incident, time_ns, REGION_NAMES[0])
