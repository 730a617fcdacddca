"""Links to pages that show people what an agent was shown."""

from urllib.parse import urlencode

EXPLORE = "/#/explore"
SAFE = "*-._:"
LONGEST = 1_500
"""A query that makes the address longer gets no link."""


def link_to(base_url: str, query: str, **place: str) -> str:
    """Return the Explore page with a query, environment, index and times."""
    parameters = {"q": query, **place}
    given = {name: text for name, text in parameters.items() if text}
    address = f"{base_url}{EXPLORE}?{urlencode(given, safe=SAFE)}"
    return address if base_url and len(address) <= LONGEST else ""
