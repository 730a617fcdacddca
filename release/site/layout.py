"""The frame of every page: head, search, menu, headings of the page, the next page."""

from collections.abc import Mapping
from html import escape
from string import Template
from typing import NamedTuple

from release.site.links import relate
from release.site.markdown import Document
from release.site.navigation import NAVIGATION, Chapter, Entry, list_entries, name_page

SEARCH_PAGE = "search.html"
SEARCH_BODY = (
    '<h1>Search</h1>\n<p id="found" role="status">Type into the field above.</p>\n'
    '<ol id="results"></ol>\n<noscript><p>The search needs JavaScript.</p></noscript>\n'
)
MOST_LEVELS = 3

PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title · Logboom</title>
<link rel="icon" href="$icon" type="image/svg+xml">
<link rel="stylesheet" href="$style">
<script src="$script" defer data-index="$search_index"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="home" href="$home">Logboom <span>documentation $version</span></a>
<form role="search" action="$search" method="get">
<input type="search" name="q" aria-label="Search the documentation" placeholder="Search  ( / )" autocomplete="off" maxlength="200">
</form>
<a class="service" href="/">Open Logboom</a>
</header>
<div class="frame">
<nav aria-label="Documentation"><details class="menu" open><summary>Menu</summary>
$menu
</details></nav>
<main id="content" tabindex="-1">
$body
$around
</main>
$contents
</div>
</body>
</html>
""")


class Assets(NamedTuple):
    """Names of the files that all pages use."""

    style: str
    script: str
    icon: str
    search_index: str


def lay_out(path: str, document: Document, body: str, assets: Assets, version: str) -> str:
    return fill(
        path,
        title=escape(document.title),
        body=body,
        around=render_around(path),
        contents=render_contents(document),
        assets=assets,
        version=version,
    )


def lay_out_search(assets: Assets, version: str) -> str:
    return fill(
        SEARCH_PAGE,
        title="Search",
        body=SEARCH_BODY,
        around="",
        contents="",
        assets=assets,
        version=version,
    )


def fill(path: str, *, assets: Assets, version: str, **parts: str) -> str:
    places = {name: relate(path, place) for name, place in assets._asdict().items()}
    return PAGE.substitute(
        places,
        home=relate(path, "index.html"),
        search=relate(path, SEARCH_PAGE),
        menu="\n".join(render_chapter(path, chapter) for chapter in NAVIGATION),
        version=escape(version),
        **parts,
    )


def render_chapter(path: str, chapter: Chapter) -> str:
    entries = "".join(render_entry(path, entry) for entry in chapter.entries)
    return f"<h2>{escape(chapter.title)}</h2>\n<ul>{entries}</ul>"


def render_entry(path: str, entry: Entry) -> str:
    current = ' aria-current="page"' if entry.path == path else ""
    return f'<li><a href="{find_page(path, entry)}"{current}>{escape(entry.label)}</a></li>'


def find_page(path: str, entry: Entry) -> str:
    return escape(relate(path, name_page(entry.path)))


def render_contents(document: Document) -> str:
    """Return the headings of a page, beside it; empty if there are few."""
    headings = [each for each in document.headings if 1 < each.level <= MOST_LEVELS]
    if len(headings) < 3:
        return ""
    items = "".join(
        f'<li class="level-{each.level}"><a href="#{escape(each.slug)}">{escape(each.text)}</a></li>'
        for each in headings
    )
    return f'<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>{items}</ul></nav>'


def render_around(path: str) -> str:
    """Return the pages before and after this one."""
    entries = list_entries()
    place = next(number for number, entry in enumerate(entries) if entry.path == path)
    around: Mapping[str, list[Entry]] = {
        "Previous": entries[place - 1 : place] if place else [],
        "Next": entries[place + 1 : place + 2],
    }
    links = "".join(
        f'<a rel="{word.lower()[:4]}" href="{find_page(path, entry)}">{word}: {escape(entry.label)}</a>'
        for word, found in around.items()
        for entry in found
    )
    return f'<nav class="around" aria-label="Pages before and after">{links}</nav>'
