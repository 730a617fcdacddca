"""Builds the site from the folder `docs`: every page of the menu, its assets, and the search index."""

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from release.site.layout import SEARCH_PAGE, Assets, lay_out, lay_out_search
from release.site.links import BrokenSite, check_links, is_picture, move
from release.site.markdown import Document, read_document, render
from release.site.navigation import list_entries, name_page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
OWN = Path(__file__).with_name("assets")
TOKENS = ROOT / "ui/src/styles/tokens.css"
ICON = ROOT / "ui/src/icon.svg"
"""Colours and sign are those of the pages."""


def build_site(docs: Path, target: Path, version: str) -> None:
    """Build the site in `target`, which is created from scratch.

    Raise BrokenSite if a page is missing, is in no menu, or has a bad link.
    """
    documents = read_all(docs)
    check_links(docs, documents)
    files = {
        **{path: (docs / path).read_bytes() for path in list_pictures(documents)},
        "site.css": TOKENS.read_bytes() + (OWN / "site.css").read_bytes(),
        "site.js": (OWN / "site.js").read_bytes(),
        "icon.svg": ICON.read_bytes(),
        "search.json": make_index(documents),
    }
    names = {path: add_hash(path, content) for path, content in files.items()}
    assets = Assets(*(names[each] for each in ("site.css", "site.js", "icon.svg", "search.json")))
    shutil.rmtree(target, ignore_errors=True)
    for path, content in files.items():
        write(target / names[path], content)
    for path, document in documents.items():
        body = render(document, lambda link, path=path: move(path, link, names))  # type: ignore[misc]
        page = lay_out(path, document, body, assets, version)
        write(target / name_page(path), page.encode())
    write(target / SEARCH_PAGE, lay_out_search(assets, version).encode())


def read_all(docs: Path) -> dict[str, Document]:
    listed = [entry.path for entry in list_entries()]
    found = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    faults = [f"{path}: in the menu, but not in {docs}" for path in listed if path not in found]
    faults += [f"{path}: in no menu of navigation.py" for path in sorted(found - set(listed))]
    faults += [f"{path}: twice in the menu" for path in set(listed) if listed.count(path) > 1]
    if faults:
        raise BrokenSite("\n".join(faults))
    return {path: read_page(docs, path) for path in listed}


def read_page(docs: Path, path: str) -> Document:
    try:
        return read_document((docs / path).read_text())
    except ValueError as error:
        raise BrokenSite(f"{path}: {error}") from error


def list_pictures(documents: Mapping[str, Document]) -> list[str]:
    links = {link.removeprefix("../") for each in documents.values() for link in each.links}
    return sorted(filter(is_picture, links))


def make_index(documents: Mapping[str, Document]) -> bytes:
    """Return the search index: for each section its page, the page's title, its heading and its text."""
    sections = [
        [
            name_page(path) + (f"#{section.slug}" if place else ""),
            document.title,
            section.title if place else "",
            " ".join(section.texts),
        ]
        for path, document in documents.items()
        for place, section in enumerate(document.sections)
    ]
    return json.dumps(sections, ensure_ascii=False, separators=(",", ":")).encode()


def add_hash(path: str, content: bytes) -> str:
    """Return a name that changes with the content, so that browsers may cache the file forever."""
    stem, dot, ending = path.rpartition(".")
    return f"{stem}-{hashlib.sha256(content).hexdigest()[:10]}{dot}{ending}"


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
