"""Text formats: convert the text of a body or a file to lines of JSON, one event each. All are in FORMATS.

Pure and synchronous. Input that does not match its format becomes a message and is counted, never dropped.
"""

from collections.abc import Callable

from logboom.base.errors import Invalid
from logboom.formats.auto.reader import AutoReader
from logboom.formats.cef import open_cef
from logboom.formats.csv import open_csv, open_tsv
from logboom.formats.grok.reader import open_grok
from logboom.formats.json import open_json
from logboom.formats.logfmt import open_logfmt
from logboom.formats.ndjson import open_ndjson
from logboom.formats.reader import Options, Reader
from logboom.formats.syslog import open_syslog
from logboom.formats.text import open_text
from logboom.formats.w3c import open_w3c

FORMATS: dict[str, Callable[[Options], Reader]] = {
    "ndjson": open_ndjson,
    "json": open_json,
    "text": open_text,
    "syslog": open_syslog,
    "logfmt": open_logfmt,
    "csv": open_csv,
    "tsv": open_tsv,
    "grok": open_grok,
    "cef": open_cef,
    "w3c": open_w3c,
    "auto": lambda options: AutoReader(options, FORMATS),
}


def open_reader(name: str, options: Options) -> Reader:
    """Return a reader for one text; raise Invalid for an unknown format or a bad pattern."""
    opener = FORMATS.get(name)
    if opener is None:
        expected = f"expected one of {', '.join(FORMATS)}"
        raise Invalid(f"unknown format {name!r}, {expected}", field="format")
    if options.grok and name not in ("grok", "auto"):
        raise Invalid(
            f"grok with the format {name}, expected the format grok or auto", field="grok"
        )
    if options.max_lines < 1:
        raise Invalid(f"max_lines is {options.max_lines}, expected at least 1", field="max_lines")
    return opener(options)
