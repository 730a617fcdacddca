"""What each service logs about a request, each in its own format."""

from logboom.samples.customers import SEARCHES
from logboom.samples.incident import POOL_SIZE, Trouble
from logboom.samples.stack_traces import JAVA, PYTHON
from logboom.samples.topology import Event
from logboom.samples.visits import LogEntry, Visit

STATUS_LEVELS = {2: "info", 3: "info", 4: "warn", 5: "error"}
CARDS = ("visa", "visa", "mastercard", "paypal", "klarna")
STATEMENTS = {
    "payments": "insert into payments (order_id, amount, currency) values ($1, $2, $3)",
    "products": "select id, name, price from products where id = any($1)",
}
GREEN, YELLOW, RED, PLAIN = "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[0m"


def find_level(status: int) -> str:
    return STATUS_LEVELS[status // 100]


def describe_user(visit: Visit) -> dict[str, str]:
    customer = visit.customer
    return {"id": customer.id, "plan": customer.plan, "country": customer.country}


def log_edge(visit: Visit, status: int, took_ms: float) -> LogEntry:
    """Return an access log line, and its fields."""
    customer = visit.customer
    size = 162 if status >= 400 else int(visit.rng.lognormvariate(9.2, 0.8))
    message = (
        f'{customer.ip} - {customer.id} "{visit.method} {visit.path} HTTP/2.0" {status} {size} '
        f'"https://shop.example/" "{customer.agent}" {took_ms / 1000:.3f}'
    )
    http = {"method": visit.method, "path": visit.path, "status": status, "bytes": size}
    client = {"ip": customer.ip, "agent": customer.agent}
    fields = {"request_id": visit.request_id, "http": http, "client": client}
    return LogEntry(find_level(status), message, {**fields, "user": describe_user(visit)})


def log_web(visit: Visit, status: int, took_ms: float) -> LogEntry:
    """Return a line for a developer's terminal, sometimes with colours."""
    message = f"{visit.method} {visit.path} {status} {took_ms:.0f}ms"
    if status >= 500:
        message = (
            f"{RED}{visit.method} {visit.path} {status}{PLAIN} {took_ms:.0f}ms upstream failed"
        )
    elif visit.rng.random() < 0.05:
        colour = GREEN if status < 400 else YELLOW
        message = f"{visit.method} {visit.path} {colour}{status}{PLAIN} {took_ms:.0f}ms"
    tags = ["ssr", visit.customer.plan] + (["slow"] if took_ms > 1000 else [])
    fields = {"request_id": visit.request_id, "http": {"status": status}, "tags": tags}
    return LogEntry(find_level(status), message, fields)


def log_catalog(visit: Visit, status: int, _took_ms: float) -> LogEntry:
    """Return JSON inside the message; a traceback when it fails."""
    if status >= 500:
        error = {"kind": "KeyError", "handled": False}
        return LogEntry("error", f"unhandled error\n{PYTHON['price']}", {"error": error})
    if visit.path.startswith("/search"):
        words = SEARCHES[int(visit.rng.random() * len(SEARCHES))]
        hits = 0 if words == "mirorr" else 1 + visit.rng.getrandbits(6)
        return LogEntry("info", f'{{"op":"search","query":"{words}","hits":{hits}}}', {})
    stock = visit.rng.getrandbits(7)
    message = f'{{"op":"show","product":"{visit.product}","stock":{stock}}}'
    return LogEntry("info", message, {"product": {"id": visit.product, "stock": stock}})


def log_cart(visit: Visit, status: int, took_ms: float) -> LogEntry:
    """Return a line of logfmt."""
    if status == 409:
        message = f'level=warn msg="out of stock" product={visit.product} user={visit.customer.id}'
        return LogEntry("warn", message, {"product": {"id": visit.product}})
    items = 1 + visit.rng.getrandbits(2)
    message = (
        f'level=info msg="cart saved" product={visit.product} items={items} '
        f"user={visit.customer.id} took={took_ms:.1f}ms"
    )
    return LogEntry("info", message, {"cart": {"items": items, "total": visit.total}})


def log_checkout(visit: Visit, status: int, took_ms: float) -> LogEntry:
    currency = visit.customer.currency
    order = {"id": visit.order_id, "total": visit.total, "currency": currency}
    fields = {"order": order, "user": describe_user(visit)}
    if status == 504:
        message = f"order {visit.order_id} failed: payments did not answer within 10000 ms"
        if visit.rng.random() < 0.5:
            message += f"\n{JAVA['deadline']}"
        return LogEntry("error", message, fields)
    if status == 502:
        message = f"order {visit.order_id} failed: connection to payments reset by peer"
        return LogEntry("error", message, fields)
    if status == 402:
        return LogEntry("warn", f"order {visit.order_id} not placed: payment declined", fields)
    message = f"order {visit.order_id} placed: {visit.total:.2f} {currency} in {took_ms:.0f} ms"
    return LogEntry("info", message, fields)


def log_payments(visit: Visit, status: int, took_ms: float) -> LogEntry:
    currency = visit.customer.currency
    card = CARDS[int(visit.rng.random() * len(CARDS))]
    fields: Event = {"payment": {"amount": visit.total, "currency": currency, "method": card}}
    if visit.trouble:
        return log_trouble(visit, visit.trouble, took_ms, fields)
    if status == 402:
        message = f"payment for order {visit.order_id} declined by {card}: insufficient funds"
        return LogEntry("warn", message, fields)
    amount = f"{visit.total:.2f} {currency}"
    return LogEntry(
        "info", f"payment for order {visit.order_id} authorised: {amount} by {card}", fields
    )


def log_trouble(visit: Visit, trouble: Trouble, took_ms: float, fields: Event) -> LogEntry:
    """Return what payments logs when its connection pool is empty."""
    waiting = trouble.waiting
    pool = {"size": POOL_SIZE, "active": POOL_SIZE, "idle": 0, "waiting": waiting}
    fields |= {"pool": pool}
    if trouble.status == 200:
        message = f"payment for order {visit.order_id} authorised, but had to wait for a connection"
        return LogEntry("warn", message, fields)
    if trouble.status == 502:
        message = f"liveness probe failed 3 times, closing {waiting} open requests and restarting"
        return LogEntry("error", message, fields)
    message = (
        f"HikariPool-1 - Connection is not available, request timed out after {took_ms:.0f}ms "
        f"(total={POOL_SIZE}, active={POOL_SIZE}, idle=0, waiting={waiting})"
    )
    if visit.rng.random() < 0.4:
        message += f"\n{JAVA['pool']}"
    return LogEntry("error", message, fields)


def log_auth(visit: Visit, status: int, _took_ms: float) -> LogEntry:
    customer = visit.customer
    fields = {"user": describe_user(visit), "client": {"ip": customer.ip}}
    if status == 401:
        return LogEntry("warn", f"wrong password for {customer.id} from {customer.ip}", fields)
    return LogEntry("info", f"{customer.id} signed in from {customer.ip}", fields)


def log_postgres(visit: Visit, _status: int, took_ms: float) -> LogEntry:
    table = "payments" if visit.path == "/checkout" else "products"
    level = "warn" if took_ms > 30 else "debug"
    message = f"duration: {took_ms:.3f} ms  execute <unnamed>: {STATEMENTS[table]}"
    return LogEntry(level, message, {"db": {"table": table, "rows": 1 + visit.rng.getrandbits(4)}})


def log_worker(visit: Visit, _status: int, took_ms: float) -> LogEntry:
    message = (
        f"level=info job=receipt order={visit.order_id} user={visit.customer.id} "
        f'took={took_ms:.0f}ms msg="mail sent"'
    )
    return LogEntry("info", message, {"job": {"name": "receipt", "queue": "mail"}})
