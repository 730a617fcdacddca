"""Configurations that the documentation prints hold together, also those of shippers that are not installed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from tests.clients.documented import DOCS, read_blocks

PAGES = sorted((DOCS / "protocols").glob("*.md"))
YAML = re.compile(r"^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COLLECTOR_PAGES = ["protocols/bulk.md", "protocols/collector.md", "protocols/otlp.md"]
DOCKER_PAGES = ["protocols/collector.md", "protocols/push.md"]


def read_collector(page: str) -> dict[str, Any]:
    [block] = read_blocks(page, "OpenTelemetry Collector")
    configuration: dict[str, Any] = yaml.safe_load(block)
    return configuration


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_yaml_is_a_mapping(page: Path) -> None:
    for block in YAML.findall(page.read_text()):
        assert isinstance(yaml.safe_load(block), dict)


@pytest.mark.parametrize("page", COLLECTOR_PAGES)
def test_collector_uses_what_it_defines(page: str) -> None:
    configuration = read_collector(page)
    service = configuration["service"]
    logs = service["pipelines"]["logs"]
    assert logs["receivers"] == list(configuration["receivers"])
    assert logs["exporters"] == list(configuration["exporters"])
    assert service["extensions"] == list(configuration["extensions"])


@pytest.mark.parametrize("page", COLLECTOR_PAGES)
def test_collector_keeps_offsets_and_unsent_events(page: str) -> None:
    configuration = read_collector(page)
    [extension] = configuration["extensions"]
    [receiver] = configuration["receivers"].values()
    [exporter] = configuration["exporters"].values()
    assert receiver["storage"] == extension
    assert exporter["sending_queue"] == {"storage": extension, "block_on_overflow": True}


@pytest.mark.parametrize("page", DOCKER_PAGES)
def test_docker_options_are_texts(page: str) -> None:
    """Docker refuses to start with an option that is a number or a boolean."""
    [block] = read_blocks(page, "Docker")
    options = json.loads(block)["log-opts"]
    assert all(isinstance(value, str) for value in options.values())
