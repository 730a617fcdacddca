"""The contents of an assertion, read from the bytes that were verified."""

from lxml import etree

from logboom.base.structs import InternalStruct
from logboom.saml.provider import NAME_ID
from logboom.saml.reasons import Refused
from logboom.saml.xml import SAML, SIGNATURE, Element, find_one, parse, read_moment, read_value

BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
KNOWN_CONDITIONS = {
    f"{SAML}{name}" for name in ("AudienceRestriction", "OneTimeUse", "ProxyRestriction")
}


class Window(InternalStruct, frozen=True):
    """Times in seconds since 1970; None is no limit."""

    not_before_s: int | None
    not_on_or_after_s: int | None


class Confirmation(InternalStruct, frozen=True):
    """How the subject proves itself: the bearer of the assertion, at a URL, in answer to a request."""

    method: str
    recipient: str | None
    in_response_to: str | None
    window: Window


class Assertion(InternalStruct, frozen=True):
    """An assertion; `audiences` are alternatives, one tuple for each restriction."""

    issuer: str
    name_id: str
    attributes: dict[str, tuple[str, ...]]
    audiences: tuple[tuple[str, ...], ...]
    window: Window
    confirmations: tuple[Confirmation, ...]
    session_until_s: int | None

    def find_identity(self, match: str) -> tuple[str, ...]:
        """Return the name of the user at the identity provider."""
        return (self.name_id,) if match == NAME_ID else self.attributes.get(match, ())


class Envelope(InternalStruct, frozen=True):
    """What the response around an assertion claims: never trusted, only compared."""

    destination: str | None
    issuer: str | None
    in_response_to: str | None
    is_signed: bool


def read_assertion(signed: bytes) -> Assertion:
    root = parse(signed.decode())
    if root.tag != f"{SAML}Assertion":
        raise Refused("saml_malformed", f"{root.tag} was signed, expected an assertion")
    subject = find_one(root, f"{SAML}Subject")
    conditions = find_one(root, f"{SAML}Conditions")
    statements = root.findall(f"{SAML}AuthnStatement")
    if not statements:
        raise Refused("saml_malformed", "no AuthnStatement")
    session_ends = [read_moment(each, "SessionNotOnOrAfter") for each in statements]
    return Assertion(
        issuer=read_value(find_one(root, f"{SAML}Issuer")).strip(),
        name_id=read_name_id(subject),
        attributes=read_attributes(root),
        audiences=read_audiences(conditions),
        window=read_window(conditions),
        confirmations=tuple(map(read_confirmation, subject.iter(f"{SAML}SubjectConfirmation"))),
        session_until_s=min((end for end in session_ends if end is not None), default=None),
    )


def read_name_id(subject: Element) -> str:
    found = subject.findall(f"{SAML}NameID")
    if len(found) > 1:
        raise Refused("saml_malformed", f"{len(found)} elements NameID, expected one")
    return read_value(found[0]) if found else ""


def read_attributes(root: Element) -> dict[str, tuple[str, ...]]:
    """Return every value by the name of its attribute; a value that is not plain text counts as empty."""
    attributes: dict[str, tuple[str, ...]] = {}
    for attribute in root.findall(f"{SAML}AttributeStatement/{SAML}Attribute"):
        values = attribute.findall(f"{SAML}AttributeValue")
        texts = ["" if len(each) else each.text or "" for each in values]
        name = attribute.get("Name", "")
        attributes[name] = (*attributes.get(name, ()), *texts)
    return attributes


def read_audiences(conditions: Element) -> tuple[tuple[str, ...], ...]:
    unknown = [each.tag for each in conditions if each.tag not in KNOWN_CONDITIONS]
    if unknown:
        raise Refused("saml_malformed", f"unknown condition {unknown[0]}")
    return tuple(
        tuple(read_value(each).strip() for each in restriction.findall(f"{SAML}Audience"))
        for restriction in conditions.findall(f"{SAML}AudienceRestriction")
    )


def read_confirmation(element: Element) -> Confirmation:
    data = element.find(f"{SAML}SubjectConfirmationData")
    if data is None:
        data = etree.Element("none")
    return Confirmation(
        method=element.get("Method", ""),
        recipient=data.get("Recipient"),
        in_response_to=data.get("InResponseTo"),
        window=read_window(data),
    )


def read_window(element: Element) -> Window:
    return Window(read_moment(element, "NotBefore"), read_moment(element, "NotOnOrAfter"))


def read_envelope(root: Element) -> Envelope:
    issuer = root.find(f"{SAML}Issuer")
    return Envelope(
        destination=root.get("Destination"),
        issuer=None if issuer is None else read_value(issuer).strip(),
        in_response_to=root.get("InResponseTo"),
        is_signed=is_signed(root),
    )


def is_signed(element: Element) -> bool:
    return element.find(f"{SIGNATURE}Signature") is not None
