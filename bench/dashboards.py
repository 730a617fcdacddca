"""Measures a dashboard of twelve panels in a real browser: how fast it is drawn, and refreshed."""

from statistics import median

from playwright.sync_api import BrowserContext

from bench.client import Client
from bench.pages import open_browser
from bench.process import serve
from bench.report import Figure
from bench.workbench import Workbench, note

REPEATS = 5
TARGET_FIRST_MS = 1_500
TARGET_AGAIN_MS = 300
OPENING = "from opening the page in a new tab"
COLUMNS, WIDTH, HEIGHT = 3, 8, 8
PANELS = {
    "Events": ("stacked", "* | timechart 1h count by level"),
    "Errors": ("line", "level:error | timechart 1h count by service"),
    "Requests": ("area", "http.status:* | timechart 1h count"),
    "Latency": ("line", "* | timechart 1h p99(http.latency_ms)"),
    "Mean latency": ("bar", "* | stats avg(http.latency_ms) as mean_ms by service"),
    "Failed requests": ("single", "http.status:>=500 | stats count"),
    "All events": ("single", "* | stats count"),
    "Services": ("pie", "* | stats count by service"),
    "Levels": ("bar", "* | stats count by level"),
    "Status": ("table", "* | stats count, p99(http.latency_ms) as p99_ms by http.status"),
    "Clients": ("table", "* | top 10 http.client_ip"),
    "Newest errors": ("logs", "level:error"),
}
WATCH_PANELS = f"""
const look = () => {{
  const panels = [...document.querySelectorAll('section.panel')]
  const isDone = panels.length === {len(PANELS)} && panels.every((each) => each.ariaBusy === 'false')
  if (isDone) requestAnimationFrame(() => {{ window.drawnAt = performance.now() }})
  else requestAnimationFrame(look)
}}
requestAnimationFrame(look)
"""
DRAWN_AT = "new Promise((say) => { const ask = () => window.drawnAt ? say(window.drawnAt) : setTimeout(ask, 20); ask() })"

REFRESH = """
new Promise((say) => {
  const start = performance.now()
  let wasBusy = false
  const look = () => {
    const isBusy = [...document.querySelectorAll('section.panel')].some((each) => each.ariaBusy === 'true')
    wasBusy ||= isBusy
    if (wasBusy && !isBusy) requestAnimationFrame(() => say(performance.now() - start))
    else requestAnimationFrame(look)
  }
  const buttons = [...document.querySelectorAll('button')]
  buttons.find((each) => each.textContent.trim() === 'Refresh').click()
  requestAnimationFrame(look)
})
"""


def measure_dashboards(workbench: Workbench) -> list[Figure]:
    loaded = workbench.loaded_mixed
    firsts, others, refreshed = [], [], []
    for turn in range(REPEATS):
        note(f"opening a dashboard, turn {turn + 1}")
        with serve(loaded.data, {}) as server, open_browser(server.port, loaded.token) as context:
            dashboard = make_dashboard(Client(server.port, loaded.token), f"bench {turn}")
            firsts.append(measure_drawing_ms(context, dashboard)[0])
            again_ms, refresh_ms = measure_drawing_ms(context, dashboard)
            others.append(again_ms)
            refreshed.append(refresh_ms)
    events = workbench.mixed.events
    return [
        describe(
            "dashboard of 12 panels",
            firsts,
            TARGET_FIRST_MS,
            events,
            f"{OPENING}, just after the start",
        ),
        describe(
            "the same dashboard again",
            others,
            TARGET_AGAIN_MS,
            events,
            f"{OPENING}, right after that",
        ),
        describe(
            "the dashboard refreshed",
            refreshed,
            TARGET_AGAIN_MS,
            events,
            "from the click on Refresh",
        ),
    ]


def describe(name: str, times_ms: list[float], target_ms: int, events: int, start: str) -> Figure:
    return Figure(
        name=name,
        value=median(times_ms),
        unit="ms",
        target=target_ms,
        detail=f"{len(PANELS)} panels over {events:,} events; {', '.join(f'{each:.0f}' for each in times_ms)} ms",
        method=f"{start}, to the frame in which no panel is loading, median of {REPEATS}",
    )


def make_dashboard(client: Client, name: str) -> str:
    """Return the id of a new dashboard over the times of all events."""
    times = client.search("* | stats min(_time) as first, max(_time) as last", 1)["rows"][0]
    panels = [
        {
            "title": title,
            "query": query,
            "chart": {"kind": kind},
            "x": WIDTH * (place % COLUMNS),
            "y": HEIGHT * (place // COLUMNS),
            "w": WIDTH,
            "h": HEIGHT,
        }
        for place, (title, (kind, query)) in enumerate(PANELS.items())
    ]
    body = {"name": name, "from": times["first"], "to": times["last"], "panels": panels}
    made: str = client.post("/api/dashboards", body)["id"]
    return made


def measure_drawing_ms(context: BrowserContext, dashboard: str) -> tuple[float, float]:
    """Return how long it takes to open the dashboard in a new tab, and then to refresh it."""
    page = context.new_page()
    page.add_init_script(WATCH_PANELS)
    page.goto(f"/#/dashboards/{dashboard}")
    drawn_at_ms: float = page.evaluate(DRAWN_AT)
    refresh_ms: float = page.evaluate(REFRESH)
    page.close()
    return drawn_at_ms, refresh_ms
