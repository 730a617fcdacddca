"""Deterministic corpora for the benchmarks: the same seed gives the same bytes on every machine."""

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 2, tzinfo=UTC)
DAYS = 3
SERVICES = ["checkout", "payments", "search", "catalog", "auth", "frontend", "shipping", "email"]
METHODS = ["GET", "GET", "GET", "POST", "PUT", "DELETE"]
STATUSES = (
    [200] * 80 + [201] * 6 + [204] * 4 + [301, 302, 304] + [400, 401, 403, 404, 404] + [500, 503]
)
PATHS = ["/", "/login", "/cart", "/api/v1/items", "/api/v1/orders", "/api/v1/users", "/health"]
AGENTS = [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile/15E148 Safari/604.1",
    "curl/8.11.0",
    "okhttp/5.0.0",
]
LEVELS = ["info"] * 16 + ["debug"] * 4 + ["warn"] * 2 + ["error"]
LINES = [
    "Connection from {ip} port {port} established in {micros} us, session {n} opened for user svc-{small}",
    "Received block blk_{big} of size {size} from /{ip}:{port}; replica {small} written in {micros} us",
    "Slow query took {micros} us: SELECT * FROM orders WHERE customer_id = {n} AND total > {size} LIMIT {small}",
    "cache miss for key user:{n}:profile, {size} bytes from {ip}:{port} in {micros} us, ttl {small} s",
    "Scheduled job nightly-export-{small} finished: {n} rows, {size} bytes, {port} skipped in {micros} us",
    "GC pause {small}.{port} ms, heap {n} KiB before, {size} KiB after, {micros} objects promoted",
]
ERRORS = ["TimeoutError", "ConnectionResetError", "KeyError", "ValueError", "OperationalError"]
MODULES = [
    "db.pool",
    "http.client",
    "orders.service",
    "payments.gateway",
    "queue.worker",
    "cache.redis",
]


def make_mixed(events: int, seed: int = 7) -> Iterator[bytes]:
    """Yield `events` NDJSON lines: requests, free text, small events and exceptions."""
    rng = random.Random(seed)
    step = timedelta(days=DAYS) / max(events, 1)
    for number in range(events):
        time = START + step * number + timedelta(microseconds=rng.randrange(900))
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"
        kind = rng.random()
        if kind < 0.45:
            event = make_request(rng, stamp)
        elif kind < 0.85:
            event = make_line(rng, stamp)
        elif kind < 0.97:
            event = make_small(rng, stamp)
        else:
            event = make_exception(rng, stamp)
        yield json.dumps(event, separators=(",", ":")).encode() + b"\n"


def make_request(rng: random.Random, stamp: str) -> dict[str, object]:
    service = rng.choice(SERVICES)
    method, path, status = rng.choice(METHODS), rng.choice(PATHS), rng.choice(STATUSES)
    duration = round(rng.lognormvariate(3, 1), 2)
    return {
        "timestamp": stamp,
        "level": "error" if status >= 500 else "info",
        "service": service,
        "message": f"{method} {path} {status} {duration}ms",
        "trace_id": f"{rng.getrandbits(128):032x}",
        "span_id": f"{rng.getrandbits(64):016x}",
        "http": {
            "method": method,
            "path": path,
            "status": status,
            "duration_ms": duration,
            "bytes": int(rng.lognormvariate(7, 1.5)),
            "client_ip": make_ip(rng),
            "user_agent": rng.choice(AGENTS),
        },
        "k8s": {
            "namespace": "prod" if rng.random() < 0.8 else "staging",
            "pod": f"{service}-7d9f8b6c5d-x{rng.randrange(12):x}k9q",
            "node": f"node-{rng.randrange(24)}",
        },
    }


def make_line(rng: random.Random, stamp: str) -> dict[str, object]:
    text = rng.choice(LINES).format(
        ip=make_ip(rng),
        port=rng.randrange(1024, 65536),
        n=rng.randrange(1_000_000),
        big=rng.getrandbits(60),
        size=rng.randrange(100_000_000),
        micros=int(rng.lognormvariate(9, 2)),
        small=rng.randrange(40),
    )
    return {
        "timestamp": stamp,
        "level": rng.choice(LEVELS),
        "service": rng.choice(SERVICES),
        "message": text,
        "logger": rng.choice(MODULES),
        "thread": f"worker-{rng.randrange(16)}",
        "host": f"host-{rng.randrange(40):02d}.eu-west-1.internal.example.com",
    }


def make_small(rng: random.Random, stamp: str) -> dict[str, object]:
    return {
        "ts": stamp,
        "msg": f"feature flags evaluated for account {rng.randrange(50_000)}",
        "service": rng.choice(SERVICES),
        "tags": rng.sample(
            ["beta", "eu", "mobile", "internal", "canary", "dark-mode"], rng.randrange(1, 4)
        ),
        "cached": rng.random() < 0.7,
        "sampled": rng.random() < 0.1,
        "scores": [rng.randrange(100) for _ in range(3)],
        "user": {"id": rng.randrange(50_000), "plan": rng.choice(["free", "pro", "team"])},
    }


def make_exception(rng: random.Random, stamp: str) -> dict[str, object]:
    error, module = rng.choice(ERRORS), rng.choice(MODULES)
    frames = "\n".join(
        f'  File "/srv/app/{rng.choice(MODULES).replace(".", "/")}.py", line {rng.randrange(900)}, in call'
        for _ in range(rng.randrange(4, 12))
    )
    return {
        "timestamp": stamp,
        "level": "error",
        "service": rng.choice(SERVICES),
        "message": f"unhandled {error} in {module}",
        "logger": module,
        "exception": {
            "type": error,
            "stack": f"Traceback (most recent call last):\n{frames}\n{error}: failed",
        },
        f"attr_{rng.randrange(40)}": rng.randrange(1000),
    }


def make_wide(events: int, seed: int = 11) -> Iterator[bytes]:
    """Yield NDJSON lines that each carry about 20 of 300 sparse, partly nested fields."""
    rng = random.Random(seed)
    names = [f"field_{n:03d}" for n in range(200)]
    groups = [(f"group_{n // 10}", f"key_{n % 10}") for n in range(100)]
    for number in range(events):
        event: dict[str, object] = {
            "timestamp": 1772400000000 + number,
            "message": f"wide event {number}",
        }
        for name in rng.sample(names, 13):
            event[name] = make_value(rng, int(name[-3:]))
        for group, key in rng.sample(groups, 7):
            nested = event.setdefault(group, {})
            assert isinstance(nested, dict)
            nested[key] = make_value(rng, int(key[-1]))
        yield json.dumps(event, separators=(",", ":")).encode() + b"\n"


def make_value(rng: random.Random, field: int) -> object:
    """Return a value whose type belongs to its field."""
    makers = (
        lambda: rng.randrange(10_000),
        lambda: f"value-{rng.randrange(500)}",
        lambda: round(rng.lognormvariate(3, 1), 3),
        lambda: rng.random() < 0.5,
    )
    return makers[field % 4]()


def make_ip(rng: random.Random) -> str:
    return f"10.{rng.randrange(4)}.{rng.randrange(256)}.{rng.randrange(1, 255)}"


CORPORA = {"mixed": make_mixed, "wide": make_wide}
