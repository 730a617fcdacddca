"""The most common GROK patterns as regular expressions."""

import re

from logboom.base.patterns import compile_later

WORD = r"\b\w+\b"
NUMBER = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)"
IPV4 = r"(?:\d{1,3}\.){3}\d{1,3}"
IPV6 = r"[0-9A-Fa-f:]*:[0-9A-Fa-f:.]+"
HOST = r"[0-9A-Za-z][0-9A-Za-z.-]{0,253}"
ADDRESS = f"(?:{IPV4}|{HOST}|{IPV6})"
SCHEME = r"[A-Za-z][A-Za-z0-9+.-]+"
URI_PATH = r"(?:/[^\s?#]*)+"
PATTERNS: dict[str, str] = {
    "WORD": WORD,
    "NOTSPACE": r"\S+",
    "SPACE": r"\s*",
    "DATA": r".*?",
    "GREEDYDATA": r".*",
    "NUMBER": NUMBER,
    "BASE10NUM": NUMBER,
    "BASE16NUM": r"[+-]?(?:0x)?[0-9A-Fa-f]+",
    "INT": r"[+-]?\d+",
    "POSINT": r"[1-9]\d*",
    "NONNEGINT": r"\d+",
    "IP": f"(?:{IPV6}|{IPV4})",
    "IPV4": IPV4,
    "IPV6": IPV6,
    "HOSTNAME": HOST,
    "IPORHOST": ADDRESS,
    "HOSTPORT": rf"{ADDRESS}:[1-9]\d*",
    "USERNAME": r"[a-zA-Z0-9._-]+",
    "USER": r"[a-zA-Z0-9._-]+",
    "EMAILADDRESS": r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+",
    "UUID": r"[A-Fa-f0-9]{8}-(?:[A-Fa-f0-9]{4}-){3}[A-Fa-f0-9]{12}",
    "LOGLEVEL": r"(?i:trace|debug|notice|info(?:rmation)?|warn(?:ing)?|err(?:or)?|crit(?:ical)?|fatal|severe|emerg(?:ency)?|alert)",
    "QUOTEDSTRING": r"\"[^\"]*\"|'[^']*'",
    "QS": r"\"[^\"]*\"|'[^']*'",
    "PATH": r"(?:/[^\s/]*)+",
    "UNIXPATH": r"(?:/[^\s/]*)+",
    "URI": rf"{SCHEME}://(?:[^\s/?#@]*@)?(?:{ADDRESS}(?::\d+)?)?(?:{URI_PATH}(?:\?\S*)?)?",
    "URIPROTO": SCHEME,
    "URIHOST": rf"{ADDRESS}(?::[1-9]\d*)?",
    "URIPATH": URI_PATH,
    "URIPARAM": r"\?\S*",
    "URIPATHPARAM": rf"{URI_PATH}(?:\?\S*)?",
    "TIMESTAMP_ISO8601": r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?",
    "HTTPDATE": r"\d{2}/[A-Za-z]{3}/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4}",
    "SYSLOGTIMESTAMP": r"[A-Za-z]{3} +\d{1,2} \d{2}:\d{2}:\d{2}",
    "TIME": r"\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?",
}
REFERENCE = compile_later(r"%\{(?P<pattern>\w+)(?::(?P<name>[\w.@-]+))?(?::(?P<type>\w+))?\}")
NUMBER_TYPES = ("int", "long", "float", "double")
GROUP_NAME = compile_later(r"[A-Za-z_][\w.]*", re.ASCII)


class UnknownPattern(Exception):
    """The name of a pattern, or of a field, that cannot be used."""


def translate_grok(text: str) -> str:
    """Return the regular expression for a pattern; raise UnknownPattern."""
    return REFERENCE.sub(replace_reference, text)


def list_numbers(text: str) -> list[str]:
    """Return the numeric fields: `%{NUMBER:size:int}`."""
    found = REFERENCE.finditer(text)
    return [each["name"] for each in found if each["type"] in NUMBER_TYPES and each["name"]]


def replace_reference(found: re.Match[str]) -> str:
    expression = PATTERNS.get(found["pattern"])
    name = found["name"]
    if expression is None or (name and not GROUP_NAME.fullmatch(name)):
        raise UnknownPattern(found["pattern"] if expression is None else name)
    return f"(?<{name}>{expression})" if name else f"(?:{expression})"
