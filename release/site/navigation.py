"""Every page of the site in reading order, with its name in the menu."""

from typing import NamedTuple


class Entry(NamedTuple):
    """A page: its file below `docs`, and its name in the menu."""

    path: str
    label: str


class Chapter(NamedTuple):
    title: str
    entries: tuple[Entry, ...]


NAVIGATION: tuple[Chapter, ...] = (
    Chapter(
        "Start",
        (
            Entry("README.md", "Overview"),
            Entry("quick-start.md", "Quick start"),
            Entry("install.md", "Install"),
            Entry("samples.md", "A first hunt"),
        ),
    ),
    Chapter(
        "Send logs",
        (
            Entry("protocols/README.md", "Choose a shipper"),
            Entry("protocols/native.md", "HTTP and Python"),
            Entry("protocols/otlp.md", "OpenTelemetry"),
            Entry("protocols/bulk.md", "Beats, Logstash, bulk"),
            Entry("protocols/push.md", "Promtail, Alloy, push"),
            Entry("protocols/collector.md", "HEC collectors"),
            Entry("protocols/journal.md", "The systemd journal"),
            Entry("syslog.md", "Syslog"),
            Entry("sources.md", "Files on the server"),
            Entry("formats.md", "Text formats"),
        ),
    ),
    Chapter(
        "Find and watch",
        (
            Entry("hunting.md", "Hunt"),
            Entry("ui.md", "The pages"),
            Entry("query-language.md", "Query language"),
            Entry("dashboards.md", "Dashboards"),
            Entry("alerts.md", "Alerts"),
            Entry("reading/search-engine.md", "Grafana, Elasticsearch clients"),
            Entry("mcp.md", "Agents (MCP)"),
            Entry("reading/loki.md", "Grafana, logcli (Loki)"),
            Entry("open-data.md", "DuckDB and Polars"),
        ),
    ),
    Chapter(
        "Operate",
        (
            Entry("configuration.md", "Configure"),
            Entry("operations.md", "Run it"),
            Entry("scaling.md", "Scale"),
            Entry("cluster.md", "Queries on a cluster"),
            Entry("sizing.md", "Sizing"),
            Entry("saml/README.md", "Single sign-on"),
            Entry("saml/entra.md", "with Entra ID"),
            Entry("saml/google.md", "with Google"),
            Entry("saml/keycloak.md", "with Keycloak"),
            Entry("saml/okta.md", "with Okta"),
            Entry("performance.md", "Performance"),
        ),
    ),
    Chapter(
        "Move in",
        (
            Entry("moving/README.md", "Plan the move"),
            Entry("moving/loki.md", "from Loki"),
            Entry("moving/elasticsearch.md", "from Elasticsearch"),
            Entry("moving/splunk.md", "from Splunk"),
        ),
    ),
    Chapter(
        "Compared with",
        (
            Entry("compared/victorialogs.md", "VictoriaLogs"),
            Entry("compared/loki.md", "Loki"),
            Entry("compared/elasticsearch.md", "Elasticsearch"),
            Entry("compared/splunk.md", "Splunk"),
        ),
    ),
    Chapter(
        "Reference",
        (
            Entry("reference/api.md", "HTTP API, every route"),
            Entry("http-api.md", "HTTP API, explained"),
            Entry("reference/settings.md", "Settings"),
            Entry("reference/pipes.md", "Pipes"),
            Entry("reference/functions.md", "Functions"),
            Entry("reference/metrics.md", "Metrics"),
            Entry("reference/commands.md", "Command line"),
        ),
    ),
    Chapter(
        "Inside",
        (
            Entry("format/README.md", "What is on disk"),
            Entry("format/block.md", "Blocks"),
            Entry("format/catalog.md", "Catalog"),
            Entry("format/wal.md", "Write-ahead log"),
            Entry("adr/0001-acknowledge-after-fsync.md", "Why: fsync first"),
            Entry("adr/0002-columns-and-shapes-instead-of-raw-text.md", "Why: shapes"),
            Entry("adr/0003-scan-before-shred-after.md", "Why: scan, then shred"),
            Entry("adr/0004-one-form-for-rows.md", "Why: one form for rows"),
            Entry("adr/0005-a-bucket-by-conditional-puts.md", "Why: conditional puts"),
            Entry("adr/0006-parquet-written-by-arro3.md", "Why: arro3"),
            Entry("adr/0007-saml-with-signxml.md", "Why: signxml"),
            Entry("adr/0008-one-wheel-for-each-python.md", "Why: a wheel per Python"),
            Entry("adr/0009-no-templates-beside-messages.md", "Why: no templates"),
            Entry("adr/0010-buckets-by-ranges.md", "Why: buckets by ranges"),
            Entry("adr/0011-searched-texts-stay-in-the-cache.md", "Why: texts are kept"),
        ),
    ),
)


def list_entries() -> list[Entry]:
    return [entry for chapter in NAVIGATION for entry in chapter.entries]


def name_page(path: str) -> str:
    """Return the file of the site for a file of `docs`: a folder's README is its index."""
    return path.replace("README.md", "index.md").removesuffix(".md") + ".html"
