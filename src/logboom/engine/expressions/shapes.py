"""Patterns of texts: what stays the same in them, and placeholders for what varies."""

import polars as pl

EDGE = r"(?-u:\b)"
CLOCK = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?"
ZONE = r"(?:Z|[+-][0-9]{2}:?[0-9]{2})"
ISO = rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:[T ](?:{CLOCK}|[0-9]{{2}}:[0-9]{{2}}){ZONE}?)?"
APACHE = rf"[0-9]{{1,2}}/[A-Z][a-z]{{2}}/[0-9]{{4}}:{CLOCK}(?: [+-][0-9]{{4}})?"
WEEKDAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? +)?"
MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
SYSLOG = rf"{WEEKDAY}{MONTH} +[0-9]{{1,2}},? (?:[0-9]{{4}} )?{CLOCK}(?: [0-9]{{4}})?"
MAIL = rf"{WEEKDAY}[0-9]{{1,2}} {MONTH} [0-9]{{4}} {CLOCK}(?: {ZONE})?"
HEX = "[0-9a-fA-F]"
IPV4 = r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?::[0-9]{1,5})?"
IPV6 = rf"(?:{HEX}{{1,4}}:){{7}}{HEX}{{1,4}}|(?:{HEX}{{1,4}}:)+(?::{HEX}{{1,4}})+"
UNITS = "ns|us|µs|ms|s|m|h|d"
NUMBER = r"[0-9]+(?:\.[0-9]+)*"

METHODS = "GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT"
VERSION = r"(?: HTTP/[0-9](?:\.[0-9])?)?"
ESCAPE = r"(?:\x1b|\\u001[bB]|\\x1[bB]|\\033|\\e|#033)"
COLOUR = rf"{ESCAPE}\[[0-9;:?]*[A-Za-z]"
QUOTE, HELD = "\ue001", "\ue000"
"""Stand-ins for quotes and a status that are kept, while all others are replaced."""

KEPT: tuple[tuple[str, str], ...] = (
    (COLOUR, ""),
    (rf'"((?:{METHODS}) [^"?]*)(?:\?[^"]*?)?({VERSION})"', f"{QUOTE}${{1}}${{2}}{QUOTE}"),
    (
        rf"{EDGE}({METHODS}) ([^\s?{QUOTE}]+)(?:\?\S*)?({VERSION}{QUOTE}?) ([1-5])([0-9])([0-9]){EDGE}",
        f"${{1}} ${{2}}${{3}} {HELD}q${{4}}q${{5}}q${{6}}q",
    ),
    (rf'({EDGE}(?:msg|message)=)"([^"]*)"', f"${{1}}{QUOTE}${{2}}{QUOTE}"),
    (r'([{,]\s*)"([A-Za-z_][A-Za-z0-9_.-]*)"(\s*:)', f"${{1}}{QUOTE}${{2}}{QUOTE}${{3}}"),
)
"""Colours and the parameters of a request are removed.

Its method, path and status are kept, and so are names in JSON and the message of a logfmt line.
"""

VARIABLES: tuple[tuple[str, str], ...] = (
    (r'"[^"]*"' + r"|(?-u:\B)'[^']*'(?-u:\B)", "<str>"),
    (rf"{EDGE}(?:{ISO}|{APACHE}|{SYSLOG}|{MAIL}|{CLOCK}){EDGE}", "<time>"),
    (rf"{EDGE}{HEX}{{8}}(?:-{HEX}{{4}}){{3}}-{HEX}{{12}}{EDGE}", "<uuid>"),
    (rf"{EDGE}(?:{IPV4}|{IPV6}){EDGE}", "<ip>"),
    (rf"{EDGE}(?:[0-9]+(?:\.[0-9]+)?(?:{UNITS}))+{EDGE}", "<duration>"),
    (rf"{EDGE}{NUMBER}{EDGE}", "<num>"),
    (rf"{EDGE}(?:0[xX]{HEX}+|{HEX}{{8,}}){EDGE}", "<hex>"),
    ("[0-9]{2,}", "<num>"),
)
"""What varies and its placeholder, replaced in this order; a single digit in a word stays (`v1`)."""

RETURNED: tuple[tuple[str, str], ...] = (
    (rf"{HELD}q([0-9])q([0-9])q([0-9])q", "${1}${2}${3}"),
    (QUOTE, '"'),
)


def find_pattern(text: pl.Expr) -> pl.Expr:
    for expression, replacement in (*KEPT, *VARIABLES, *RETURNED):
        text = text.str.replace_all(expression, replacement)
    return text
