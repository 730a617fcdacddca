"""One page of Markdown: its HTML, its headings, where its links lead, and its text for the search."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

OUTWARD = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
UNSLUGGED = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    slug: str
    text: str


@dataclass(slots=True)
class Section:
    """A heading, and all text up to the next one."""

    slug: str
    title: str
    texts: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Document:
    """The parsed page; `links` are the targets of links and pictures as they are written."""

    tokens: list[Token]
    title: str
    headings: list[Heading]
    sections: list[Section]
    links: list[str]

    @property
    def slugs(self) -> set[str]:
        return {heading.slug for heading in self.headings}


def read_document(text: str) -> Document:
    """Raise ValueError for a page that does not start with its title."""
    tokens = PARSER.parse(text)
    headings = give_slugs(tokens)
    if not headings or headings[0].level != 1:
        raise ValueError("a page begins with its title: # Title")
    sections = split_sections(tokens, headings)
    return Document(tokens, headings[0].text, headings, sections, list(list_links(tokens)))


def give_slugs(tokens: list[Token]) -> list[Heading]:
    """Name each heading as GitHub does, so that links work in both places."""
    headings: list[Heading] = []
    taken: dict[str, int] = {}
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            text = read_inline(tokens[place + 1])
            slug = UNSLUGGED.sub("", text.lower()).replace(" ", "-")
            count = taken[slug] = taken.get(slug, -1) + 1
            slug = f"{slug}-{count}" if count else slug
            token.attrSet("id", slug)
            headings.append(Heading(int(token.tag[1]), slug, text))
    return headings


def read_inline(token: Token) -> str:
    """Return the visible text of a line."""
    parts = (
        " " if child.type in ("softbreak", "hardbreak") else child.content
        for child in token.children or []
    )
    return "".join(parts)


def split_sections(tokens: list[Token], headings: list[Heading]) -> list[Section]:
    sections: list[Section] = []
    following = iter(headings)
    is_heading = False
    for token in tokens:
        if token.type == "heading_open":
            heading = next(following)
            sections.append(Section(heading.slug, heading.text))
        is_heading = token.type == "heading_open" or (is_heading and token.type == "inline")
        if sections and not is_heading and token.type in ("inline", "fence", "code_block"):
            text = read_inline(token) if token.type == "inline" else token.content
            sections[-1].texts.append(" ".join(text.split()))
    return sections


def list_links(tokens: list[Token]) -> Iterator[str]:
    for child in list_inline(tokens):
        target = child.attrGet("href") or child.attrGet("src")
        if target is not None:
            yield str(target)


def list_inline(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield from token.children or []


def render(document: Document, move: Callable[[str], str]) -> str:
    """Return the HTML; `move` maps a link or picture of the page to its place on the site.

    Call once for each document.
    """
    for child in list_inline(document.tokens):
        for name in ("href", "src"):
            if (target := child.attrGet(name)) is not None:
                child.attrSet(name, move(str(target)))
                if OUTWARD.match(str(target)) and name == "href":
                    child.attrSet("rel", "noreferrer")
    return str(PARSER.renderer.render(document.tokens, PARSER.options, {}))


def open_table(*_: Any) -> str:
    """Wrap tables, so that wide ones scroll on their own, also by keyboard."""
    return '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>\n'


def close_table(*_: Any) -> str:
    return "</table></div>\n"


def open_cell(_: Any, tokens: Sequence[Token], place: int, *__: Any) -> str:
    """Replace styles on elements by classes, because the content policy allows no inline style."""
    token = tokens[place]
    side = str(token.attrGet("style") or "").removeprefix("text-align:")
    return f'<{token.tag} class="{side}">' if side else f"<{token.tag}>"


def render_fence(_: Any, tokens: Sequence[Token], place: int, *__: Any) -> str:
    token = tokens[place]
    language = escape(token.info.split()[0]) if token.info else "text"
    text = escape(token.content)
    return f'<pre tabindex="0"><code class="language-{language}">{text}</code></pre>\n'


def close_heading(_: Any, tokens: Sequence[Token], place: int, *__: Any) -> str:
    """End a heading with a link to itself."""
    tag = tokens[place].tag
    if tag == "h1":
        return "</h1>\n"
    slug = escape(str(tokens[place - 2].attrGet("id")))
    label = escape(f"Link to {read_inline(tokens[place - 1])}")
    return f' <a class="anchor" href="#{slug}" aria-label="{label}">#</a></{tag}>\n'


PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")
RULES: dict[str, Callable[..., str]] = {
    "table_open": open_table,
    "table_close": close_table,
    "th_open": open_cell,
    "td_open": open_cell,
    "fence": render_fence,
    "heading_close": close_heading,
}
for name, rule in RULES.items():
    PARSER.add_render_rule(name, rule)
