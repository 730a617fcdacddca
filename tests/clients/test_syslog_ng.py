"""syslog-ng: its http destination to the bulk and the collector endpoint, and its own elasticsearch-http."""

from pathlib import Path

import pytest
from tests.clients.daemons import (
    SHIPPERS,
    Configuration,
    await_events,
    format_messages,
    is_unpacked,
    run_daemon,
)
from tests.clients.sent import Fields, check_events, check_fields, check_sequence, list_events
from tests.running import RunningService

ROOT = SHIPPERS / "syslog-ng"
CONFIGURATION = Configuration(r"""
@version: 3.38
@include "%{root}/usr/share/syslog-ng/include/scl/elasticsearch/elastic-http.conf"
options { keep-hostname(yes); frac-digits(6); };
source messages { file("%{folder}/messages" flags(syslog-protocol)); };
parser event { json-parser(prefix("event.")); };
destination service { %destination };
log { source(messages); parser(event); destination(service); };
""")
BULK = Configuration(r"""
http(
  url("http://127.0.0.1:%port/_bulk?env=%env&index=syslog-ng") method("POST") headers("Content-Type: application/x-ndjson")
  batch-lines(300) batch-timeout(100) body-suffix("\n")
  body("{\"create\":{}}\n$(format-json --scope none @timestamp=${ISODATE} host=${HOST} program=${PROGRAM}
    sequence=int64(${event.sequence}) ratio=double(${event.ratio}) even=boolean(${event.even})
    http.status=int64(${event.http.status}) http.request.path=${event.http.request.path}
    tags=list(${event.tags}) message=${event.message})")
);
""")
ELASTICSEARCH = Configuration(r"""
elasticsearch-http(
  url("http://127.0.0.1:%port/_bulk") user("anybody") password("%token") index("syslog-ng") type("") batch-lines(300) batch-timeout(100)
);
""")
COLLECTOR = Configuration(r"""
http(
  url("http://127.0.0.1:%port/services/collector/event") method("POST") headers("Authorization: Splunk %token")
  batch-lines(300) batch-timeout(100)
  body("$(format-json --scope none time=${S_UNIXTIME} host=${HOST} source=${PROGRAM} index=syslog-ng event=literal(${MESSAGE}))")
);
""")

pytestmark = pytest.mark.skipif(
    not is_unpacked("syslog-ng"), reason="needs syslog-ng, see scripts/system-packages"
)


def deliver(
    service: RunningService, env: str, folder: Path, destination: Configuration
) -> list[Fields]:
    """Let the daemon read a file of messages and send them; what the service then holds."""
    _, token = service.control.tokens.create("syslog-ng", env)
    (folder / "messages").write_bytes(b"".join(format_messages()))
    configuration = folder / "syslog-ng.conf"
    configuration.write_text(
        CONFIGURATION.substitute(
            root=ROOT,
            folder=folder,
            destination=destination.substitute(port=service.port, env=env, token=token),
        )
    )
    [modules] = ROOT.glob("usr/lib/syslog-ng/[0-9]*")
    command = [str(ROOT / "usr/sbin/syslog-ng"), "-F", "--no-caps", "--stderr"]
    command += ["-f", str(configuration), f"--module-path={modules}"]
    command += [f"--persist-file={folder}/persist", f"--control={folder}/control"]
    command += [f"--pidfile={folder}/pid"]
    log = folder / "log"
    with run_daemon(ROOT, command, log):
        await_events(service, env)
    assert [line for line in log.read_text().splitlines() if "syslog-ng s" not in line] == []
    return list_events(service, env)


def test_http_to_bulk(service: RunningService, env: str, tmp_path: Path) -> None:
    rows = check_events(
        deliver(service, env, tmp_path, BULK),
        host="daemon-host",
        program="daemon-program",
        _index="syslog-ng",
    )
    assert rows[7]["_time"] == "2026-01-02T03:04:05.000007Z"


def test_elasticsearch_http(service: RunningService, env: str, tmp_path: Path) -> None:
    """All that it sends is text; the message is not looked into."""
    rows = deliver(service, env, tmp_path, ELASTICSEARCH)
    for sequence, row in enumerate(check_sequence(rows, "_SDATA.test@1.sequence")):
        check_fields(
            row,
            {
                "HOST": "daemon-host",
                "PROGRAM": "daemon-program",
                "PRIORITY": "warning",
                "_SDATA.test@1.sequence": str(sequence),
                "_index": "syslog-ng",
            },
        )


def test_http_to_the_collector(service: RunningService, env: str, tmp_path: Path) -> None:
    rows = check_events(
        deliver(service, env, tmp_path, COLLECTOR),
        host="daemon-host",
        source="daemon-program",
        _index="syslog-ng",
    )
    assert rows[7]["_time"] == "2026-01-02T03:04:05.000007Z"
