"""The tables of checks: each refuses one kind of bad response, and tests show that no other check would."""

from collections.abc import Callable
from dataclasses import dataclass, field

from lxml import etree

from logboom.saml import signature as signatures
from logboom.saml.assertion import BEARER, Assertion, Confirmation, Envelope
from logboom.saml.provider import Provider
from logboom.saml.reasons import Refused
from logboom.saml.xml import (
    ENCRYPTION,
    PROTOCOL,
    SAML,
    SIGNATURE,
    Element,
    check_bounds,
    refuse_declarations,
    refuse_namespaces,
)

SKEW_S = 60
"""The tolerated difference between the clocks of both machines."""
SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success"


@dataclass(frozen=True, slots=True)
class Claim:
    """A verified assertion, the response around it, and what both are compared with."""

    assertion: Assertion
    envelope: Envelope
    provider: Provider
    now_s: int

    @property
    def confirmation(self) -> Confirmation:
        return self.assertion.confirmations[0]


def check_markup(root: Element) -> None:
    """Raise Refused for comments and processing instructions, which split texts."""
    document = root.getroottree().getroot()
    around = [*document.itersiblings(preceding=True), *document.itersiblings()]
    inside = root.iter(etree.Comment, etree.ProcessingInstruction, etree.Entity)
    if around or next(inside, None) is not None:
        raise Refused("saml_forbidden_xml", "a comment, an instruction or an entity")


def check_kind(root: Element) -> None:
    if root.tag != f"{PROTOCOL}Response" or root.get("Version") != "2.0":
        raise Refused("saml_not_a_response", f"{root.tag} version {root.get('Version')}")


def check_status(root: Element) -> None:
    outer = root.findall(f"{PROTOCOL}Status/{PROTOCOL}StatusCode")
    if [each.get("Value") for each in outer] != [SUCCESS]:
        codes = [each.get("Value", "") for each in root.iter(f"{PROTOCOL}StatusCode")]
        message = root.findtext(f"{PROTOCOL}Status/{PROTOCOL}StatusMessage", "")
        raise Refused("saml_status", " ".join([*codes, message]))


def check_plain(root: Element) -> None:
    names = (f"{SAML}EncryptedAssertion", f"{SAML}EncryptedID", f"{SAML}EncryptedAttribute")
    found = next(root.iter(*names, f"{ENCRYPTION}EncryptedData"), None)
    if found is not None:
        raise Refused("saml_encrypted", etree.QName(found).localname)


def check_one_assertion(root: Element) -> None:
    found = list(root.iter(f"{SAML}Assertion"))
    if len(found) != 1 or found[0].getparent() is not root:
        raise Refused("saml_assertion_count", f"{len(found)} assertions")


def check_ids(root: Element) -> None:
    """Raise Refused for a repeated ID, in attributes of any namespace and case: a signature could mean either."""
    seen: set[str] = set()
    for element in root.iter(etree.Element):
        for name, value in element.attrib.items():
            if etree.QName(name).localname.lower() != "id":
                continue
            if value in seen:
                raise Refused("saml_duplicate_id", value)
            seen.add(value)


def check_signature_places(root: Element) -> None:
    """Raise Refused unless signatures are directly below the response and the assertion, at most one each."""
    places = [root, *root.findall(f"{SAML}Assertion")]
    parents = [each.getparent() for each in root.iter(f"{SIGNATURE}Signature")]
    if len(parents) != len(set(parents)) or not set(parents) <= set(places):
        raise Refused("saml_signature_place", f"{len(parents)} signatures")


def check_issuer(claim: Claim) -> None:
    require_equal("saml_wrong_issuer", claim.assertion.issuer, claim.provider.idp_entity_id)


def check_response_issuer(claim: Claim) -> None:
    if claim.envelope.issuer is not None:
        require_equal("saml_wrong_issuer", claim.envelope.issuer, claim.provider.idp_entity_id)


def check_audience(claim: Claim) -> None:
    """Raise Refused unless there is a restriction, and each names us."""
    audiences = claim.assertion.audiences
    if not audiences or not all(claim.provider.sp_entity_id in each for each in audiences):
        raise Refused(
            "saml_wrong_audience", f"{audiences}, expected {claim.provider.sp_entity_id!r}"
        )


