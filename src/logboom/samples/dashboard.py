"""The dashboard of the samples: how the shop is doing, and where its incident shows."""

from typing import Any

NAME = "Sample shop"

INTRODUCTION = """\
## A made-up web shop
Something went wrong here: **checkout** answers with errors and gets slow. Drag over a chart to zoom in on it, choose a service
above, and open any panel in Explore to look at the events behind it."""


def make_dashboard(env: str, index: str, hours: int) -> dict[str, Any]:
    """Return the members of the dashboard, as in a request to create it."""
    return {
        "name": NAME,
        "description": "How the shop of the sample data is doing.",
        "env": env,
        "index": index,
        "is_shared": True,
        "from_": f"-{hours}h",
        "to": "now",
        "refresh_secs": 0,
        "variables": [
            {"name": "service", "field": "service", "default": ""},
            {"name": "region", "field": "region", "default": ""},
        ],
        "marks": {"query": "service:deploy", "alerts": False},
        "panels": PANELS,
    }


SCOPE = 'service:"$service" region:"$region"'


def panel(title: str, query: str, place: tuple[int, int, int, int], **chart: Any) -> dict[str, Any]:
    x, y, w, h = place
    return {"title": title, "query": query, "chart": chart, "x": x, "y": y, "w": w, "h": h}


def limit(value: float, colour: str) -> dict[str, object]:
    return {"value": value, "color": colour}


PANELS = [
    panel("", "", (0, 0, 24, 3), kind="text", text=INTRODUCTION),
    panel("Events", f"{SCOPE} | timechart count", (0, 3, 6, 4), kind="single", show="sum"),
    panel(
        "Errors",
        f"level:error {SCOPE} | timechart count",
        (6, 3, 6, 4),
        kind="single",
        show="sum",
        thresholds=[limit(1, "amber"), limit(500, "red")],
    ),
    panel(
        "Slowest 5 % take at least",
        f"{SCOPE} | timechart p95(duration_ms)",
        (12, 3, 6, 4),
        kind="single",
        thresholds=[limit(500, "amber"), limit(2000, "red")],
    ),
    panel(
        "Turnover",
        'region:"$region" order.total:* | timechart sum(order.total) as turnover',
        (18, 3, 6, 4),
        kind="single",
        show="sum",
    ),
    panel(
        "Events by level",
        f"{SCOPE} | timechart count by level",
        (0, 7, 12, 8),
        kind="stacked",
    ),
    panel(
        "95th percentile by service",
        f"{SCOPE} | timechart p95(duration_ms) by service",
        (12, 7, 12, 8),
        kind="line",
        unit="ms",
        thresholds=[limit(2000, "red")],
    ),
    panel(
        "Durations",
        f"{SCOPE} | eval bucket = pow(2, floor(log(duration_ms, 2))) | timechart limit=40 count by bucket",
        (0, 15, 12, 8),
        kind="heatmap",
        unit="ms",
    ),
    panel(
        "Answers by status",
        f"http.status:* {SCOPE} | stats count by http.status",
        (12, 15, 6, 8),
        kind="pie",
    ),
    panel(
        "Errors by service",
        'level:error region:"$region" | stats count by service',
        (18, 15, 6, 8),
        kind="bar",
    ),
    panel(
        "Services",
        f"duration_ms:* {SCOPE} | stats count, p50(duration_ms) as median_ms, p95(duration_ms) as p95_ms by service | sort -p95_ms",
        (0, 23, 12, 8),
        kind="table",
    ),
    panel(
        "What the errors say", f"level:error {SCOPE} | patterns", (12, 23, 12, 8), kind="patterns"
    ),
    panel("Latest errors", f"level:error {SCOPE}", (0, 31, 24, 9), kind="logs"),
]
