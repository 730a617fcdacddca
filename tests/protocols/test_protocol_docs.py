"""The pages on protocols and formats hold: their commands get the answers shown, their programs run, their links lead somewhere."""

import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.running import RunningService
from tests.together import together

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [*sorted((DOCS / "protocols").glob("*.md")), DOCS / "formats.md"]
PORT = "7300"
ANYTHING = "…"
TIMEOUT_S = 50
SHELL = ["bash", "-c"]
PYTHON = [sys.executable, "-c"]


class Block(NamedTuple):
    language: str
    text: str


def read_blocks(page: Path) -> list[Block]:
    """The blocks of code of a page in their order."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    return [Block(language, text) for language, text in found]


def is_command(block: Block) -> bool:
    return block.language == "sh" and block.text.startswith("curl")


def is_row(block: Block) -> bool:
    """Whether a block shows an event as a search finds it."""
    return block.language == "json" and block.text.startswith('{"_time"')


def run(service: RunningService, env: str, interpreter: list[str], script: str) -> str:
    """What a script prints, when the service is the one it speaks of and TOKEN one for the environment."""
    _, token = service.control.tokens.create("docs", env, indexes=("*",))
    here = script.replace(PORT, str(service.port))
    if interpreter == PYTHON:
        here = here.replace("TOKEN", token)
    result = subprocess.run(
        [*interpreter, here],
        env={**os.environ, "TOKEN": token},
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def agrees(shown: str, printed: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in shown.strip().split(ANYTHING))
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


def matches(row: dict[str, Any], event: dict[str, Any]) -> bool:
    folded = {name.lower(): value for name, value in row.items()}
    return all(folded.get(name.lower()) == value for name, value in event.items())


def list_anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_gets_the_answer_that_is_shown(
    service: RunningService, env: str, page: Path
) -> None:
    blocks = read_blocks(page)
    for command, shown in itertools.pairwise(blocks):
        if is_command(command):
            printed = run(service, env, SHELL, command.text)
            assert agrees(shown.text, printed), printed
    service.flush()
    rows = service.search(env=env, index="app")["rows"]
    for event in (json.loads(block.text) for block in blocks if is_row(block)):
        assert any(matches(row, event) for row in rows), (event, rows)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_python_program_brings_its_events(
    service: RunningService, env: str, page: Path
) -> None:
    programs = [block.text for block in read_blocks(page) if block.language == "python"]
    for program in programs:
        run(service, env, PYTHON, program)
    service.flush()
    assert service.count('message:"hello from python"', env=env, index="app") >= len(programs)


@together("page", PAGES)
def test_what_is_shown_as_json_is_json(page: Path) -> None:
    for block in read_blocks(page):
        if block.language == "json" and ANYTHING not in block.text:
            json.loads(block.text)


@together("page", PAGES)
def test_every_link_leads_to_a_heading(page: Path) -> None:
    for name, anchor in re.findall(r"\]\(([\w./-]+\.md)?(?:#([\w-]+))?\)", page.read_text()):
        target = page.parent / name if name else page
        assert target.exists(), name
        assert not anchor or anchor in list_anchors(target), f"{name}#{anchor}"


def test_every_protocol_has_its_page() -> None:
    names = {page.stem for page in PAGES}
    assert names == {"README", "bulk", "collector", "formats", "journal", "native", "otlp", "push"}
