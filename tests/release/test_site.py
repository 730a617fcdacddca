"""The documentation as a site: whole, without a link that leads nowhere, and with a reference that is up to date."""

import json
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from release.reference.pages import PAGES
from release.site.build import DOCS, build_site
from release.site.links import BrokenSite
from release.site.markdown import read_document, render
from release.site.navigation import list_entries, name_page
from tests.together import together

from logboom.lang.parse import parse

MOST_BYTES = 4_000_000
EXAMPLES = re.compile(r"^```query\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Links(HTMLParser):
    """What a page refers to, and the names of its parts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src", "action", "data-index"):
                self.links.append(value or "")
            if name == "id":
                self.names.append(value or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site") / "made"
    build_site(DOCS, target, "1.2.3")
    return target


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The documentation, to be spoilt."""
    return Path(shutil.copytree(DOCS, tmp_path / "docs"))


def list_pages(site: Path) -> Iterator[tuple[Path, Links]]:
    for path in sorted(site.rglob("*.html")):
        yield path, Links(path.read_text())


@together("path", PAGES)
def test_the_reference_is_what_the_code_says(path: str) -> None:
    assert (DOCS / path).read_text() == PAGES[path](), f"docs/{path} is out of date: run make docs"


def test_every_link_leads_to_a_file_and_every_anchor_to_a_part(site: Path) -> None:
    names = {path: set(page.names) for path, page in list_pages(site)}
    for path, page in list_pages(site):
        assert len(page.names) == len(set(page.names)), path
        for link in page.links:
            if link == "/" or link.startswith("https://"):
                continue
            if link.startswith("http://127.0.0.1:7300"):
                continue
            target, anchor = urldefrag(unquote(link))
            found = (path.parent / target).resolve() if target else path
            assert found.is_file(), f"{path.name}: {link}"
            assert not anchor or anchor in names[found], f"{path.name}: {link}"


def test_pages_hold_nothing_that_the_content_policy_forbids(site: Path) -> None:
    for path, page in list_pages(site):
        text = re.sub(r"<code.*?</code>", "", path.read_text(), flags=re.DOTALL)
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|<[^>]*\bstyle=|<[^>]*\bon\w+=", text)
        assert not [link for link in page.links if link.startswith("javascript:")]


def test_every_page_has_one_title_and_names_itself_in_the_menu(site: Path) -> None:
    for entry in list_entries():
        text = (site / name_page(entry.path)).read_text()
        assert len(re.findall(r"<h1\b", text)) == 1, entry.path
        assert text.count('aria-current="page"') == 1, entry.path
        assert "documentation 1.2.3" in text


def test_the_search_knows_every_section(site: Path) -> None:
    [file] = site.glob("search-*.json")
    sections = json.loads(file.read_text())
    pages = {page.partition("#")[0] for page, *_ in sections}
    assert pages == {name_page(entry.path) for entry in list_entries()}
    [found] = [each for each in sections if each[0] == "query-language.html#timechart"]
    assert found[1:3] == ["Query language", "timechart"]
    assert "Returns one row per time span" in found[3]


def test_the_site_is_small_and_the_same_each_time(site: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    build_site(DOCS, again, "1.2.3")
    files = {path.relative_to(site): path.read_bytes() for path in site.rglob("*.*")}
    assert files == {path.relative_to(again): path.read_bytes() for path in again.rglob("*.*")}
    assert sum(map(len, files.values())) < MOST_BYTES


@pytest.mark.parametrize(
    ("link", "fault"),
    [
        ("[a](nowhere.md)", "alerts.md: nowhere.md: no such page"),
        ("[a](ui.md#nothing)", "alerts.md: ui.md#nothing: no heading 'nothing' in ui.md"),
        ("[a](#nothing)", "alerts.md: #nothing: no heading 'nothing' in alerts.md"),
        ("[a](../README.md)", "alerts.md: ../README.md: no such page"),
        ("![a](pictures/nothing.png)", "alerts.md: pictures/nothing.png: no such page"),
    ],
)
def test_a_bad_link_fails_the_build(copied: Path, tmp_path: Path, link: str, fault: str) -> None:
    with (copied / "alerts.md").open("a") as page:
        page.write(f"\n{link}\n")
    with pytest.raises(BrokenSite) as raised:
        build_site(copied, tmp_path / "site", "1")
    assert str(raised.value) == fault
    assert not (tmp_path / "site").exists()


def test_a_page_that_is_in_no_menu_or_missing_or_without_a_title_fails_the_build(
    copied: Path, tmp_path: Path
) -> None:
    (copied / "new.md").write_text("# New\n")
    (copied / "ui.md").unlink()
    with pytest.raises(BrokenSite) as raised:
        build_site(copied, tmp_path / "site", "1")
    assert "new.md: in no menu" in str(raised.value)
    assert "ui.md: in the menu, but not in" in str(raised.value)
    (copied / "new.md").unlink()
    (copied / "ui.md").write_text("No title\n")
    with pytest.raises(BrokenSite, match=r"ui\.md: a page begins with its title"):
        build_site(copied, tmp_path / "site", "1")


def test_text_stays_text() -> None:
    text = "# T\n\n<script>x</script> `<b>` [a](javascript:x) ![<i>](x.png)\n\n```<b>\n</pre><script>\n```\n"
    made = render(read_document(text), lambda link: link)
    assert "<script>" not in made
    assert 'href="javascript' not in made
    assert "<b>" not in made
    assert "<i>" not in made


def test_headings_are_named_as_elsewhere() -> None:
    made = read_document("# T\n\n## `GET /api/x`\n\n## A, b & c\n\n## A, b & c\n")
    assert [heading.slug for heading in made.headings] == ["t", "get-apix", "a-b--c", "a-b--c-1"]


def test_columns_of_numbers_stand_right_by_a_class() -> None:
    made = render(read_document("# T\n\n| a | b |\n|---|--:|\n| x | 1 |\n"), lambda link: link)
    assert '<td class="right">1</td>' in made
    assert "style=" not in made


def list_examples() -> list[tuple[str, str]]:
    return [
        (path.relative_to(DOCS).as_posix(), query)
        for path in sorted(DOCS.rglob("*.md"))
        for block in EXAMPLES.findall(path.read_text())
        for query in block.splitlines()
    ]


@together(("page", "query"), list_examples())
def test_every_example_of_a_query_can_be_read(page: str, query: str) -> None:
    parse(query)
