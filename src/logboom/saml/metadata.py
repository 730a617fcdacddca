"""Metadata: makes our own for the identity provider, and reads the provider's."""

import base64
import binascii
from xml.sax.saxutils import quoteattr

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from logboom.base.errors import Invalid
from logboom.base.structs import InternalStruct
from logboom.saml.reasons import Refused
from logboom.saml.xml import (
    METADATA,
    SIGNATURE,
    Element,
    check_bounds,
    parse,
    read_text,
    refuse_declarations,
    refuse_namespaces,
)

PROTOCOL_NAME = "urn:oasis:names:tc:SAML:2.0:protocol"
REDIRECT_BINDING = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
POST_BINDING = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"


class IdentityProvider(InternalStruct, frozen=True):
    """The settings of an identity provider; certificates are PEM texts."""

    entity_id: str
    sso_url: str
    certificates: tuple[str, ...]


def make_metadata(entity_id: str, acs_url: str) -> str:
    """Return our metadata, to be given to the identity provider."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID={quoteattr(entity_id)}>\n'
        f'  <md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="{PROTOCOL_NAME}">\n'
        "    <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified</md:NameIDFormat>\n"
        f'    <md:AssertionConsumerService Binding="{POST_BINDING}" Location={quoteattr(acs_url)} index="0" isDefault="true"/>\n'
        "  </md:SPSSODescriptor>\n"
        "</md:EntityDescriptor>\n"
    )


def read_metadata(text: str) -> IdentityProvider:
    """Read the metadata of an identity provider; raise Invalid if it is something else."""
    try:
        document = read_text(text.strip().encode())
        refuse_declarations(document)
        refuse_namespaces(document)
        root = parse(document)
        check_bounds(root)
    except Refused as error:
        raise Invalid(f"the metadata cannot be read: {error.detail}") from error
    entity, role = find_role(root)
    entity_id = entity.get("entityID", "")
    if not entity_id:
        raise Invalid("the metadata has no entityID")
    return IdentityProvider(entity_id, find_sso_url(role), find_certificates(role))


def find_role(root: Element) -> tuple[Element, Element]:
    """Return the only entity that is an identity provider, and its description."""
    found = [
        (role.getparent(), role)
        for role in root.iter(f"{METADATA}IDPSSODescriptor")
        if PROTOCOL_NAME in role.get("protocolSupportEnumeration", "").split()
    ]
    if len(found) != 1 or found[0][0] is None:
        raise Invalid(
            f"the metadata describes {len(found)} identity providers of SAML 2.0, expected one"
        )
    return found[0]


def find_sso_url(role: Element) -> str:
    for service in role.findall(f"{METADATA}SingleSignOnService"):
        if service.get("Binding") == REDIRECT_BINDING:
            return str(service.get("Location", ""))
    raise Invalid(
        "the identity provider does not accept requests by HTTP-Redirect, expected that it does"
    )


def find_certificates(role: Element) -> tuple[str, ...]:
    """Return the certificates of signing keys, without duplicates."""
    holders = [
        each
        for each in role.findall(f"{METADATA}KeyDescriptor")
        if each.get("use", "signing") == "signing"
    ]
    texts = [
        each.text or "" for holder in holders for each in holder.iter(f"{SIGNATURE}X509Certificate")
    ]
    if not texts:
        raise Invalid("the metadata has no certificate for signing")
    return tuple(dict.fromkeys(map(convert_certificate, texts)))


def convert_certificate(text: str) -> str:
    try:
        der = base64.b64decode("".join(text.split()), validate=True)
        return x509.load_der_x509_certificate(der).public_bytes(Encoding.PEM).decode()
    except (binascii.Error, ValueError) as error:
        raise Invalid("a certificate in the metadata cannot be read") from error
