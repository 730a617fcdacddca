"""Recognises queries of Splunk by their pipes, and leaves out what only Splunk's configuration explains."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.tokens import MACRO

PIPES = compile_later(
    r"\|\s*+(?:(?:table|convert|makemv|tstats|iplocation)\s|(?:spath|xmlkv)\b|rex\s++field\s*+="
    r"|regex\s++[\w.]++\s*+!?=)",
    re.IGNORECASE,
)
"""Pipes that are rarely written like this in our own language."""
MACRO_PIPE = compile_later(r"\|\s*+`[^`|]*+`\s*+(?=[|\]]|\Z)")
OPERAND = compile_later(rf"[=<>!:,+*/-]\s*+{MACRO.pattern}")
MODEL = compile_later(r"\bfrom\s++datamodel\s*+=?\s*+(?:\"[\w.]++\"|[\w.]++)", re.IGNORECASE)
DATASET = compile_later(r"(?P<text>\"(?:[^\"\\]|\\.)*+\")|(?<![\w.=:\\/])[A-Z]\w*+\.(?=[a-z_])")
"""`Processes.` before a field of a data model."""


def has_splunk_pipes(text: str) -> bool:
    return "|" in text and PIPES.search(text) is not None


def leave_out_macros(text: str) -> str | None:
    """Return the query without its macros; None if one of them is the operand of an operator."""
    terms = MACRO_PIPE.sub("", text)
    return None if OPERAND.search(terms) else MACRO.sub("", terms).strip()


def leave_out_models(text: str) -> str | None:
    """Return the query on the events themselves, whose fields have no names of datasets before them."""
    bare = leave_out_macros(text)
    if bare is None:
        return None
    return MODEL.sub("", DATASET.sub(lambda found: found["text"] or "", bare))
