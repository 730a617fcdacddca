"""Recognises queries of Splunk by pipes that only Splunk has, or that only Splunk writes like this."""

import re

from logboom.base.patterns import compile_later

PIPES = compile_later(
    r"\|\s*+(?:(?:table|convert|makemv|search|tstats|iplocation|bucket)\s|(?:spath|xmlkv)\b|rex\s++field\s*+="
    r"|regex\s++[\w.]++\s*+!?=|fillnull\s++value\s*+=|timechart\s++span\s*+=|(?:top|rare)\s++limit\s*+=)",
    re.IGNORECASE,
)


def has_splunk_pipes(text: str) -> bool:
    return "|" in text and PIPES.search(text) is not None
