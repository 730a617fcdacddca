"""Makes foreign text safe to print: logged text must not control the terminal or fake a line."""

import re

UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control characters; escape sequences start with one
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # these reorder what is shown
    "\u2028\u2029"  # these end lines too
    "\ud800-\udfff]"  # cannot be encoded
)
SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def defuse(text: str) -> str:
    """Escape what a terminal would act on, as in JSON; JSON text keeps its meaning."""
    return UNSAFE.sub(lambda found: SHORT.get(found[0], f"\\u{ord(found[0]):04x}"), text)
