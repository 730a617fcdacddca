"""The documentation of single sign-on says what the tables in the code say."""

import re
from pathlib import Path

from logboom.control.registry.saml import SamlSettings
from logboom.saml.reasons import REASONS

PAGES = Path(__file__).parents[2] / "docs" / "saml"


def test_every_event_is_in_the_table() -> None:
    rows = re.findall(
        r"^\| `(saml_\w+)` \| (.+) \|$", (PAGES / "README.md").read_text(), re.MULTILINE
    )
    assert dict(rows) == REASONS


def test_pages_name_only_events_that_exist() -> None:
    for page in PAGES.glob("*.md"):
        named = set(re.findall(r"`(saml_\w+)`", page.read_text()))
        assert named <= {*REASONS, "saml_status", "saml_identity"}, page


def test_every_setting_is_described() -> None:
    text = (PAGES / "README.md").read_text()
    assert all(f"`saml.{name}`" in text for name in SamlSettings.__struct_fields__)
