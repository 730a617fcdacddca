"""Measures the pages in a real browser: time to content, script time, and smoothness of scrolling."""

import gzip
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

from playwright.sync_api import BrowserContext, sync_playwright

from bench.client import WrongAnswerError
from bench.process import serve
from bench.report import Figure
from bench.workbench import Workbench, note
from logboom.api.access import SESSION_COOKIE
from logboom.ui.files import read_files

REPEATS = 5
ROWS = 10_000
STEPS = 400
FRAME_MS = 20
LOADING_LIMIT_S = 120
TARGET_PAINT_MS = 800
TARGET_SCRIPT_KB = 350
TARGET_TASK_MS = 50
EVERYTHING = "/#/explore?from=&to="
ROW = "[role=grid] [data-row]"
WATCH_TASKS = """
window.longTasks = []
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.longTasks.push(entry.duration)
}).observe({ type: 'longtask' })
"""
SCROLL = """
async ([steps]) => {
  const list = document.querySelector('[role=grid]').parentElement
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  window.longTasks.length = 0
  const step = (list.scrollHeight - list.clientHeight) / steps
  for (let place = 0; place <= steps; place += 1) {
    list.scrollTop = place * step
    await frame()
  }
  return window.longTasks
}
"""
GO_DOWN = "document.querySelector('[role=grid]').parentElement.scrollTop = 1e9"
# Looked for by the page itself before each frame: what drives the browser would notice it later.
WATCH_PAINT = f"""
const look = () => {{
  if (document.querySelector('canvas') && document.querySelector('{ROW}'))
    requestAnimationFrame(() => {{ window.paintedAt = performance.now() }})
  else requestAnimationFrame(look)
}}
requestAnimationFrame(look)
"""
PAINTED_AT = "new Promise((say) => { const ask = () => window.paintedAt ? say(window.paintedAt) : setTimeout(ask, 100); ask() })"


def measure_pages(workbench: Workbench) -> list[Figure]:
    script_kb = measure_script_kb()
    loaded = workbench.loaded_mixed
    with serve(loaded.data, {}) as server, open_browser(server.port, loaded.token) as context:
        note("opening the page")
        paints = [measure_paint_ms(context) for _ in range(REPEATS)]
        note(f"scrolling {ROWS:,} rows")
        turns = measure_scrolling(context)
    return [
        Figure(
            name="first paint with data",
            value=median(paints),
            unit="ms",
            target=TARGET_PAINT_MS,
            detail=f"{workbench.mixed.events:,} events, all time; {', '.join(f'{each:.0f}' for each in paints)} ms",
            method=f"from the navigation to the frame after the first rows and bars, as the page sees it, median of {REPEATS}, each with an empty cache",
        ),
        Figure(
            name="script of all pages, gzipped",
            value=script_kb,
            unit="kB",
            target=TARGET_SCRIPT_KB,
            method="the sum of all built .js files, each gzipped as it is served",
        ),
        Figure(
            name=f"longest task while {ROWS:,} rows scroll",
            value=median(max(each, default=0.0) for each in turns),
            unit="ms",
            target=TARGET_TASK_MS,
            detail=f"tasks over 50 ms in {STEPS} frames, by turn: {', '.join(str(len(each)) for each in turns)}; "
            f"the longest of all {max(map(max, filter(None, turns)), default=0):.0f} ms",
            method=f"all rows loaded, then from top to bottom in {STEPS} frames, median of {REPEATS} turns; "
            "tasks as the browser's longtask entries say, which are those over 50 ms",
        ),
    ]


def measure_script_kb() -> float:
    scripts = [file for name, file in read_files().items() if name.endswith(".js")]
    if not scripts:
        raise WrongAnswerError("the pages are not built")
    return sum(len(gzip.compress(script.content)) for script in scripts) / 1000


@contextmanager
def open_browser(port: int, token: str) -> Iterator[BrowserContext]:
    address = f"http://127.0.0.1:{port}"
    chromium = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    if chromium is None:
        raise WrongAnswerError("there is no chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context(base_url=address, viewport={"width": 1280, "height": 800})
        context.add_cookies([{"name": SESSION_COOKIE, "value": token, "url": address}])
        context.add_init_script(WATCH_TASKS)
        yield context
        browser.close()


def measure_paint_ms(context: BrowserContext) -> float:
    page = context.new_page()
    page.add_init_script(WATCH_PAINT)
    session = context.new_cdp_session(page)
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.goto(EVERYTHING)
    painted_at_ms: float = page.evaluate(PAINTED_AT)
    page.close()
    return painted_at_ms


def measure_scrolling(context: BrowserContext) -> list[list[float]]:
    """Return the long tasks of each turn."""
    page = context.new_page()
    page.goto(EVERYTHING)
    page.wait_for_selector(ROW)
    end = page.get_by_text(f"The first {ROWS:,} events are shown")
    stop_s = time.monotonic() + LOADING_LIMIT_S
    while not end.is_visible():
        if time.monotonic() > stop_s:
            raise WrongAnswerError(f"the list does not end after {ROWS:,} events")
        page.evaluate(GO_DOWN)
        page.wait_for_timeout(FRAME_MS)
    turns = [page.evaluate(SCROLL, [STEPS]) for _ in range(REPEATS)]
    page.close()
    return turns
