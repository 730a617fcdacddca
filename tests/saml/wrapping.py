"""The eight known ways to wrap a signature: a forged assertion beside, around or inside the signed one.

The forms are those of Somorovsky et al., "On Breaking SAML: Be Whoever You Want to Be": each takes a signed answer and puts
in an unsigned assertion for another user, so that a careless reader verifies one element and reads the other.
"""

import copy
from collections.abc import Callable

from lxml import etree
from tests.saml.idp import DSIG, SAML, Answer, Element, find_assertion, find_signature

FORGED_ID = "_forged"
PROTOCOL = "{urn:oasis:names:tc:SAML:2.0:protocol}"


def forge(assertion: Element, name: str) -> Element:
    """Return a copy for another user, without a signature."""
    forged = copy.deepcopy(assertion)
    forged.set("ID", FORGED_ID)
    forged.remove(find_signature(forged))
    forged.find(f"{SAML}Subject/{SAML}NameID").text = name
    return forged


def forge_response(response: Element, name: str) -> Element:
    """Return a copy of a signed response that has an assertion for another user, and no signature."""
    forged = copy.deepcopy(response)
    forged.set("ID", FORGED_ID)
    forged.remove(find_signature(forged))
    assertion = find_assertion(forged)
    forged.replace(assertion, forge(assertion, name))
    return forged


def bare(element: Element) -> Element:
    """Return a copy without its signature."""
    copied = copy.deepcopy(element)
    copied.remove(find_signature(copied))
    return copied


def put_object(signature: Element, content: Element) -> None:
    holder = etree.SubElement(signature, f"{DSIG}Object")
    holder.append(content)


def wrap_1(response: Element, name: str) -> Element:
    """Return the original response inside the signature of a forged one."""
    forged = forge_response(response, name)
    signature = copy.deepcopy(find_signature(response))
    signature.append(bare(response))
    forged.insert(1, signature)
    return forged


def wrap_2(response: Element, name: str) -> Element:
    """Return the original response beside its signature, in a forged one."""
    forged = forge_response(response, name)
    forged.insert(1, bare(response))
    forged.insert(2, copy.deepcopy(find_signature(response)))
    return forged


def wrap_3(response: Element, name: str) -> Element:
    """Return the forged assertion before the original one."""
    original = find_assertion(response)
    original.addprevious(forge(original, name))
    return response


def wrap_4(response: Element, name: str) -> Element:
    """Return the original assertion inside the forged one."""
    original = find_assertion(response)
    forged = forge(original, name)
    response.replace(original, forged)
    forged.append(original)
    return response


def wrap_5(response: Element, name: str) -> Element:
    """Return the signature in the forged assertion, the original at the end of the response."""
    original = find_assertion(response)
    forged = forge(original, name)
    forged.insert(1, copy.deepcopy(find_signature(original)))
    response.replace(original, forged)
    response.append(bare(original))
    return response


def wrap_6(response: Element, name: str) -> Element:
    """Return the original assertion inside its signature, which is in the forged one."""
    original = find_assertion(response)
    forged = forge(original, name)
    signature = copy.deepcopy(find_signature(original))
    signature.append(bare(original))
    forged.insert(1, signature)
    response.replace(original, forged)
    return response


def wrap_7(response: Element, name: str) -> Element:
    """Return the forged assertion in an extension, with the same ID as the original."""
    original = find_assertion(response)
    extensions = etree.Element(f"{PROTOCOL}Extensions")
    forged = forge(original, name)
    forged.set("ID", original.get("ID"))
    extensions.append(forged)
    response.insert(1, extensions)
    return response


def wrap_8(response: Element, name: str) -> Element:
    """Return the original assertion in an object of the signature, which is in the forged one with the same ID."""
    original = find_assertion(response)
    forged = forge(original, name)
    forged.set("ID", original.get("ID"))
    signature = copy.deepcopy(find_signature(original))
    put_object(signature, bare(original))
    forged.insert(1, signature)
    response.replace(original, forged)
    return response


def wrap_object(response: Element, name: str) -> Element:
    """Do the same as `wrap_8`, but give the forged assertion an ID of its own."""
    wrapped = wrap_8(response, name)
    find_assertion(wrapped).set("ID", FORGED_ID)
    return wrapped


FORMS: dict[str, Callable[[Element, str], Element]] = {
    "XSW1": wrap_1,
    "XSW2": wrap_2,
    "XSW3": wrap_3,
    "XSW4": wrap_4,
    "XSW5": wrap_5,
    "XSW6": wrap_6,
    "XSW7": wrap_7,
    "XSW8": wrap_8,
    "in an object": wrap_object,
}
NEED_SIGNED_RESPONSE = ("XSW1", "XSW2")


def wrap(form: str, answer: Answer, name: str) -> bytes:
    return bytes(etree.tostring(FORMS[form](answer.make_response(), name)))
