"""python -m release.reference: regenerate the pages of the reference."""

from release.reference.pages import PAGES
from release.site.build import DOCS

for path, make in PAGES.items():
    (DOCS / path).parent.mkdir(exist_ok=True)
    (DOCS / path).write_text(make())
