"""Takes the configurations for shippers from the documentation, and points them at a service of the tests."""

import re
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[2] / "docs"
FOLDERS = re.compile(r"/var/(?:log|lib)/")
SECTION = re.compile(r"^##+ (.+?)\n(.*?)(?=^## |^### |\Z)", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Place(NamedTuple):
    """The service that a shipper sends to, and a folder for its files."""

    folder: Path
    port: int
    syslog_port: int
    token: str


def read_blocks(page: str, heading: str) -> list[str]:
    """Return the blocks of code in a section of a page below `docs`."""
    sections = dict(SECTION.findall((DOCS / page).read_text()))
    return BLOCK.findall(sections[heading])


def point(text: str, place: Place) -> str:
    """Return the text as printed, except for address, token and folders."""
    text = text.replace("7300", str(place.port)).replace("5514", str(place.syslog_port))
    text = text.replace("$TOKEN", place.token).replace("TOKEN", place.token)
    return FOLDERS.sub(f"{place.folder}/", text)
