"""A test identity provider: answers in the form of the common products, good ones and, on request, bad ones."""

import base64
import datetime
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from xml.sax.saxutils import escape

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID
from lxml import etree
from signxml.algorithms import CanonicalizationMethod, DigestAlgorithm, SignatureMethod
from signxml.signer import SignatureReference, XMLSigner

from logboom.saml.provider import Provider

NOW_S = 1_800_000_000
BASE_URL = "https://logs.example.com"
SP = "https://logs.example.com/api/auth/saml/metadata"
IDP = "https://idp.example.com/realms/main"
SSO_URL = "https://idp.example.com/realms/main/protocol/saml"
REQUEST_ID = "_0123456789abcdef0123456789abcdef"
ALICE = "alice@example.com"

DSIG = "{http://www.w3.org/2000/09/xmldsig#}"
SAML = "{urn:oasis:names:tc:SAML:2.0:assertion}"
SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success"
BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
PLACEHOLDER = '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#" Id="placeholder"/>'

Element = Any
Change = Callable[[Element], None]


@dataclass(frozen=True)
class Keys:
    """A key pair and its certificate."""

    private: Any
    certificate: x509.Certificate


MAKERS: dict[str, Callable[[], Any]] = {
    "rsa": lambda: rsa.generate_private_key(65537, 2048),
    "weak": lambda: rsa.generate_private_key(65537, 1024),
    "ec": lambda: ec.generate_private_key(ec.SECP256R1()),
}


@cache
def make_keys(name: str, kind: str = "rsa", *, is_expired: bool = False) -> Keys:
    """Return the same pair for the same name, within a run."""
    private: Any = MAKERS[kind]()
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    begin = datetime.datetime(2001 if is_expired else 2020, 1, 1, tzinfo=datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(private.public_key())
        .serial_number(1)
        .not_valid_before(begin)
        .not_valid_after(begin + datetime.timedelta(days=365 if is_expired else 36_500))
        .sign(private, hashes.SHA256())
    )
    return Keys(private, certificate)


class AnySigner(XMLSigner):
    """Signs with SHA-1 too, as old products do, and names the prefixes that it has kept, as Okta does."""

    def check_deprecated_methods(self) -> None:
        pass

    def _build_transforms_for_reference(self, **options: Any) -> None:
        super()._build_transforms_for_reference(**options)
        prefixes = options["reference"].inclusive_ns_prefixes
        if prefixes:
            etree.SubElement(
                options["transforms_node"][-1],
                "{http://www.w3.org/2001/10/xml-exc-c14n#}InclusiveNamespaces",
                PrefixList=" ".join(prefixes),
            )


@dataclass(frozen=True)
class Signing:
    """How something is signed."""

    keys: Keys = field(default_factory=lambda: make_keys("idp"))
    method: SignatureMethod = SignatureMethod.RSA_SHA256
    digest: DigestAlgorithm = DigestAlgorithm.SHA256
    canonical: CanonicalizationMethod = CanonicalizationMethod.EXCLUSIVE_XML_CANONICALIZATION_1_0
    prefixes: tuple[str, ...] = ()
    key_info: dict[str, Any] = field(default_factory=dict)
    """What the signature says of its key beside the certificate."""
    reference: str = ""
    """Which ID is signed, if not that of the element itself."""

    def sign(self, element: Element) -> Element:
        """Return a copy of the element, in which its placeholder is a signature."""
        signer = AnySigner(
            signature_algorithm=self.method,
            digest_algorithm=self.digest,
            c14n_algorithm=self.canonical,
        )
        reference = SignatureReference(
            URI=self.reference or f"#{element.get('ID')}",
            c14n_method=self.canonical,
            inclusive_ns_prefixes=list(self.prefixes) or None,
        )
        return signer.sign(
            element,
            key=self.keys.private,
            cert=[self.keys.certificate],
            reference_uri=[reference],
            id_attribute="ID",
            **self.key_info,
        )


