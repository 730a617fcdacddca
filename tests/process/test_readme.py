"""The README's tour, copied from it and run as it stands."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from tests.process.service import Service

ROOT = Path(__file__).parents[2]
PORT = 7300

pytestmark = pytest.mark.process


def read_tour() -> list[str]:
    """The shell blocks below the heading of the tour."""
    tour = (ROOT / "README.md").read_text().split("## A first tour")[1].split("\n## ")[0]
    return re.findall(r"```sh\n(.*?)```", tour, re.DOTALL)


def is_free(port: int) -> bool:
    listening = Path("/proc/net/tcp").read_text()
    return f":{port:04X} 00000000:0000 0A" not in listening


def test_the_tour_finds_what_it_sent(tmp_path: Path) -> None:
    service = Service(tmp_path / "data", tmp_path / "log", {})
    # As written where the port is free, else on another one.
    service.port = PORT if is_free(PORT) else service.port
    service.spawn()
    service.await_ready()
    try:
        script = "set -e\n" + "\necho\n".join(read_tour())
        script = script.replace(str(PORT), str(service.port))
        run = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    finally:
        service.close()
    answers = [json.loads(text) for text in re.findall(r"\{.*?\}(?=\{\"|\n|$)", run.stdout)]
    setup, ingested, _flushed, events, table = answers
    assert setup["role"] == "admin"
    assert (ingested["ingested"], ingested["errors"]) == (3, 0)
    assert [row["message"] for row in events["rows"]] == [
        "timeout while calling the bank",
        "card declined by bank",
    ]
    assert table["rows"] == [
        {"service": "payments", "count": 2},
        {"service": "checkout", "count": 1},
    ]
