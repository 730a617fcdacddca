"""The syslog listener, set up in a browser."""

import socket
import ssl
from pathlib import Path

from tests.conftest import MakeService
from tests.ports import choose_port
from tests.process.service import PASSWORD, USERNAME, Service
from tests.ui.administering import error_at, expect_said
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import read_clipboard
from tests.waiting import poll_until
from tests.web.identities import make_identity

PLACE = "#/admin/ingestion/syslog"
ACCOUNT = {"username": USERNAME, "password": PASSWORD}
MESSAGE = b"<165>1 2026-03-02T10:00:00Z host shop 7 - - the till is open"


def test_it_is_switched_on_listens_and_takes_messages(
    open_page: OpenPage, fresh_server: Service
) -> None:
    fresh_server.sign_in()
    port = choose_port()
    page = open_page(PLACE, on=fresh_server, account=ACCOUNT)
    state = page.get_by_role("status", name="Listener status")
    expect(state).to_have_text("Off")
    page.get_by_label("Listen for syslog").check()
    page.get_by_label("Address").fill("127.0.0.1")
    page.get_by_label("UDP port").fill(str(port))
    page.get_by_label("TCP port").fill(str(port))
    page.get_by_label("Index", exact=True).fill("tills")
    page.get_by_role("button", name="Save").click()
    expect_said(page, "Saved")
    expect(state).to_have_text("Listening")
    with socket.create_connection(("127.0.0.1", port)) as sender:
        sender.sendall(MESSAGE + b"\n")
    page.get_by_role("button", name="Copy the UDP command").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert f"--port {port}" in read_clipboard(page) or f"-P {port}" in read_clipboard(page)
    poll_until(lambda: count_tills(fresh_server) == 1, "the message to be searchable")
    page.goto("/#/explore?index=tills&from=&to=")
    expect(page.get_by_role("grid", name="Events")).to_contain_text("the till is open")

    page.goto(f"/{PLACE}")
    page.get_by_label("Address").fill("192.0.2.1")
    page.get_by_role("button", name="Save").click()
    expect(state).to_have_text("Failed")
    expect(page.get_by_role("alert")).to_contain_text("192.0.2.1")


def test_with_a_certificate_it_speaks_tls_and_says_so(
    open_page: OpenPage, fresh_server: Service, tmp_path: Path
) -> None:
    fresh_server.sign_in()
    identity = make_identity(tmp_path, "syslog")
    port = choose_port()
    page = open_page(PLACE, on=fresh_server, account=ACCOUNT)
    tries = page.get_by_role("region", name="Try it")
    expect(tries.get_by_role("button", name="Copy the TCP command")).to_be_visible()
    page.get_by_label("Listen for syslog").check()
    page.get_by_label("Address").fill("127.0.0.1")
    page.get_by_label("UDP port").fill(str(port))
    page.get_by_label("TCP port").fill(str(port))
    page.get_by_label("Index", exact=True).fill("tills")
    page.get_by_label("TLS certificate").fill(str(identity.certificate))
    page.get_by_label("TLS key").fill(str(identity.key))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status", name="Listener status")).to_have_text("Listening")
    expect(tries).to_contain_text("TCP uses TLS")
    expect(tries.get_by_role("button", name="Copy the TCP command")).to_have_count(0)
    expect(tries.get_by_role("button", name="Copy the UDP command")).to_be_visible()
    context = ssl.create_default_context(cafile=str(identity.certificate))
    with (
        socket.create_connection(("127.0.0.1", port)) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as sender,
    ):
        sender.sendall(MESSAGE + b"\n")
    poll_until(lambda: count_tills(fresh_server) == 1, "the message to be searchable")


def count_tills(server: Service) -> int:
    server.flush()
    total: int = server.search("", index="tills", limit=0, count=True)["total"]
    return total


def test_what_is_wrong_is_said_at_its_field(
    open_page: OpenPage, start_service: MakeService
) -> None:
    own = start_service()
    page = open_page(PLACE, on=own)
    page.get_by_label("UDP port").fill("70000")
    page.get_by_role("button", name="Save").click()
    expect(error_at(page, "UDP port")).to_contain_text("65535")
    page.get_by_label("UDP port").fill("5514")
    page.get_by_label("TLS certificate").fill("/no/such/file.pem")
    page.get_by_role("button", name="Save").click()
    expect(error_at(page, "TLS key")).to_contain_text("expected both or neither")
    assert own.client.get("/api/settings").json()["syslog"]["tls_cert"] == ""