@dataclass(frozen=True)
class Answer:
    """One answer, good unless a member is replaced; times are seconds from now."""

    now_s: int = NOW_S
    request_id: str = REQUEST_ID
    name_id: str = ALICE
    """As XML."""
    attributes: tuple[tuple[str, tuple[str, ...]], ...] = (("email", (ALICE,)),)
    issuer: str = IDP
    response_issuer: str | None = IDP
    audience: str | None = SP
    acs_url: str = f"{BASE_URL}/api/auth/saml/acs"
    recipient: str | None = None
    destination: str | None = None
    response_request_id: str | None = None
    not_before: int | None = -30
    not_on_or_after: int | None = 300
    confirmation_not_before: int | None = None
    confirmation_not_on_or_after: int | None = 300
    session_not_on_or_after: int | None = 36_000
    method: str = BEARER
    status: str = SUCCESS
    assertion_id: str = "_a-75adf55c"
    response_id: str = "_r-ba1e5d11"
    style: str = "keycloak"
    signing: Signing | None = field(default_factory=Signing)
    response_signing: Signing | None = None
    conditions: str = ""
    """More conditions, as XML."""

    def but(self, **changes: Any) -> "Answer":
        return replace(self, **changes)

    def make_assertion(self) -> Element:
        """Return an assertion, signed if wanted."""
        text = fill(ASSERTIONS[self.style], self)
        signature = PLACEHOLDER if self.signing else ""
        element = etree.fromstring(text.replace("[signature]", signature).encode())
        return self.signing.sign(element) if self.signing else element

    def make_response(self, change: Change = lambda _: None) -> Element:
        """`change` is made after the assertion is signed, and before the response is."""
        text = fill(RESPONSES[self.style], self)
        signature = PLACEHOLDER if self.response_signing else ""
        element = etree.fromstring(text.replace("[signature]", signature).encode())
        element.append(self.make_assertion())
        change(element)
        return self.response_signing.sign(element) if self.response_signing else element

    def encode(self, change: Change = lambda _: None) -> str:
        return encode(etree.tostring(self.make_response(change)))


def encode(data: bytes) -> str:
    return base64.b64encode(data).decode()


def make_provider(*names: str, match: str = "nameid") -> Provider:
    certificates = tuple(make_keys(name).certificate for name in names or ("idp",))
    return Provider(BASE_URL, SP, IDP, SSO_URL, certificates, match)


def find_assertion(response: Element) -> Element:
    return response.find(f"{SAML}Assertion")


def find_signature(element: Element) -> Element:
    return element.find(f"{DSIG}Signature")


def render_time(answer: Answer, offset: int) -> str:
    time = datetime.datetime.fromtimestamp(answer.now_s + offset, datetime.UTC)
    return time.strftime("%Y-%m-%dT%H:%M:%S.123Z")


def render_attribute(name: str, value: str | None) -> str:
    return "" if value is None else f' {name}="{escape(value)}"'


def render_moment(answer: Answer, name: str, offset: int | None) -> str:
    return "" if offset is None else render_attribute(name, render_time(answer, offset))


def render_values(answer: Answer, prefix: str) -> str:
    return "".join(
        f'<{prefix}Attribute Name="{name}" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic">'
        + "".join(f"<{prefix}AttributeValue>{v}</{prefix}AttributeValue>" for v in values)
        + f"</{prefix}Attribute>"
        for name, values in answer.attributes
    )


def fill(template: str, answer: Answer) -> str:
    prefix = {"keycloak": "saml:", "entra": "", "okta": "saml2:"}[answer.style]
    acs_url, request_id = answer.acs_url, answer.request_id
    response_request_id = answer.response_request_id
    audience = (
        ""
        if answer.audience is None
        else f"<{prefix}AudienceRestriction><{prefix}Audience>{escape(answer.audience)}</{prefix}Audience></{prefix}AudienceRestriction>"
    )
    issuer = answer.response_issuer
    values = {
        "now": render_time(answer, 0),
        "issuer": escape(answer.issuer),
        "name_id": answer.name_id,
        "assertion_id": answer.assertion_id,
        "response_id": answer.response_id,
        "status": answer.status,
        "method": answer.method,
        "conditions": audience + answer.conditions,
        "values": render_values(answer, prefix),
        "response_issuer": ""
        if issuer is None
        else f'<i:Issuer xmlns:i="urn:oasis:names:tc:SAML:2.0:assertion">{escape(issuer)}</i:Issuer>',
        "window": render_moment(answer, "NotBefore", answer.not_before)
        + render_moment(answer, "NotOnOrAfter", answer.not_on_or_after),
        "confirmation": render_attribute("Recipient", answer.recipient or acs_url)
        + render_attribute("InResponseTo", request_id or None)
        + render_moment(answer, "NotBefore", answer.confirmation_not_before)
        + render_moment(answer, "NotOnOrAfter", answer.confirmation_not_on_or_after),
        "session": render_moment(answer, "SessionNotOnOrAfter", answer.session_not_on_or_after),
        "response": render_attribute(
            "Destination", acs_url if answer.destination is None else answer.destination or None
        )
        + render_attribute(
            "InResponseTo",
            (request_id if response_request_id is None else response_request_id) or None,
        ),
    }
    for name, value in values.items():
        template = template.replace(f"[{name}]", value)
    return template


