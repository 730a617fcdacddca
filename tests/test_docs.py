"""The documentation is complete: every setting, route, pipe, filter and metric is in it."""

import re
from pathlib import Path

from prometheus_client import REGISTRY
from tests.routes import list_framework_routes, list_protocol_routes
from tests.together import together

import logboom.base.stores.bucket
import logboom.engine.cluster.counts
import logboom.server  # noqa: F401 - brings every other metric with it
from logboom.base import versions
from logboom.base.version import __version__
from logboom.config import SETTINGS
from logboom.engine.answers.warnings import REMARKS
from logboom.lang.parse.pipes import CANONICAL

STOPS = ("timeout", "cancelled", "memory", "max_rows", "max_groups")
DOCS = Path(__file__).parents[1] / "docs"
FORMATS = {
    "block": versions.BLOCK,
    "index of a block": versions.INDEX,
    "segment of the write-ahead log": versions.LOG_SEGMENT,
    "catalog": versions.CATALOG,
    "checkpoint": versions.CHECKPOINT,
    "control document": versions.CONTROL,
    "claim of a node": versions.CLAIM,
    "journal of idempotency keys": versions.ANSWERS,
}
FILTER_HEADINGS = [
    *("Words and phrases", "Everything", "Field equals value", "Field differs"),
    *("Exact", "Exists", "Compare", "Ranges", "Lists", "Subqueries", "Networks"),
    *("Regular expressions", "Any field", "Selectors", "Time", "Environment and index"),
    "NOT, AND, OR",
]


def read(page: str) -> str:
    return (DOCS / page).read_text()


def list_headings(page: str) -> set[str]:
    return set(re.findall(r"^#{2,4} (.+)$", read(page), re.MULTILINE))


def list_routes() -> list[str]:
    routes = list_framework_routes() | list_protocol_routes("native")
    return sorted(f"{method} {path}" for method, path in routes)


def list_metrics() -> list[str]:
    return sorted(
        family.name for family in REGISTRY.collect() if family.name.startswith("logboom_")
    )


@together("name", SETTINGS)
def test_every_setting_is_documented_with_its_default(name: str) -> None:
    setting = SETTINGS[name]
    (line,) = [
        each for each in read("configuration.md").splitlines() if f"`{setting.variable}`" in each
    ][:1]
    assert not setting.default or f"`{setting.default}`" in line


@together("name", FORMATS)
def test_every_format_version_is_documented(name: str) -> None:
    assert f"\n| {name} | {FORMATS[name]} |" in read("format/README.md")


@together("route", list_routes())
def test_every_route_is_documented(route: str) -> None:
    method, path = re.sub(r"\{(\w+):\w+\}", r"{\1}", route).split()
    assert re.search(rf"\b{method}\b[^\n]*{re.escape(path)}(?![\w/])", read("http-api.md"))


@together("pipe", CANONICAL)
def test_every_pipe_has_its_heading(pipe: str) -> None:
    assert pipe in list_headings("query-language.md")


@together("heading", FILTER_HEADINGS)
def test_every_filter_has_its_heading(heading: str) -> None:
    assert heading in list_headings("query-language.md")


@together("code", [*REMARKS, *STOPS, "limit", "unknown_field", "cluster"])
def test_every_warning_is_documented(code: str) -> None:
    assert f"`{code}`" in read("query-language.md")


@together("metric", list_metrics())
def test_every_metric_is_documented(metric: str) -> None:
    assert metric in read("operations.md")


def test_what_is_documented_exists() -> None:
    """Names of variables and metrics in the pages are real ones."""
    pages = "".join(path.read_text() for path in DOCS.rglob("*.md"))
    variables = {setting.variable for setting in SETTINGS.values()}
    assert set(re.findall(r"\bSERVICE_[A-Z_]+\b", pages)) <= variables
    metrics = set(list_metrics())
    named = {name.removesuffix("_total") for name in re.findall(r"\blogboom_[a-z_]+\b", pages)}
    assert {name for name in named if not any(name.startswith(each) for each in metrics)} <= {
        "logboom_session"
    }


def test_the_changelog_begins_with_this_version_or_with_what_comes_after_it() -> None:
    text = (DOCS.parent / "CHANGELOG.md").read_text()
    first, second, *_ = re.findall(r"^## (\S+)", text, re.MULTILINE)
    assert __version__ == (second if first == "Unreleased" else first)
