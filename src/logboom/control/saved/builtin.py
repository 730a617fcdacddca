"""The built-in dashboard about the service itself, from the events of its own log."""

from typing import Any

OWNER = "logboom"
NAME = "This service"

INTRODUCTION = """\
The service's own log, from the indexes in the environment `_system`. Only admins see it.
How it is doing right now is on the page **Status** of the admin area."""


def panel(title: str, query: str, place: tuple[int, int, int, int], **chart: Any) -> dict[str, Any]:
    x, y, w, h = place
    return {"title": title, "query": query, "chart": chart, "x": x, "y": y, "w": w, "h": h}


SERVICE_DASHBOARD: dict[str, Any] = {
    "name": NAME,
    "description": "The service's own log.",
    "env": "_system",
    "index": "_self",
    "is_shared": True,
    "from_": "-24h",
    "to": "now",
    "refresh_secs": 60,
    "panels": [
        panel("", "", (0, 0, 24, 2), kind="text", text=INTRODUCTION),
        panel(
            "Warnings and errors",
            "level IN (warning, error, critical) | timechart count",
            (0, 2, 8, 4),
            kind="single",
            show="sum",
            thresholds=[{"value": 1, "color": "amber"}, {"value": 100, "color": "red"}],
        ),
        panel(
            "Failed sign-ins",
            "action:login_failed | timechart count",
            (8, 2, 8, 4),
            kind="single",
            show="sum",
            thresholds=[{"value": 10, "color": "amber"}],
        ),
        panel(
            "Starts", "message:serving | timechart count", (16, 2, 8, 4), kind="single", show="sum"
        ),
        panel("Log by level", "* | timechart count by level", (0, 6, 12, 8), kind="stacked"),
        panel(
            "Changes and sign-ins",
            "event:audit | timechart count by action",
            (12, 6, 12, 8),
            kind="stacked",
        ),
        panel(
            "Who did what",
            "event:audit | stats count by actor, action | sort -count",
            (0, 14, 12, 8),
            kind="table",
        ),
        panel(
            "Most frequent messages",
            "* | stats count by message | limit 20",
            (12, 14, 12, 8),
            kind="bar",
        ),
        panel(
            "Warnings and errors, newest first",
            "level IN (warning, error, critical)",
            (0, 22, 24, 8),
            kind="logs",
        ),
    ],
}
