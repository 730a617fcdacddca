"""The metadata of identity providers: what is read from it, and what is refused."""

import pytest
from tests.saml.idp import IDP
from tests.saml.idp_server import make_idp_metadata
from tests.together import together

from logboom.base.errors import Invalid
from logboom.saml.metadata import read_metadata

SSO_URL = "https://idp.example.com/sso"
GOOD = make_idp_metadata(SSO_URL, "idp", "next")


def test_all_that_the_settings_need_is_read() -> None:
    found = read_metadata(f'\ufeff<?xml version="1.0"?>{GOOD}\n')
    assert (found.entity_id, found.sso_url, len(found.certificates)) == (IDP, SSO_URL, 2)
    assert all(each.startswith("-----BEGIN CERTIFICATE-----\n") for each in found.certificates)


def test_a_certificate_that_is_there_twice_is_one() -> None:
    assert len(read_metadata(make_idp_metadata(SSO_URL, "idp", "idp")).certificates) == 1


def test_certificates_for_encryption_are_not_pinned() -> None:
    text = GOOD.replace('use="signing"', 'use="encryption"', 1)
    assert len(read_metadata(text).certificates) == 1


def test_one_provider_within_a_list_is_found() -> None:
    text = f'<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">{GOOD}</md:EntitiesDescriptor>'
    assert read_metadata(text).entity_id == IDP


@together(
    ("text", "message"),
    [
        ("", "cannot be read"),
        ("not XML", "cannot be read"),
        (f"<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>{GOOD}", "declaration"),
        ("<x/>", "0 identity providers"),
        (f"<x>{GOOD}{GOOD}</x>", "2 identity providers"),
        (GOOD.replace("bindings:HTTP-Redirect", "bindings:SOAP"), "HTTP-Redirect"),
        (GOOD.replace("X509Certificate>", "X509Other>"), "no certificate"),
        (GOOD.replace("X509Certificate>M", "X509Certificate>A"), "certificate in the metadata"),
        (GOOD.replace("entityID", "other"), "no entityID"),
        (GOOD.replace("SAML:2.0:protocol", "SAML:1.1:protocol"), "0 identity providers"),
    ],
)
def test_other_documents_are_refused(text: str, message: str) -> None:
    with pytest.raises(Invalid, match=message):
        read_metadata(text)
