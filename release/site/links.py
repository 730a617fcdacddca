"""Checks and rewrites links: to pages of the site, their headings, pictures, or other sites. Others are errors."""

import posixpath
from collections.abc import Mapping
from pathlib import Path

from release.site.markdown import OUTWARD, Document
from release.site.navigation import name_page


class BrokenSite(Exception):
    """What is wrong with the pages, one line for each fault."""


def check_links(folder: Path, documents: Mapping[str, Document]) -> None:
    """Raise BrokenSite if a link leads nowhere."""
    faults = [
        f"{path}: {fault}"
        for path, document in documents.items()
        for link in document.links
        if (fault := find_fault(folder, path, link, documents))
    ]
    if faults:
        raise BrokenSite("\n".join(faults))


def find_fault(folder: Path, path: str, link: str, documents: Mapping[str, Document]) -> str:
    """Return what is wrong with a link; empty if it is valid. External links are not visited."""
    if OUTWARD.match(link):
        return ""
    target, _, slug = link.partition("#")
    page = resolve(path, target)
    if page in documents:
        is_known = not slug or slug in documents[page].slugs
        return "" if is_known else f"{link}: no heading {slug!r} in {page}"
    return "" if is_picture(page) and (folder / page).is_file() else f"{link}: no such page"


def resolve(path: str, target: str) -> str:
    """Return the file below `docs` that a relative link means."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path


def is_picture(path: str) -> bool:
    return path.startswith("pictures/")


def move(path: str, link: str, assets: Mapping[str, str]) -> str:
    """Return the link on the site, relative like the original."""
    if OUTWARD.match(link):
        return link
    target, sign, slug = link.partition("#")
    if not target:
        return link
    found = resolve(path, target)
    place = assets.get(found) or name_page(found)
    return relate(path, place) + sign + slug


def relate(path: str, place: str) -> str:
    """Return the relative link from the page of one file to a place on the site."""
    return posixpath.relpath(place, posixpath.dirname(path) or ".")
