"""The single sign-on settings: reads identity provider metadata into them, and describes them for admins."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from cryptography.hazmat.primitives import hashes

from logboom.base.clock import NS_PER_S, format_time
from logboom.base.errors import Invalid, about
from logboom.control.registry.saml import SamlSettings
from logboom.saml import extra
from logboom.saml.provider import ACS_PATH, METADATA_PATH, Provider

if TYPE_CHECKING:
    from cryptography import x509

METADATA_MEMBER = "idp_metadata"


class SamlCertificate(msgspec.Struct, frozen=True):
    """A pinned certificate; `fingerprint` is its SHA-256."""

    subject: str
    expires: str
    fingerprint: str


class SamlStatus(msgspec.Struct, frozen=True):
    """Whether single sign-on can work here, and the values that the identity provider needs."""

    installed: bool
    install: str
    sp_entity_id: str
    acs_url: str
    metadata_url: str
    certificates: list[SamlCertificate]


def name_entity(saml: SamlSettings) -> str:
    return saml.sp_entity_id or saml.base_url + METADATA_PATH


def name_acs_url(saml: SamlSettings) -> str:
    return saml.base_url + ACS_PATH


def make_provider(saml: SamlSettings) -> Provider:
    return Provider(
        base_url=saml.base_url,
        sp_entity_id=name_entity(saml),
        idp_entity_id=saml.idp_entity_id,
        idp_sso_url=saml.idp_sso_url,
        certificates=tuple(map(load_certificate, saml.idp_certificates)),
        match=saml.match,
    )


def load_certificate(pem: str) -> "x509.Certificate":
    from cryptography import x509  # noqa: PLC0415 - takes a while to load, and few services need it

    return x509.load_pem_x509_certificate(pem.encode())


def describe_saml(saml: SamlSettings) -> SamlStatus:
    """Return the state of single sign-on; without a base URL there are no addresses for the identity provider yet."""
    has_base = bool(saml.base_url)
    return SamlStatus(
        installed=extra.is_installed(),
        install=extra.INSTALL,
        sp_entity_id=name_entity(saml) if has_base else "",
        acs_url=name_acs_url(saml) if has_base else "",
        metadata_url=saml.base_url + METADATA_PATH if has_base else "",
        certificates=[describe_certificate(load_certificate(pem)) for pem in saml.idp_certificates],
    )


def describe_certificate(certificate: "x509.Certificate") -> SamlCertificate:
    expires_ns = int(certificate.not_valid_after_utc.timestamp()) * NS_PER_S
    return SamlCertificate(
        subject=certificate.subject.rfc4514_string(),
        expires=format_time(expires_ns),
        fingerprint=certificate.fingerprint(hashes.SHA256()).hex(":"),
    )


def expand_metadata(changes: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Replace the metadata of an identity provider in a change by the settings that it contains.

    Settings that are given explicitly win. Enabling single sign-on needs the extra.
    """
    expanded = dict(changes)
    section = expanded.get("saml")
    if not isinstance(section, Mapping):
        return expanded
    if section.get("enabled") is True and not extra.is_installed():
        raise Invalid(f"single sign-on needs {extra.INSTALL}", field="saml.enabled")
    members = dict(section)
    if METADATA_MEMBER in members:
        with about(f"saml.{METADATA_MEMBER}"):
            members = {**read_members(members.pop(METADATA_MEMBER)), **members}
    expanded["saml"] = members
    return expanded


def read_members(text: object) -> dict[str, Any]:
    if not isinstance(text, str):
        raise Invalid("the metadata is not a text, expected XML")
    found = extra.read_metadata(text)
    return {
        "idp_entity_id": found.entity_id,
        "idp_sso_url": found.sso_url,
        "idp_certificates": list(found.certificates),
    }
