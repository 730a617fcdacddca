"""The status of several nodes on one store, in a browser: all are there, and it is said which one answers."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page
from tests.buckets import S3Server
from tests.process.service import PASSWORD, USERNAME, Service
from tests.running import encode_lines
from tests.ui.administering import row_of, rows_of
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.waiting import poll_until

ACCOUNT = {"username": USERNAME, "password": PASSWORD}
SYNC_S = "0.3"
StartNode = Callable[..., Service]


@pytest.fixture
def start_node(tmp_path: Path) -> Iterator[StartNode]:
    """Starts nodes with the same secrets, each with a data directory of its own."""
    nodes: list[Service] = []

    def start(store: str, **variables: str) -> Service:
        shared = {
            "SERVICE_STORE_URL": store,
            "SERVICE_JWT_SECRET_PATH": str(tmp_path / "jwt"),
            "SERVICE_CONTROL_KEY_PATH": str(tmp_path / "control"),
            "SERVICE_BLOCK_SYNC_SECS": SYNC_S,
        }
        name = f"node-{len(nodes)}"
        node = Service(tmp_path / name, tmp_path / f"{name}.log", shared | variables)
        nodes.append(node)
        node.start()
        return node

    yield start
    for node in nodes:
        node.close()


def open_status(open_page: OpenPage, node: Service) -> Page:
    page = open_page("#/admin/status", on=node, account=ACCOUNT)
    expect(page.get_by_text("Ready", exact=True)).to_be_visible()
    return page


def name_of(page: Page) -> str:
    """Of the node that answers, as the head of the page says."""
    said = page.get_by_text(re.compile(r"^\W*Ready\W+node \S+, version")).inner_text()
    found = re.search(r"node (\S+), version", said)
    assert found, said
    return found[1]


def figure(page: Page, group: str, name: str) -> Locator:
    term = page.get_by_role("region", name=group).get_by_role("term").filter(has_text=name)
    return term.locator("xpath=following-sibling::dd[1]")


def test_two_nodes_on_a_directory_know_each_other_and_each_says_that_it_answers(
    open_page: OpenPage, start_node: StartNode, tmp_path: Path
) -> None:
    store = f"file://{tmp_path / 'store'}"
    one = start_node(store)
    two = start_node(store)
    pages = [open_status(open_page, node) for node in (one, two)]
    names = [name_of(page) for page in pages]
    assert names[0] != names[1]
    for page, name, other in zip(pages, names, names[::-1], strict=True):
        expect(rows_of(page, "Nodes")).to_have_count(2)
        expect(row_of(page, "Nodes", name)).to_contain_text("this one")
        expect(row_of(page, "Nodes", other)).not_to_contain_text("this one")
        expect(page.get_by_role("main")).to_contain_text(store)

    one.ingest(encode_lines([{"message": "to the first"}] * 3))
    one.flush()
    expect(figure(pages[0], "Ingest", "Events since start")).to_have_text("3")
    expect(figure(pages[1], "Ingest", "Events since start")).to_have_text("0")


def count(node: Service) -> int:
    total: int = node.search("", limit=0, count=True)["total"]
    return total


def test_a_node_whose_bucket_is_the_store_says_so(
    open_page: OpenPage, start_node: StartNode, s3_server: S3Server
) -> None:
    store = s3_server.make_url()
    one = start_node(store, **s3_server.environment)
    two = start_node(store, **s3_server.environment)
    page = open_status(open_page, two)
    expect(rows_of(page, "Nodes")).to_have_count(2)
    expect(row_of(page, "Nodes", name_of(page))).to_contain_text("this one")
    expect(page.get_by_role("main")).to_contain_text(f"store {store}")
    one.ingest(encode_lines([{"message": "kept in a bucket"}] * 5))
    one.flush()
    poll_until(lambda: count(two) == 5, "the other node to see them")
    page.goto("/#/admin/indexes")
    row = rows_of(page, "Indexes of default")
    expect(row.get_by_role("cell").nth(1)).to_have_text("5")


def test_a_node_that_goes_away_is_said_to_give_no_answer(
    open_page: OpenPage, start_node: StartNode, tmp_path: Path
) -> None:
    one = start_node(f"file://{tmp_path / 'store'}")
    page = open_page("#/admin/status", on=one, account=ACCOUNT, troubled=("/api/admin/status",))
    expect(page.get_by_text("Ready", exact=True)).to_be_visible()
    one.stop()
    expect(page.get_by_text("No answer", exact=True)).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached")
    one.start()
    expect(page.get_by_text("Ready", exact=True)).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
