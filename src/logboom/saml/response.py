"""A response of the identity provider: decoded, checked and verified, and the user that it names."""

import base64
import binascii
import re

from logboom.saml.assertion import Assertion, is_signed, read_assertion, read_envelope
from logboom.saml.checks import CHECKS, Checks, Claim
from logboom.saml.identity import Identity
from logboom.saml.provider import Provider
from logboom.saml.reasons import Refused
from logboom.saml.signature import ASSERTION_PLACE, RESPONSE_PLACE
from logboom.saml.xml import MAX_XML_BYTES, SIGNATURE, Element, parse, read_text

MAX_ENCODED = MAX_XML_BYTES * 3 // 2
"""Characters: base64 makes four of three bytes, and breaks lines."""
BLANKS = re.compile(r"[ \t\r\n]+")


def read_response(
    encoded: str, provider: Provider, now_s: int, checks: Checks = CHECKS
) -> Identity:
    """Return who signed in, and which request this answers; raise Refused, with the reason, for an invalid response.

    The caller must check that the same browser made the request, and that it was not answered before.
    """
    text = read_text(decode(encoded))
    for check_text in checks.text:
        check_text(text)
    root = parse(text)
    for check_shape in checks.shape:
        check_shape(root)
    assertion = verify(root, provider, checks)
    claim = Claim(assertion, read_envelope(root), provider, now_s)
    for check_claim in checks.claim:
        check_claim(claim)
    return Identity(
        name=assertion.find_identity(provider.match)[0],
        request_id=claim.confirmation.in_response_to or "",
        session_until_s=assertion.session_until_s,
    )


def decode(encoded: str) -> bytes:
    if len(encoded) > MAX_ENCODED:
        raise Refused("saml_too_large", f"{len(encoded)} characters")
    try:
        return base64.b64decode(BLANKS.sub("", encoded), validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refused("saml_malformed", "not base64") from error


def verify(root: Element, provider: Provider, checks: Checks) -> Assertion:
    """Return the assertion as it was signed. If the response is signed too, that signature must be valid as well."""
    for signature in root.iter(f"{SIGNATURE}Signature"):
        for check_signature in checks.signature:
            check_signature(signature)
    if is_signed(root):
        checks.verify(root, RESPONSE_PLACE, provider)
    return read_assertion(checks.verify(root, ASSERTION_PLACE, provider))
