"""The link that agents give as evidence shows people the same events."""

import re

from tests.mcp.agents import ask, make_key
from tests.running import RunningService, encode_lines
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect


def test_a_link_opens_what_the_agent_saw(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    events = [{"message": "paid", "level": "info"}, {"message": "refused & lost", "level": "error"}]
    service.keep(encode_lines(events), {"env": env})
    text = ask(service, make_key(service, envs=(env,)), "search", query="level:error")
    (link,) = re.findall(r"Evidence for people: http://[^/]+/(\S+)", text)
    page = open_page(link)
    expect(page.get_by_text("refused & lost").first).to_be_visible()
    expect(page.get_by_text("paid", exact=True)).to_have_count(0)
