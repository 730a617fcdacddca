"""The README's tour, copied from it and run as it stands."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.process.service import Service

ROOT = Path(__file__).parents[2]
PORT = 7300

pytestmark = pytest.mark.process


def read_blocks(heading: str, language: str) -> list[str]:
    """The blocks of code below a heading."""
    section = (ROOT / "README.md").read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


def is_free(port: int) -> bool:
    listening = Path("/proc/net/tcp").read_text()
    return f":{port:04X} 00000000:0000 0A" not in listening


def run_script(script: str, folder: Path) -> str:
    """What a script prints; it runs as from the clone's root, with the data in `folder`."""
    script = script.replace(".venv/bin/logboom", f"{sys.executable} -m logboom")
    command = ["bash", "-c", f"set -e\n{script}"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_the_tour_finds_what_it_sent(tmp_path: Path) -> None:
    service = Service(tmp_path / "data", tmp_path / "log", {})
    # As written where the port is free, else on another one.
    service.port = PORT if is_free(PORT) else service.port
    service.spawn()
    service.await_ready()
    tour = "\necho\n".join(read_blocks("A first tour", "sh")).replace(str(PORT), str(service.port))
    (commands,) = read_blocks("From the shell and from Python", "sh")
    address = f"export LOGBOOM_URL=http://127.0.0.1:{service.port}"
    try:
        printed = run_script(f"{tour}\necho\necho ----\n{address}\n{commands}", tmp_path)
    finally:
        service.close()
    answered, shown = printed.split("----\n")
    check_answers(answered)
    assert re.search(r"payments +2", shown)
    assert "service,message\n" in shown
    assert shown.count("card declined by bank") == 2
    (program,) = read_blocks("From the shell and from Python", "python")
    found = run_script(f"{sys.executable} - <<'END'\n{program}END\n", tmp_path)
    assert "card declined by bank" in found
    assert "avg(order.total)" in found


def check_answers(printed: str) -> None:
    answers = [json.loads(text) for text in re.findall(r"\{.*?\}(?=\{\"|\n|$)", printed)]
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