def check_destination(claim: Claim) -> None:
    """Raise Refused for another destination; one is required if the response is signed, as the standard says."""
    destination = claim.envelope.destination
    if destination is not None or claim.envelope.is_signed:
        require_equal("saml_wrong_destination", destination, claim.provider.acs_url)


def check_confirmation(claim: Claim) -> None:
    methods = [each.method for each in claim.assertion.confirmations]
    if methods != [BEARER]:
        raise Refused("saml_no_confirmation", f"methods {methods}")


def check_recipient(claim: Claim) -> None:
    require_equal("saml_wrong_recipient", claim.confirmation.recipient, claim.provider.acs_url)


def check_confirmation_begun(claim: Claim) -> None:
    require_begun(claim.confirmation.window.not_before_s, claim.now_s)


def check_confirmation_lasts(claim: Claim) -> None:
    require_lasting(claim.confirmation.window.not_on_or_after_s, claim.now_s)


def check_begun(claim: Claim) -> None:
    require_begun(claim.assertion.window.not_before_s, claim.now_s)


def check_lasts(claim: Claim) -> None:
    require_lasting(claim.assertion.window.not_on_or_after_s, claim.now_s)


def check_session_lasts(claim: Claim) -> None:
    if claim.assertion.session_until_s is not None:
        require_lasting(claim.assertion.session_until_s, claim.now_s)


def check_solicited(claim: Claim) -> None:
    if not claim.confirmation.in_response_to:
        raise Refused("saml_unsolicited")


def check_one_request(claim: Claim) -> None:
    in_response_to = claim.envelope.in_response_to
    if in_response_to is not None:
        require_equal("saml_wrong_request", in_response_to, claim.confirmation.in_response_to)


def check_identity(claim: Claim) -> None:
    found = claim.assertion.find_identity(claim.provider.match)
    if len(found) != 1 or not found[0]:
        names = sorted(claim.assertion.attributes)
        raise Refused(
            "saml_no_identity", f"{len(found)} of {claim.provider.match!r}, attributes {names}"
        )


def require_equal(reason: str, found: str | None, expected: str | None) -> None:
    if found != expected:
        raise Refused(reason, f"{found!r}, expected {expected!r}")


def require_begun(not_before_s: int | None, now_s: int) -> None:
    if not_before_s is not None and now_s < not_before_s - SKEW_S:
        raise Refused("saml_not_yet_valid", f"in {not_before_s - now_s} s")


def require_lasting(not_on_or_after_s: int | None, now_s: int) -> None:
    """Raise Refused unless there is an end that has not been reached: nothing is valid forever."""
    if not_on_or_after_s is None:
        raise Refused("saml_expired", "no NotOnOrAfter")
    if now_s >= not_on_or_after_s + SKEW_S:
        raise Refused("saml_expired", f"{now_s - not_on_or_after_s} s ago")


@dataclass(frozen=True)
class Checks:
    """All checks, in the order in which they run."""

    text: tuple[Callable[[str], None], ...] = (refuse_declarations, refuse_namespaces)
    """On the text of the document before it is parsed."""
    shape: tuple[Callable[[Element], None], ...] = (
        check_bounds,
        check_markup,
        check_kind,
        check_status,
        check_plain,
        check_one_assertion,
        check_ids,
        check_signature_places,
    )
    """On the document before anything in it is verified."""
    signature: tuple[Callable[[Element], None], ...] = (
        signatures.check_reference,
        signatures.check_transforms,
        signatures.check_content,
        signatures.check_algorithms,
    )
    """On each signature before it is verified."""
    verify: Callable[[Element, str, Provider], bytes] = field(
        default=signatures.verify_signature, repr=False
    )
    """Verifies the signature at a place of the document, and returns what it covers."""
    claim: tuple[Callable[[Claim], None], ...] = (
        check_issuer,
        check_response_issuer,
        check_audience,
        check_destination,
        check_confirmation,
        check_recipient,
        check_confirmation_begun,
        check_confirmation_lasts,
        check_begun,
        check_lasts,
        check_session_lasts,
        check_solicited,
        check_one_request,
        check_identity,
    )
    """On the verified assertion."""


CHECKS = Checks()
