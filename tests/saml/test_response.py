"""Answers of an identity provider: good ones of every form are read, bad ones refused each for its reason."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import msgspec
import pytest
from lxml import etree
from signxml.algorithms import CanonicalizationMethod, DigestAlgorithm, SignatureMethod
from tests.saml.idp import (
    ALICE,
    DSIG,
    IDP,
    NOW_S,
    REQUEST_ID,
    SAML,
    Answer,
    Element,
    Signing,
    encode,
    find_assertion,
    find_signature,
    make_keys,
    make_provider,
)
from tests.saml.wrapping import FORMS, NEED_SIGNED_RESPONSE, PROTOCOL, wrap
from tests.together import together

from logboom.saml import signature as signatures
from logboom.saml.checks import CHECKS, Checks
from logboom.saml.identity import Identity
from logboom.saml.provider import Provider
from logboom.saml.reasons import REASONS, Refused
from logboom.saml.response import read_response
from logboom.saml.xml import MAX_XML_BYTES

GOOD = Answer()
BOTH_SIGNED = Answer(response_signing=Signing())
WITH_COMMENTS = CanonicalizationMethod.EXCLUSIVE_XML_CANONICALIZATION_1_0_WITH_COMMENTS
INCLUSIVE = CanonicalizationMethod.CANONICAL_XML_1_0
OTHER = "https://other.example.com"


def read(encoded: str, checks: Checks = CHECKS, **options: Any) -> Identity:
    return read_response(encoded, make_provider(**options), NOW_S, checks)


def find_reason(encoded: str, **options: Any) -> str:
    with pytest.raises(Refused) as caught:
        read(encoded, **options)
    return caught.value.reason


@pytest.mark.parametrize("style", ["keycloak", "entra", "okta"])
@pytest.mark.parametrize("response_signing", [None, Signing()], ids=["assertion", "both"])
def test_good_answers_of_every_product_sign_in(
    style: str, response_signing: Signing | None
) -> None:
    prefixes = ("xs",) if style == "okta" else ()
    answer = Answer(
        style=style, signing=Signing(prefixes=prefixes), response_signing=response_signing
    )
    identity = read(answer.encode())
    assert (identity.name, identity.request_id) == (ALICE, REQUEST_ID)


def test_key_information_is_ignored() -> None:
    """Keycloak names the key and writes it out; a thief may name any."""
    key_info = {"key_name": "k-1", "always_add_key_value": True}
    assert read(GOOD.but(signing=Signing(key_info=key_info)).encode()).name == ALICE
    thief = Signing(keys=make_keys("thief"), key_info=key_info)
    assert find_reason(GOOD.but(signing=thief).encode()) == "saml_bad_signature"


def test_carriage_returns_in_base64_do_not_matter() -> None:
    """As Java writes them."""
    data = etree.tostring(GOOD.make_response())
    for name in (b"SignatureValue>", b"X509Certificate>"):
        head, body, tail = data.split(name)
        data = name.join((head, body[:76] + b"&#13;\n" + body[76:], tail))
    assert b"&#13;" in data
    assert read(encode(data)).name == ALICE


METHODS = {
    SignatureMethod.RSA_SHA256: "rsa",
    SignatureMethod.RSA_SHA512: "rsa",
    SignatureMethod.SHA256_RSA_MGF1: "rsa",
    SignatureMethod.ECDSA_SHA256: "ec",
}


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_strong_method_is_accepted(method: SignatureMethod) -> None:
    keys = make_keys(METHODS[method], METHODS[method])
    provider = msgspec.structs.replace(make_provider(), certificates=(keys.certificate,))
    answer = GOOD.but(signing=Signing(keys=keys, method=method, digest=DigestAlgorithm.SHA512))
    assert read_response(answer.encode(), provider, NOW_S).name == ALICE


def test_any_of_several_pinned_certificates_will_do() -> None:
    for name in ("old", "new"):
        answer = GOOD.but(signing=Signing(keys=make_keys(name)))
        provider = make_provider("old", "new")
        assert read_response(answer.encode(), provider, NOW_S).name == ALICE


def test_a_pinned_key_counts_after_its_certificate_has_expired() -> None:
    keys = make_keys("expired", is_expired=True)
    provider = msgspec.structs.replace(make_provider(), certificates=(keys.certificate,))
    answer = GOOD.but(signing=Signing(keys=keys))
    assert read_response(answer.encode(), provider, NOW_S).name == ALICE


def test_an_attribute_may_say_who_it_is() -> None:
    answer = GOOD.but(name_id="G-1b2c", attributes=(("uid", ("bob",)), ("groups", ("a", "b"))))
    assert read(answer.encode(), match="uid").name == "bob"
    assert find_reason(answer.encode(), match="groups") == "saml_no_identity"
    assert find_reason(answer.encode(), match="email") == "saml_no_identity"


def test_an_attribute_that_comes_twice_is_ambiguous() -> None:
    answer = GOOD.but(attributes=(("uid", ("alice",)), ("uid", ("admin",))))
    assert find_reason(answer.encode(), match="uid") == "saml_no_identity"


def test_clocks_may_differ_by_a_minute() -> None:
    for answer in (
        GOOD.but(not_before=59),
        GOOD.but(not_on_or_after=-59),
        GOOD.but(confirmation_not_on_or_after=-59),
    ):
        assert read(answer.encode()).name == ALICE


def test_base64_may_be_broken_into_lines() -> None:
    encoded = GOOD.encode()
    lines = "\r\n".join(encoded[at : at + 76] for at in range(0, len(encoded), 76))
    assert read(lines).name == ALICE


@together("form", FORMS)
def test_wrapped_signatures_are_refused(form: str) -> None:
    answer = BOTH_SIGNED if form in NEED_SIGNED_RESPONSE else GOOD
    reason = find_reason(encode(wrap(form, answer, "admin")))
    assert reason in ("saml_assertion_count", "saml_signature_form", "saml_duplicate_id")


@together("form", FORMS)
def test_wrapping_alone_never_yields_the_forged_identity(form: str) -> None:
    """Also without the checks of the shape: only what was verified is read."""
    answer = BOTH_SIGNED if form in NEED_SIGNED_RESPONSE else GOOD
    careless = replace(CHECKS, shape=(), signature=())
    try:
        identity = read(encode(wrap(form, answer, "admin")), careless)
    except Refused:
        return
    assert identity.name == ALICE


def test_a_comment_does_not_cut_a_name_short() -> None:
    answer = GOOD.but(name_id="admin<!-- -->.evil.example.com")
    assert find_reason(answer.encode()) == "saml_forbidden_xml"
    careless = replace(CHECKS, shape=())
    assert read(answer.encode(), careless).name == "admin.evil.example.com"


def test_an_instruction_does_not_cut_a_name_short() -> None:
    answer = GOOD.but(name_id="admin<?cut?>.evil.example.com")
    assert find_reason(answer.encode()) == "saml_forbidden_xml"
    careless = replace(CHECKS, shape=())
    with pytest.raises(Refused):
        read(answer.encode(), careless)


def with_doctype(doctype: str, name_id: str = ALICE) -> str:
    text = etree.tostring(GOOD.make_response()).decode()
    return encode((doctype + text.replace(ALICE, name_id)).encode())


BOMB = (
    '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">'
    + "".join(
        f'<!ENTITY {"b" * n} "{"&" + ("b" * (n - 1) or "a") + ";"}">' * 1 for n in range(1, 9)
    )
    + "]>"
)


@together(
    "encoded",
    [
        with_doctype('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>', "&x;"),
        with_doctype('<!DOCTYPE r SYSTEM "http://127.0.0.1:9/evil.dtd">'),
        with_doctype('<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:9/p"> %p;]>'),
        with_doctype(BOMB, "&bbbbbbbb;"),
        with_doctype("<!DOCTYPE r>"),
        with_doctype("<?xml-stylesheet href='x'?>"),
        with_doctype("<!-- hello -->"),
    ],
)
def test_documents_with_declarations_are_refused(encoded: str) -> None:
    assert find_reason(encoded) == "saml_forbidden_xml"


def test_a_document_type_in_another_encoding_is_not_understood() -> None:
    text = '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE r [<!ENTITY x "y">]><r>&x;</r>'
    assert find_reason(encode(text.encode("utf-16"))) == "saml_malformed"
    hidden = '<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE r+AD4-<r/>'
    assert find_reason(encode(hidden.encode())) == "saml_malformed"


@together(
    ("data", "reason"),
    [
        (b"", "saml_malformed"),
        (b"<", "saml_malformed"),
        (b"<r/>", "saml_not_a_response"),
        (b"<a>" * 5000, "saml_malformed"),
        (b"<r>" + b" " * MAX_XML_BYTES + b"</r>", "saml_too_large"),
        (b"\xff\xfe", "saml_malformed"),
        (b"<r>\x00</r>", "saml_malformed"),
    ],
)
def test_malformed_answers_are_refused(data: bytes, reason: str) -> None:
    assert find_reason(encode(data)) == reason


def test_what_is_not_base64_is_refused() -> None:
    assert find_reason("%%%") == "saml_malformed"
    assert find_reason("é") == "saml_malformed"
    assert find_reason("A" * (2 * MAX_XML_BYTES)) == "saml_too_large"


def test_every_byte_of_the_assertion_is_signed() -> None:
    """Whatever is changed within, no other name is ever read."""
    data = etree.tostring(GOOD.make_response())
    begin, end = data.index(b"<saml:Subject>"), data.index(b"</saml:Assertion>")
    for place in range(begin, end, 7):
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with pytest.raises(Refused):
            read(encode(changed))


def test_an_encrypted_assertion_is_refused() -> None:
    def encrypt(response: Element) -> None:
        holder = etree.SubElement(response, f"{SAML}EncryptedAssertion")
        etree.SubElement(holder, "{http://www.w3.org/2001/04/xmlenc#}EncryptedData")
        response.remove(find_assertion(response))

    assert find_reason(GOOD.encode(encrypt)) == "saml_encrypted"


def test_a_failure_without_an_assertion_tells_its_status() -> None:
    response = GOOD.make_response()
    response.remove(find_assertion(response))
    status = response.find(f"{PROTOCOL}Status/{PROTOCOL}StatusCode")
    status.set("Value", "urn:oasis:names:tc:SAML:2.0:status:Responder")
    denied = "urn:oasis:names:tc:SAML:2.0:status:RequestDenied"
    etree.SubElement(status, f"{PROTOCOL}StatusCode", Value=denied)
    with pytest.raises(Refused) as caught:
        read(encode(etree.tostring(response)))
    assert caught.value.reason == "saml_status"
    assert denied in caught.value.detail


# What follows shows that no check could be left out: each refuses an answer that all the others let through.

Remove = Callable[[Checks], Checks]


def without(group: str, name: str) -> Remove:
    """The same checks but one."""

    def remove(checks: Checks) -> Checks:
        kept = tuple(each for each in getattr(checks, group) if each.__name__ != name)
        assert len(kept) == len(getattr(checks, group)) - 1
        changes: dict[str, Any] = {group: kept}
        return replace(checks, **changes)

    return remove


def read_unverified(root: Element, _place: str, _provider: Provider) -> bytes:
    """What stands there, whoever wrote it."""
    assertion = find_assertion(root)
    signature = find_signature(assertion)
    if signature is not None:
        assertion.remove(signature)
    return bytes(etree.tostring(assertion, method="c14n", exclusive=True))


def skip_verifying(checks: Checks) -> Checks:
    return replace(checks, verify=read_unverified, signature=())


def add_second(response: Element) -> None:
    other = GOOD.but(assertion_id="_a-2", name_id="admin").make_assertion()
    response.append(other)


def add_attributes(response: Element) -> None:
    for number in range(65):
        response.set(f"a{number}", "")


def add_encrypted(response: Element) -> None:
    etree.SubElement(response, f"{SAML}EncryptedAssertion")


def add_duplicate_id(response: Element) -> None:
    extensions = etree.Element(f"{PROTOCOL}Extensions")
    etree.SubElement(extensions, "x", Id=response.get("ID"))
    response.insert(1, extensions)


def add_signature(response: Element) -> None:
    extensions = etree.Element(f"{PROTOCOL}Extensions")
    other = GOOD.but(assertion_id="_a-2").make_assertion()
    etree.SubElement(extensions, "x", ID="_a-2").append(find_signature(other))
    response.insert(1, extensions)


def add_object(response: Element) -> None:
    etree.SubElement(find_signature(find_assertion(response)), f"{DSIG}Object")


def rename_root(response: Element) -> None:
    response.tag = f"{PROTOCOL}ArtifactResponse"


def tamper(response: Element) -> None:
    find_assertion(response).find(f"{SAML}Subject/{SAML}NameID").text = "admin"


def break_response_signature(response: Element) -> None:
    response.set("Consent", "urn:oasis:names:tc:SAML:2.0:consent:obtained")


def finish(answer: Answer, change: Callable[[Element], None]) -> str:
    """The answer, changed after everything in it was signed."""
    response = answer.make_response()
    change(response)
    return encode(etree.tostring(response))


Lone = tuple[str, Remove, Callable[[], str]]
LONE: dict[str, Lone] = {
    "a document type": (
        "saml_forbidden_xml",
        without("text", "refuse_declarations"),
        lambda: with_doctype("<!DOCTYPE r>"),
    ),
    "many namespaces": (
        "saml_too_large",
        without("text", "refuse_namespaces"),
        GOOD.but(attributes=(("email", ("xmlns" * 4001,)),)).encode,
    ),
    "many elements": (
        "saml_too_large",
        without("shape", "check_bounds"),
        GOOD.but(attributes=(("email", ("x",) * 4001),)).encode,
    ),
    "many attributes": (
        "saml_too_large",
        without("shape", "check_bounds"),
        lambda: GOOD.encode(add_attributes),
    ),
    "a comment": (
        "saml_forbidden_xml",
        without("shape", "check_markup"),
        GOOD.but(name_id="alice<!-- -->@example.com").encode,
    ),
    "another kind of message": (
        "saml_not_a_response",
        without("shape", "check_kind"),
        lambda: GOOD.encode(rename_root),
    ),
    "a failure": (
        "saml_status",
        without("shape", "check_status"),
        GOOD.but(status="urn:oasis:names:tc:SAML:2.0:status:Responder").encode,
    ),
    "something encrypted": (
        "saml_encrypted",
        without("shape", "check_plain"),
        lambda: GOOD.encode(add_encrypted),
    ),
    "a second assertion": (
        "saml_assertion_count",
        without("shape", "check_one_assertion"),
        lambda: GOOD.encode(add_second),
    ),
    "an ID twice": (
        "saml_duplicate_id",
        without("shape", "check_ids"),
        lambda: GOOD.encode(add_duplicate_id),
    ),
    "a signature elsewhere": (
        "saml_signature_place",
        without("shape", "check_signature_places"),
        lambda: GOOD.encode(add_signature),
    ),
    "a signature of something else": (
        "saml_signature_form",
        without("signature", "check_reference"),
        BOTH_SIGNED.but(response_signing=Signing(reference=f"#{GOOD.assertion_id}")).encode,
    ),
    "comments signed": (
        "saml_signature_form",
        without("signature", "check_transforms"),
        GOOD.but(signing=Signing(canonical=WITH_COMMENTS)).encode,
    ),
    "inherited namespaces signed": (
        "saml_signature_form",
        without("signature", "check_transforms"),
        BOTH_SIGNED.but(response_signing=Signing(canonical=INCLUSIVE)).encode,
    ),
    "an object in the signature": (
        "saml_signature_form",
        without("signature", "check_content"),
        lambda: finish(GOOD, add_object),
    ),
    "unsigned": ("saml_unsigned", skip_verifying, GOOD.but(signing=None).encode),
    "only the response signed": (
        "saml_unsigned",
        skip_verifying,
        BOTH_SIGNED.but(signing=None).encode,
    ),
    "the wrong key": (
        "saml_bad_signature",
        skip_verifying,
        GOOD.but(signing=Signing(keys=make_keys("thief"))).encode,
    ),
    "changed afterwards": ("saml_bad_signature", skip_verifying, lambda: finish(GOOD, tamper)),
    "a response changed afterwards": (
        "saml_bad_signature",
        skip_verifying,
        lambda: finish(BOTH_SIGNED, break_response_signature),
    ),
    "another issuer": (
        "saml_wrong_issuer",
        without("claim", "check_issuer"),
        GOOD.but(issuer=OTHER).encode,
    ),
    "a response of another issuer": (
        "saml_wrong_issuer",
        without("claim", "check_response_issuer"),
        GOOD.but(response_issuer=OTHER).encode,
    ),
    "another audience": (
        "saml_wrong_audience",
        without("claim", "check_audience"),
        GOOD.but(audience=OTHER).encode,
    ),
    "no audience": (
        "saml_wrong_audience",
        without("claim", "check_audience"),
        GOOD.but(audience=None).encode,
    ),
    "a second audience restriction": (
        "saml_wrong_audience",
        without("claim", "check_audience"),
        GOOD.but(
            conditions="<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction>"
        ).encode,
    ),
    "another destination": (
        "saml_wrong_destination",
        without("claim", "check_destination"),
        GOOD.but(destination=OTHER).encode,
    ),
    "a signed response without a destination": (
        "saml_wrong_destination",
        without("claim", "check_destination"),
        BOTH_SIGNED.but(destination="").encode,
    ),
    "not a bearer": (
        "saml_no_confirmation",
        without("claim", "check_confirmation"),
        GOOD.but(method="urn:oasis:names:tc:SAML:2.0:cm:sender-vouches").encode,
    ),
    "another recipient": (
        "saml_wrong_recipient",
        without("claim", "check_recipient"),
        GOOD.but(recipient=OTHER).encode,
    ),
    "confirmed later": (
        "saml_not_yet_valid",
        without("claim", "check_confirmation_begun"),
        GOOD.but(confirmation_not_before=62).encode,
    ),
    "no longer confirmed": (
        "saml_expired",
        without("claim", "check_confirmation_lasts"),
        GOOD.but(confirmation_not_on_or_after=-61).encode,
    ),
    "confirmed for ever": (
        "saml_expired",
        without("claim", "check_confirmation_lasts"),
        GOOD.but(confirmation_not_on_or_after=None).encode,
    ),
    "valid later": (
        "saml_not_yet_valid",
        without("claim", "check_begun"),
        GOOD.but(not_before=62).encode,
    ),
    "expired": (
        "saml_expired",
        without("claim", "check_lasts"),
        GOOD.but(not_on_or_after=-61).encode,
    ),
    "valid for ever": (
        "saml_expired",
        without("claim", "check_lasts"),
        GOOD.but(not_on_or_after=None).encode,
    ),
    "a session that has ended": (
        "saml_expired",
        without("claim", "check_session_lasts"),
        GOOD.but(session_not_on_or_after=-61).encode,
    ),
    "nothing was asked": (
        "saml_unsolicited",
        without("claim", "check_solicited"),
        GOOD.but(request_id="").encode,
    ),
    "two requests": (
        "saml_wrong_request",
        without("claim", "check_one_request"),
        GOOD.but(response_request_id="_other").encode,
    ),
    "no name": (
        "saml_no_identity",
        without("claim", "check_identity"),
        GOOD.but(name_id="").encode,
    ),
}


@together("kind", LONE)
def test_each_check_alone_refuses_a_bad_answer(kind: str) -> None:
    reason, remove, make = LONE[kind]
    encoded = make()
    assert find_reason(encoded) == reason
    assert read(encoded, remove(CHECKS)).name in (ALICE, "admin", "")


@pytest.mark.parametrize(
    "signing",
    [
        Signing(method=SignatureMethod.RSA_SHA1),
        Signing(digest=DigestAlgorithm.SHA1),
    ],
    ids=["signature", "digest"],
)
def test_only_the_list_of_algorithms_keeps_sha1_out(
    signing: Signing, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded = GOOD.but(signing=signing).encode()
    assert find_reason(encoded) == "saml_weak_algorithm"
    with pytest.raises(Refused, match="single sign-on failed"):
        read(encoded, without("signature", "check_algorithms")(CHECKS))
    monkeypatch.setattr(signatures, "METHODS", signatures.METHODS | {SignatureMethod.RSA_SHA1})
    monkeypatch.setattr(signatures, "DIGESTS", signatures.DIGESTS | {DigestAlgorithm.SHA1})
    assert read(encoded).name == ALICE


def test_no_check_is_left_unproven() -> None:
    """The test above proves the list of algorithms."""
    proven = {
        (field.name, each)
        for field in fields(Checks)
        for _, remove, _ in LONE.values()
        for each in find_removed(getattr(CHECKS, field.name), getattr(remove(CHECKS), field.name))
    }
    every = {
        (field.name, check)
        for field in fields(Checks)
        if field.name != "verify"
        for check in getattr(CHECKS, field.name)
    }
    assert every - proven <= {("signature", signatures.check_algorithms)}


def find_removed(before: Any, after: Any) -> set[Any]:
    """Checks that are gone, unless a whole group is."""
    if not isinstance(before, tuple) or not after:
        return set(before) if isinstance(before, tuple) and len(before) == 1 else set()
    return set(before) - set(after)


def test_a_refusal_tells_the_user_nothing() -> None:
    messages = {Refused(reason, "secret").message for reason in REASONS}
    assert len(messages) == 1
    assert not any("secret" in message for message in messages)
    assert Refused("saml_expired", IDP).data == {}
