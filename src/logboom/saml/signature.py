"""Signatures of responses: one strict form, made by a pinned key, returning the bytes that were signed."""

from cryptography import x509
from signxml.algorithms import DigestAlgorithm, SignatureMethod
from signxml.verifier import SignatureConfiguration, XMLVerifier

from logboom.saml.provider import Provider
from logboom.saml.reasons import Refused
from logboom.saml.xml import SAML, SIGNATURE, Element, make_parser

EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#"
ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"

METHODS = frozenset(
    {
        SignatureMethod.RSA_SHA256,
        SignatureMethod.RSA_SHA384,
        SignatureMethod.RSA_SHA512,
        SignatureMethod.SHA256_RSA_MGF1,
        SignatureMethod.SHA384_RSA_MGF1,
        SignatureMethod.SHA512_RSA_MGF1,
        SignatureMethod.ECDSA_SHA256,
        SignatureMethod.ECDSA_SHA384,
        SignatureMethod.ECDSA_SHA512,
    }
)
DIGESTS = frozenset({DigestAlgorithm.SHA256, DigestAlgorithm.SHA384, DigestAlgorithm.SHA512})

ASSERTION_PLACE = f"./{SAML}Assertion/"
RESPONSE_PLACE = "./"


def check_reference(signature: Element) -> None:
    """Raise Refused unless it signs the element that contains it, and nothing else."""
    references = signature.findall(f"{SIGNATURE}SignedInfo/{SIGNATURE}Reference")
    expected = f"#{signature.getparent().get('ID', '')}"
    found = [each.get("URI") for each in references]
    if found != [expected]:
        raise Refused("saml_signature_form", f"signs {found}, expected only {expected!r}")


def check_transforms(signature: Element) -> None:
    """Raise Refused for any transform but the canonical form that drops comments and foreign namespaces."""
    methods = list_algorithms(signature, "CanonicalizationMethod")
    transforms = list_algorithms(signature, "Transform")
    if methods != [EXCLUSIVE] or transforms != [ENVELOPED, EXCLUSIVE]:
        raise Refused("saml_signature_form", f"canonical by {methods}, transforms {transforms}")


def check_content(signature: Element) -> None:
    """Raise Refused if it contains data of its own, in which a signed element could be hidden."""
    if signature.find(f"{SIGNATURE}Object") is not None:
        raise Refused("saml_signature_form", "the signature holds an Object")


def check_algorithms(signature: Element) -> None:
    accepted = {each.value for each in METHODS | DIGESTS}
    used = [
        *list_algorithms(signature, "SignatureMethod"),
        *list_algorithms(signature, "DigestMethod"),
    ]
    weak = [each for each in used if each not in accepted]
    if weak:
        raise Refused("saml_weak_algorithm", ", ".join(weak))


def list_algorithms(signature: Element, name: str) -> list[str]:
    return [each.get("Algorithm", "") for each in signature.iter(f"{SIGNATURE}{name}")]


def verify_signature(root: Element, place: str, provider: Provider) -> bytes:
    """Return the canonical bytes that the signature at a place of the document covers.

    Whatever is trusted must be read from these bytes. Key information in the signature is ignored.
    """
    if root.find(f"{place}{SIGNATURE}Signature") is None:
        raise Refused("saml_unsigned")
    for certificate in provider.certificates:
        signed = try_certificate(root, place, certificate)
        if signed is not None:
            return signed
    raise Refused("saml_bad_signature", f"tried {len(provider.certificates)} certificates")


def try_certificate(root: Element, place: str, certificate: x509.Certificate) -> bytes | None:
    """Return the bytes that were signed, or None unless the key of the certificate signed them."""
    form = SignatureConfiguration(
        location=place,
        expect_references=1,
        signature_methods=METHODS,
        digest_algorithms=DIGESTS,
        ignore_ambiguous_key_info=True,
        # A pinned key is valid until it is removed: the dates of its certificate do not matter.
        verification_time=certificate.not_valid_before_utc,
    )
    try:
        result = XMLVerifier().verify(
            root,
            x509_cert=certificate,
            parser=make_parser(),
            id_attribute="ID",
            expect_config=form,
        )
    except Exception:  # noqa: BLE001 - whatever the library objects to, it did not verify
        return None
    assert not isinstance(result, list)
    return result.signed_data
