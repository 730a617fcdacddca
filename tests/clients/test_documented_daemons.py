"""Shippers with the configurations that the documentation prints: they deliver every line exactly once."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import NamedTuple

import pytest
from tests.clients.campaign import PHASES, Campaign, Delivered
from tests.clients.documented import point, read_blocks
from tests.clients.running_daemons import (
    COLLECTOR,
    FILEBEAT,
    FLUENT_BIT,
    FLUENTD,
    PROMTAIL,
    RSYSLOG,
    SYSLOG_NG,
    SYSLOG_NG_4,
    Daemon,
)


class Printed(NamedTuple):
    """A configuration: where it is printed, for which shipper, and what the test changes in it."""

    page: str
    heading: str
    daemon: Daemon
    change: tuple[str, str] = ("", "")

    def read(self) -> tuple[str, list[str]]:
        """The configuration, and the commands below it that bring what was refused."""
        configuration, *repairs = read_blocks(self.page, self.heading)
        assert self.change[0] in configuration
        return configuration.replace(*self.change), repairs


CONFIGURATIONS = {
    "rsyslog-bulk": Printed("protocols/bulk.md", "rsyslog", RSYSLOG),
    "rsyslog-syslog": Printed("syslog.md", "rsyslog", RSYSLOG),
    "syslog-ng-bulk": Printed("protocols/bulk.md", "syslog-ng", SYSLOG_NG),
    "syslog-ng-syslog": Printed("syslog.md", "syslog-ng", SYSLOG_NG),
    "syslog-ng-collector": Printed("protocols/collector.md", "syslog-ng", SYSLOG_NG_4),
    "fluent-bit-native": Printed("protocols/native.md", "Fluent Bit", FLUENT_BIT),
    "fluent-bit-es": Printed("protocols/bulk.md", "Fluent Bit", FLUENT_BIT),
    "fluent-bit-opensearch": Printed(
        "protocols/bulk.md", "Fluent Bit", FLUENT_BIT, ("name: es", "name: opensearch")
    ),
    "fluent-bit-push": Printed("protocols/push.md", "Fluent Bit", FLUENT_BIT),
    "fluent-bit-otlp": Printed("protocols/otlp.md", "Fluent Bit", FLUENT_BIT),
    "fluent-bit-collector": Printed("protocols/collector.md", "Fluent Bit", FLUENT_BIT),
    "fluentd-bulk": Printed("protocols/bulk.md", "Fluentd", FLUENTD),
    "fluentd-push": Printed("protocols/push.md", "Fluentd", FLUENTD),
    "fluentd-collector": Printed("protocols/collector.md", "Fluentd", FLUENTD),
    "filebeat": Printed("protocols/bulk.md", "Filebeat", FILEBEAT),
    "promtail": Printed("protocols/push.md", "Promtail", PROMTAIL),
    "otelcol-otlp": Printed("protocols/otlp.md", "OpenTelemetry Collector", COLLECTOR),
    "otelcol-bulk": Printed("protocols/bulk.md", "OpenTelemetry Collector", COLLECTOR),
    "otelcol-collector": Printed("protocols/collector.md", "OpenTelemetry Collector", COLLECTOR),
}


@pytest.fixture(scope="module")
def delivered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Delivered]:
    """What became of the lines of all shippers, which run at the same time."""
    with Campaign(tmp_path_factory.mktemp("campaign")) as campaign:
        with ExitStack() as daemons:
            feeds, repairs = {}, []
            for name, printed in CONFIGURATIONS.items():
                if not printed.daemon.missing:
                    place = campaign.make_place(name)
                    configuration, commands = printed.read()
                    running = printed.daemon.run(place, point(configuration, place))
                    feeds[name] = daemons.enter_context(running)
                    repairs += [point(command, place) for command in commands]
            campaign.send_at_once(feeds)
            campaign.send_in_an_outage(feeds)
            campaign.send_with_a_full_queue(feeds, repairs)
        yield campaign.list_delivered()


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_line_arrives_once(delivered: Delivered, name: str, phase: str) -> None:
    if missing := CONFIGURATIONS[name].daemon.missing:
        pytest.skip(missing)
    found = Counter({key: times for key, times in delivered.items() if key[:2] == (name, phase)})
    assert found == Counter((name, phase, number) for number in range(PHASES[phase]))