RESPONSES = {
    "keycloak": '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"[response]'
    ' ID="[response_id]" IssueInstant="[now]" Version="2.0">[response_issuer][signature]'
    '<samlp:Status><samlp:StatusCode Value="[status]"/></samlp:Status></samlp:Response>',
    "entra": '<samlp:Response ID="[response_id]" Version="2.0" IssueInstant="[now]"[response] xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">'
    '[response_issuer][signature]<samlp:Status><samlp:StatusCode Value="[status]"/></samlp:Status></samlp:Response>',
    "okta": '<?xml version="1.0" encoding="UTF-8"?><saml2p:Response[response] ID="[response_id]" IssueInstant="[now]" Version="2.0"'
    ' xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:xs="http://www.w3.org/2001/XMLSchema">[response_issuer][signature]'
    '<saml2p:Status xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol"><saml2p:StatusCode Value="[status]"/></saml2p:Status></saml2p:Response>',
}
ASSERTIONS = {
    "keycloak": '<saml:Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="[assertion_id]"'
    ' IssueInstant="[now]" Version="2.0"><saml:Issuer>[issuer]</saml:Issuer>[signature]'
    '<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified">[name_id]</saml:NameID>'
    '<saml:SubjectConfirmation Method="[method]"><saml:SubjectConfirmationData[confirmation]/></saml:SubjectConfirmation></saml:Subject>'
    "<saml:Conditions[window]>[conditions]</saml:Conditions>"
    '<saml:AuthnStatement AuthnInstant="[now]" SessionIndex="7f1b::c4"[session]><saml:AuthnContext>'
    "<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>"
    "<saml:AttributeStatement>[values]</saml:AttributeStatement></saml:Assertion>",
    "entra": '<Assertion ID="[assertion_id]" IssueInstant="[now]" Version="2.0" xmlns="urn:oasis:names:tc:SAML:2.0:assertion"><Issuer>[issuer]</Issuer>[signature]'
    '<Subject><NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">[name_id]</NameID>'
    '<SubjectConfirmation Method="[method]"><SubjectConfirmationData[confirmation]/></SubjectConfirmation></Subject>'
    "<Conditions[window]>[conditions]</Conditions><AttributeStatement>[values]</AttributeStatement>"
    '<AuthnStatement AuthnInstant="[now]" SessionIndex="_e5"><AuthnContext><AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</AuthnContextClassRef>'
    "</AuthnContext></AuthnStatement></Assertion>",
    "okta": '<saml2:Assertion ID="[assertion_id]" IssueInstant="[now]" Version="2.0" xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:xs="http://www.w3.org/2001/XMLSchema">'
    '<saml2:Issuer Format="urn:oasis:names:tc:SAML:2.0:nameid-format:entity">[issuer]</saml2:Issuer>[signature]'
    '<saml2:Subject><saml2:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">[name_id]</saml2:NameID>'
    '<saml2:SubjectConfirmation Method="[method]"><saml2:SubjectConfirmationData[confirmation]/></saml2:SubjectConfirmation></saml2:Subject>'
    '<saml2:Conditions[window]>[conditions]</saml2:Conditions><saml2:AuthnStatement AuthnInstant="[now]" SessionIndex="id1"><saml2:AuthnContext>'
    "<saml2:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</saml2:AuthnContextClassRef></saml2:AuthnContext></saml2:AuthnStatement>"
    "<saml2:AttributeStatement>[values]</saml2:AttributeStatement></saml2:Assertion>",
}
