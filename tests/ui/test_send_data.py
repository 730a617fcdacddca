"""How to send: snippets with everything filled in, and a light that turns on, in a browser."""

import re

import pytest
from playwright.sync_api import Page
from tests.running import RunningService
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import event_rows, read_clipboard

SHIPPERS = {
    "curl": "/api/ingest",
    "Files": "logboom import",
    "OpenTelemetry": "otlp",
    "Fluent Bit": "opentelemetry",
    "Vector": "sinks",
    "Filebeat, Beats": "output.elasticsearch",
    "Logstash": "elasticsearch",
    "Fluentd": "<match",
    "Grafana Alloy": "loki.write",
    "Promtail": "/loki/api/v1/push",
    "HTTP event collector": "/services/collector",
    "Docker": "docker",
    "rsyslog": "omfwd",
    "Syslog": "logger",
    "systemd journal": "[Upload]",
    "Python logging": "logging",
    "Node": "emit(",
}
"""Each by its name, with something that its snippets cannot do without."""
SHIPS_BY_TOKEN = ["curl", "Vector", "Grafana Alloy", "HTTP event collector", "Python logging"]


def open_send(open_page: OpenPage, env: str) -> Page:
    return open_page(f"#/send?env={env}&index=shop")


def choose_shipper(page: Page, name: str) -> str:
    """What is to be pasted."""
    page.get_by_role("navigation", name="Shippers").get_by_role(
        "link", name=name, exact=True
    ).click()
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    return "\n".join(page.locator("pre").all_inner_texts())


def test_every_protocol_has_its_snippet_with_nothing_left_to_fill_in(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    # Where it listens for syslog may have been changed by another test.
    ports = (service.port, service.control.settings.effective.syslog.tcp_port)
    page = open_send(open_page, env)
    links = page.get_by_role("navigation", name="Shippers").get_by_role("link")
    expect(links).to_have_text(list(SHIPPERS))
    for name, sign in SHIPPERS.items():
        text = choose_shipper(page, name)
        assert sign in text, name
        assert re.search("%[A-Z_]+%", text) is None, name
        assert any(str(port) in text for port in ports), name


def test_a_token_is_made_and_put_into_every_snippet(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    page = open_send(open_page, env)
    assert "TOKEN" in choose_shipper(page, "curl")
    page.get_by_role("button", name="Create token").click()
    secret = page.get_by_label(f"Token, for {env}").input_value()
    assert secret.startswith("lbt_")
    for name in SHIPS_BY_TOKEN:
        assert secret in choose_shipper(page, name), name
    headers = {"Authorization": f"Bearer {secret}"}
    answer = service.ingest(b'{"message":"x"}', params={"index": "shop"}, headers=headers)
    assert answer.json()["ingested"] == 1
    page.reload()
    expect(page.get_by_role("button", name="Create token")).to_be_visible()


def test_a_token_is_for_the_index_that_was_chosen(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    page = open_send(open_page, env)
    expect(
        page.get_by_text(f"write only to the index shop in the environment {env}.")
    ).to_be_visible()
    page.get_by_role("button", name="Create token").click()
    secret = page.get_by_label(f"Token, for {env}/shop").input_value()
    (made,) = [each for each in service.client.get("/api/tokens").json() if each["env"] == env]
    assert made["indexes"] == ["shop"]
    index = page.get_by_label("Index")
    index.fill("other")
    index.press("Enter")
    expect(page.get_by_role("button", name="Create token")).to_be_visible()
    assert secret not in choose_shipper(page, "curl")
    index.fill("shop")
    index.press("Enter")
    expect(page.get_by_label(f"Token, for {env}/shop")).to_have_value(secret)


def test_a_snippet_is_copied_as_it_is_shown(open_page: OpenPage, env: str) -> None:
    page = open_send(open_page, env)
    page.get_by_role("button", name="Copy:").first.click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert read_clipboard(page) == page.locator("pre").first.inner_text()


def test_the_light_turns_on_when_the_first_event_arrives(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    page = open_send(open_page, env)
    light = page.get_by_role("status").filter(has_text="event")
    expect(light).to_contain_text("Waiting for the first event")
    expect(light).to_contain_text(f"{env}/shop")
    service.keep(b'{"message":"the first of all"}', {"env": env, "index": "shop"})
    expect(light).to_contain_text("Received 1 event")
    page.get_by_role("link", name="Open shop in Explore").click()
    expect(event_rows(page)).to_have_count(1)
    expect(event_rows(page)).to_contain_text("the first of all")


def test_other_indexes_do_not_turn_it_on(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    page = open_send(open_page, env)
    light = page.get_by_role("status").filter(has_text="event")
    expect(light).to_contain_text("Waiting for the first event")
    with page.expect_response("**/api/indexes*"):
        service.keep(b'{"message":"elsewhere"}', {"env": env, "index": "other"})
    page.get_by_label("Index").fill("Other!")
    page.get_by_label("Index").press("Enter")
    expect(page.get_by_label("Index")).to_have_value("other-")
    expect(light).to_contain_text("Waiting for the first event")


@pytest.mark.parametrize(("shipper", "switch"), [("Syslog", "The syslog listener is off.")])
def test_what_stands_in_the_way_is_said(
    open_page: OpenPage, env: str, shipper: str, switch: str
) -> None:
    page = open_send(open_page, env)
    choose_shipper(page, shipper)
    expect(page.get_by_text(switch).first).to_be_visible()
    page.get_by_role("link", name="Enable").first.click()
    expect(page.get_by_role("heading", name="Syslog listener")).to_be_visible()
