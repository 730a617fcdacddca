"""rsyslog's omelasticsearch: in bulk, and its default of one document a request."""

from pathlib import Path

import pytest
from tests.clients.daemons import (
    SHIPPERS,
    Configuration,
    await_events,
    format_messages,
    is_unpacked,
    run_daemon,
    send_to_rsyslog,
)
from tests.clients.sent import check_events, list_events
from tests.running import RunningService

ROOT = SHIPPERS / "rsyslog"
CONFIGURATION = Configuration(r"""
module(load="imptcp")
module(load="mmjsonparse")
module(load="omelasticsearch")
main_queue(queue.dequeueBatchSize="300")
input(type="imptcp" address="127.0.0.1" port="0" listenPortFileName="%{folder}/port")
template(name="event" type="list") {
  constant(value="{\"@timestamp\":\"")
  property(name="timereported" dateFormat="rfc3339")
  constant(value="\",")
  property(name="hostname" format="jsonf" outname="host")
  constant(value=",")
  property(name="programname" format="jsonf" outname="program")
  constant(value=",")
  property(name="syslogseverity-text" format="jsonf" outname="severity")
  constant(value=",")
  property(name="$!all-json" position.from="2")
}
action(type="mmjsonparse" cookie="")
action(type="omelasticsearch" template="event" server="127.0.0.1" serverport="%port"
  uid="anybody" pwd="%token" errorFile="%{folder}/errors" searchIndex="Rsyslog.Index" %options)
""")
OPTIONS = {"bulk": 'bulkmode="on" searchType=""', "one document a request": ""}

pytestmark = pytest.mark.skipif(
    not is_unpacked("rsyslog"), reason="needs rsyslog, see scripts/system-packages"
)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=list(OPTIONS))
def test_omelasticsearch(service: RunningService, env: str, tmp_path: Path, options: str) -> None:
    _, token = service.control.tokens.create("rsyslog", env)
    configuration = tmp_path / "rsyslog.conf"
    configuration.write_text(
        CONFIGURATION.substitute(folder=tmp_path, port=service.port, token=token, options=options)
    )
    [modules] = ROOT.glob("usr/lib/*/rsyslog")
    command = [str(ROOT / "usr/sbin/rsyslogd"), "-n", "-i", "NONE"]
    command += ["-f", str(configuration), "-M", str(modules)]
    with run_daemon(ROOT, command, tmp_path / "log"):
        send_to_rsyslog(tmp_path / "port", b"".join(format_messages()))
        await_events(service, env)
    check_events(
        list_events(service, env),
        host="daemon-host",
        program="daemon-program",
        severity="warning",
        _index="rsyslog-index",
    )
    assert (tmp_path / "log").read_text() == ""
    assert not (tmp_path / "errors").exists()
