"""Parts of addresses and paths: members of what `parse_url` and `parse_path` return."""

from collections.abc import Mapping

from logboom.lang.ast import Call, Expression, Literal
from logboom.lang.dialects.lowering import Lowering, take_arguments
from logboom.lang.dialects.scanner import show
from logboom.lang.dialects.tree import Invocation, Node

AUTHORITY = r"^[A-Za-z][A-Za-z0-9+.-]*://"
PARTS: Mapping[str, Mapping[str, str]] = {
    "parse_url": {
        "scheme": r"^([A-Za-z][A-Za-z0-9+.-]*):",
        "host": AUTHORITY + r"(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)",
        "port": AUTHORITY + r"(?:[^/?#@]*@)?(?:\[[^\]]*\]|[^/?#:]*):([0-9]+)",
        "path": AUTHORITY + r"[^/?#]*(/[^?#]*)",
        "fragment": r"#(.*)$",
    },
    "parse_path": {
        "filename": r"([^/\\]*)$",
        "extension": r"\.([^./\\]+)$",
        "directorypath": r"^(.*)[/\\]",
    },
}
"""Members of what these functions return, as regular expressions for the text."""


def build_part(lowering: Lowering, whole: Invocation, member: Node) -> Expression:
    """`parse_url(x).Host`."""
    text = take_arguments(lowering, whole, 1, 1)[0]
    name = lowering.read_text(member)
    expression = PARTS[whole.name].get(name.lower())
    if expression is None:
        raise lowering.refuse(f"{show(name)} of {whole.name} is not supported", member)
    return Call("capture", (lowering.express(text), Literal(expression)))
