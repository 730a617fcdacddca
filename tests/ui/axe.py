"""Checks the accessibility of a page: the findings of axe, and elements wider than the page."""

from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "ui/node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SERIOUS = ("serious", "critical")
CHECK = """
async (rules) => {
  const { violations } = await axe.run(document, { runOnly: rules, resultTypes: ['violations'] })
  return violations.map(({ id, impact, help, nodes }) => ({
    id, impact, help, places: nodes.map(({ target, failureSummary }) => `${target}: ${failureSummary}`),
  }))
}
"""
TOO_WIDE = """
[document.scrollingElement, ...document.querySelectorAll('main, main > *')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1)
  // A code block or a wide table of the documentation scrolls by itself.
  .filter((each) => !(each.matches('pre, .wide') && getComputedStyle(each).overflowX === 'auto'))
  .map((each) => `${each.tagName}.${each.className}: ${each.scrollWidth} of ${each.clientWidth} px`)
"""
Scheme = Literal["light", "dark"]
LOOKED_FOR: dict[Scheme, dict[str, Any]] = {
    "light": {"type": "tag", "values": RULES},
    # Nothing but the colours is another one.
    "dark": {"type": "rule", "values": ["color-contrast"]},
}


def find_faults(page: Page) -> list[str]:
    """Return the faults of the page as it is now, in both colour schemes."""
    if not AXE.exists():
        pytest.skip(
            "SKIPPED: axe-core is not installed; make setup-dev does it where there is Node"
        )
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(AXE.read_text())
    found = [f"serious overflow on {page.url}: {place}" for place in page.evaluate(TOO_WIDE)]
    for scheme, rules in LOOKED_FOR.items():
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += [describe(page, scheme, fault) for fault in page.evaluate(CHECK, rules)]
    return [fault for fault in found if fault.startswith(SERIOUS)]


def describe(page: Page, scheme: str, fault: dict[str, Any]) -> str:
    places = "\n    ".join(fault["places"][:3])
    return (
        f"{fault['impact']} {fault['id']} on {page.url} ({scheme}): {fault['help']}\n    {places}"
    )
