"""Programs as the documentation prints them: what they promise about bursts, outages and a full queue holds."""

import shutil
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import NamedTuple

import pytest
from tests.clients.campaign import PHASES, Campaign, Delivered
from tests.clients.documented import point, read_blocks
from tests.clients.running_daemons import Feed
from tests.clients.running_programs import (
    NODE_FOLDER,
    read_output,
    start_node,
    start_python,
    wait_for,
)

AT_ONCE = ("at-once",)
HAS_NODE = shutil.which("node") is not None and (NODE_FOLDER / "node_modules/.installed").exists()


class Printed(NamedTuple):
    """A program: where it is printed, as which of the section's blocks, and the phases it gets through."""

    page: str
    heading: str
    number: int = 0
    phases: tuple[str, ...] = tuple(PHASES)
    is_endless: bool = False
    """Whether it runs on until it is ended from outside."""


PROGRAMS = {
    "python-native": Printed("native.md", "Python"),
    "python-bulk": Printed("bulk.md", "Python"),
    "python-otlp": Printed("otlp.md", "Python"),
    # One request for each event: thousands would take as long as all the others together.
    "python-push": Printed("push.md", "Python", phases=("after-outage", "full-queue")),
    "python-collector": Printed("collector.md", "Python"),
    "node-bulk": Printed("bulk.md", "Node", phases=("at-once", "after-outage")),
    "node-bulk-pino": Printed("bulk.md", "Node", 1, AT_ONCE),
    "node-otlp": Printed("otlp.md", "Node"),
    "node-push-winston": Printed("push.md", "Node", 0, AT_ONCE),
    "node-push-pino": Printed("push.md", "Node", 1, AT_ONCE),
    "node-collector": Printed("collector.md", "Node", 0, AT_ONCE, is_endless=True),
}


class Outcome(NamedTuple):
    delivered: Delivered
    endings: dict[tuple[str, str], int]
    """How each run of a program ended."""
    outputs: dict[str, str]
    """What each program printed in all of its runs."""


class Runs:
    """Programs that run at the same time, each once in every phase that it gets through."""

    def __init__(self, campaign: Campaign) -> None:
        self._texts: dict[str, tuple[str, Path]] = {}
        self._running: dict[tuple[str, str], Popen[bytes]] = {}
        for name, printed in PROGRAMS.items():
            if HAS_NODE or not name.startswith("node"):
                place = campaign.make_place(name)
                text = read_blocks(f"protocols/{printed.page}", printed.heading)[printed.number]
                self._texts[name] = point(text, place), place.folder

    def list_feeds(self, phase: str) -> dict[str, Feed]:
        return {
            name: partial(self._start, name, phase)
            for name in self._texts
            if phase in PROGRAMS[name].phases
        }

    def _start(self, name: str, phase: str, lines: list[str]) -> None:
        start = start_node if name.startswith("node") else start_python
        text, folder = self._texts[name]
        self._running[name, phase] = start(text, lines, folder)

    def wait(self) -> dict[tuple[str, str], int]:
        for (name, _), program in self._running.items():
            if PROGRAMS[name].is_endless:
                program.terminate()
        return {key: wait_for(program) for key, program in self._running.items()}

    def read_outputs(self) -> dict[str, str]:
        return {name: read_output(folder) for name, (_, folder) in self._texts.items()}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcome]:
    """What became of the programs and their lines."""
    with Campaign(tmp_path_factory.mktemp("campaign")) as campaign:
        runs = Runs(campaign)
        campaign.send_at_once(runs.list_feeds("at-once"))
        campaign.send_in_an_outage(runs.list_feeds("after-outage"))
        campaign.send_with_a_full_queue(runs.list_feeds("full-queue"), [])
        endings = runs.wait()
        yield Outcome(campaign.list_delivered(), endings, runs.read_outputs())


@pytest.mark.parametrize(
    ("name", "phase"),
    [(name, phase) for name, printed in PROGRAMS.items() for phase in printed.phases],
)
def test_every_line_arrives_once(outcome: Outcome, name: str, phase: str) -> None:
    if (name, phase) not in outcome.endings:
        pytest.skip("needs node and its packages, see scripts/node-packages")
    is_well = PROGRAMS[name].is_endless or outcome.endings[name, phase] == 0
    assert is_well, outcome.outputs[name]
    delivered = outcome.delivered.items()
    found = Counter({key: times for key, times in delivered if key[:2] == (name, phase)})
    assert found == Counter((name, phase, number) for number in range(PHASES[phase]))
