"""Why sign-ins are refused: one closed table. Users see one sentence; the reason is an event of the self-log."""

from logboom.base.errors import Unauthenticated

LONGEST_DETAIL = 300

REASONS: dict[str, str] = {
    "saml_too_large": "The answer is larger than 256 KiB, or has more elements, attributes or namespaces than any identity provider sends.",
    "saml_malformed": "The answer is not base64 or not XML, or an element that SAML requires is missing or repeated.",
    "saml_forbidden_xml": "The XML has a document type, an entity, a comment or a processing instruction. No identity provider sends any of them: somebody may be trying an attack.",
    "saml_not_a_response": "The message is not a SAML 2.0 response.",
    "saml_status": "The identity provider reports a failure itself, such as a user who is not assigned to the application. `detail` has its status.",
    "saml_encrypted": "The assertion, or something in it, is encrypted. Turn encryption off at the identity provider.",
    "saml_assertion_count": "There is not exactly one assertion, directly below the response. Somebody may be trying an attack.",
    "saml_duplicate_id": "Two elements have the same ID. Somebody may be trying an attack.",
    "saml_unsigned": "The assertion is not signed. Let the identity provider sign assertions; a signed response alone is not enough.",
    "saml_signature_place": "There is a signature that belongs neither to the response nor to the assertion. Somebody may be trying an attack.",
    "saml_signature_form": "A signature does not cover exactly the element that holds it, or uses transforms other than the two that SAML allows.",
    "saml_weak_algorithm": "A signature uses SHA-1 or another algorithm that is not accepted. Choose RSA or ECDSA with SHA-256 or better.",
    "saml_bad_signature": "A signature matches none of the pinned certificates. Often the identity provider has a new certificate: add it to the settings.",
    "saml_wrong_issuer": "The answer comes from an identity provider other than `idp_entity_id`.",
    "saml_wrong_audience": "The assertion is meant for another service provider than `sp_entity_id`.",
    "saml_wrong_destination": "The response is addressed to another URL than this service's.",
    "saml_wrong_recipient": "The assertion is addressed to another URL than this service's.",
    "saml_no_confirmation": "The subject is not confirmed by exactly one bearer confirmation.",
    "saml_not_yet_valid": "The assertion is not valid yet. Compare the clocks of both machines.",
    "saml_expired": "The assertion, or its session, has expired. Compare the clocks of both machines.",
    "saml_unsolicited": "The response names no request. Sign-in must start here, not at the identity provider.",
    "saml_wrong_request": "The response and its assertion answer different requests.",
    "saml_foreign_request": "The response belongs to no sign-in that this browser has started here: it was "
    "started in another browser, or cookies are blocked.",
    "saml_request_expired": "More than 15 minutes passed between request and answer.",
    "saml_replayed": "The request was answered before. The answer was sent twice, perhaps by the browser's back button, perhaps by somebody who stole it.",
    "saml_no_identity": "The NameID, or the attribute that `match` names, is missing, empty or has several values.",
    "saml_unknown_user": "No user has this identity. Users are never created by signing in.",
    "saml_disabled_user": "The user with this identity is disabled.",
}
"""The meaning of each event and what to do about it, as the documentation prints it."""


class Refused(Unauthenticated):
    """A failed sign-in; `reason` is one of REASONS. The message does not reveal it."""

    def __init__(self, reason: str, detail: str = "") -> None:
        assert reason in REASONS
        super().__init__("single sign-on failed, ask your administrator for the reason")
        self.reason = reason
        self.detail = detail[:LONGEST_DETAIL]
