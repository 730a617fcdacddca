"""Checks that every package must pass."""

import httpx
from tests.golden.directories import HERE, LAST_RELEASE
from tests.golden.events import DAYS, encode, make_requests
from tests.golden.questions import ask_all, read_expected
from tests.golden.test_golden import keep_known
from tests.process.service import Service
from tests.waiting import PATIENCE_S


def use(service: Service) -> None:
    """Check that the last release's data is unchanged, and that new events are stored, found, and survive a restart."""
    expected = read_expected(HERE / f"{LAST_RELEASE}.json.xz")
    try:
        service.start()
        for part, answers in ask_all(service).items():
            assert keep_known(answers, expected[part]) == expected[part], part
        address = f"http://127.0.0.1:{service.port}/"
        page = (
            httpx.get(address, headers={"Accept": "text/html"}, timeout=PATIENCE_S)
            .raise_for_status()
            .text
        )
        assert "/ui/" in page
        assert (
            "Quick start"
            in httpx.get(f"{address}docs/", timeout=PATIENCE_S).raise_for_status().text
        )
        assert service.ingest(encode(make_requests(DAYS[0], 10, 500))).json()["ingested"] == 10
        service.flush()
        assert service.stop() == 0
        service.start()
        count = service.search("* | stats count", **{"from": "1677-10-01", "to": "2262-04-01"})
        before = len(expected["events"]["default"])
        assert count["rows"][0]["count"] == before + 10
        assert "WITHOUT compiled code" not in service.log.read_text()
        assert service.stop() == 0
    finally:
        service.close()
