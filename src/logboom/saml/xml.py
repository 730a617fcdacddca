"""Untrusted XML: parsed without entities, document types or network access, within limits."""

import re
from datetime import datetime
from typing import Any, TypeAlias

from lxml import etree

from logboom.saml.reasons import Refused

MAX_XML_BYTES = 256 * 1024
MAX_ELEMENTS = 4000
MAX_ATTRIBUTES = 64
"""Per element: the cost of canonical XML grows with the square of their number."""
MAX_NAMESPACES = 4000

Element: TypeAlias = Any
"""An element of lxml, whose types are incomplete."""

SAML = "{urn:oasis:names:tc:SAML:2.0:assertion}"
PROTOCOL = "{urn:oasis:names:tc:SAML:2.0:protocol}"
METADATA = "{urn:oasis:names:tc:SAML:2.0:metadata}"
SIGNATURE = "{http://www.w3.org/2000/09/xmldsig#}"
ENCRYPTION = "{http://www.w3.org/2001/04/xmlenc#}"

DECLARATION = re.compile(r"<!(?!--|\[CDATA\[)")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,12})?(?:Z|[+-]\d\d:\d\d)")


def make_parser() -> etree.XMLParser:
    """Return one parser per document, because parsers must not be shared between threads."""
    return etree.XMLParser(
        encoding="utf-8",  # whatever the document says: it was decoded as UTF-8 before
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
    )


def read_text(data: bytes) -> str:
    """Return the characters of a document, which must be UTF-8 and not too long."""
    if len(data) > MAX_XML_BYTES:
        raise Refused("saml_too_large", f"{len(data)} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused("saml_malformed", "not UTF-8") from error


def refuse_declarations(text: str) -> None:
    """Refuse document types and entities before any parser sees them."""
    found = DECLARATION.search(text)
    if found:
        raise Refused("saml_forbidden_xml", f"a declaration at character {found.start()}")


def refuse_namespaces(text: str) -> None:
    """Refuse so many namespace declarations that canonical XML would take seconds."""
    count = text.count("xmlns")
    if count > MAX_NAMESPACES:
        raise Refused("saml_too_large", f"{count} namespace declarations")


def check_bounds(root: Element) -> None:
    """Refuse too many elements and attributes."""
    for count, element in enumerate(root.iter(etree.Element), 1):
        if count > MAX_ELEMENTS or len(element.attrib) > MAX_ATTRIBUTES:
            raise Refused("saml_too_large", f"element {count}, {len(element.attrib)} attributes")


def parse(text: str) -> Element:
    """Return the root of a document."""
    try:
        return etree.fromstring(text.encode(), make_parser())
    except etree.XMLSyntaxError as error:
        raise Refused("saml_malformed", f"not XML: {error.msg}") from error


def find_one(parent: Element, tag: str) -> Element:
    """Return the only child with this tag."""
    found = parent.findall(tag)
    if len(found) != 1:
        name = etree.QName(tag).localname
        raise Refused("saml_malformed", f"{len(found)} elements {name}, expected one")
    return found[0]


def read_value(element: Element) -> str:
    """Return all characters of an element, which must contain nothing else."""
    if len(element):
        name = etree.QName(element).localname
        raise Refused("saml_malformed", f"{name} has elements inside, expected text")
    return element.text or ""


def read_moment(element: Element, attribute: str) -> int | None:
    """Return a time in seconds since 1970, or None if the attribute is absent."""
    text = element.get(attribute)
    if text is None:
        return None
    try:
        if not MOMENT.fullmatch(text):
            raise ValueError(text)  # noqa: TRY301 - the same as when it is no day of the calendar
        return int(datetime.fromisoformat(text).timestamp())
    except (ValueError, OverflowError) as error:
        raise Refused("saml_malformed", f"{attribute} {text!r}, expected a time") from error
