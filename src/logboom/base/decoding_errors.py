"""Explains decoding errors: the decoder's messages in plain words, with the name of the member."""

import re

from logboom.base.errors import Invalid
from logboom.base.patterns import compile_later

PLACE = compile_later(r" - at `\$\.?([^`]*)`$")
NAMED = compile_later(
    r"^Object (?P<fault>missing required|contains unknown) field `(?P<name>[^`]*)`"
)
ITEM = compile_later(r"\[[^\]]*\]")
WRONG_TYPE = compile_later(r"^Expected `(?P<expected>[^`]*)`, got `(?P<found>[^`]*)`$")
WRONG_VALUE = compile_later(r"^Invalid (?:enum )?value (?P<found>.*)$", re.DOTALL)
TYPE = compile_later(r"`([^`]*)`")
TYPES = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
}


def explain_decoding_error(reason: Exception, preface: str = "") -> Invalid:
    """Return the error for a value that the decoder rejects."""
    return Invalid(preface + describe_decoding_error(str(reason)), **find_field(str(reason)))


def describe_decoding_error(reason: str) -> str:
    """Return the decoder's message in plain words."""
    fault, place = PLACE.sub("", reason), find_place(reason)
    if named := NAMED.match(fault):
        member = ".".join(filter(None, (place, named["name"])))
        is_missing = named["fault"] == "missing required"
        return f"{member} is missing" if is_missing else f"unknown member {member!r}"
    subject = place or "the value"
    if types := WRONG_TYPE.match(fault):
        found, expected = name_types(types["found"]), name_types(types["expected"])
        return f"{subject} is {found}, expected {expected}"
    if value := WRONG_VALUE.match(fault):
        return f"{subject} is {value['found']}, expected one of its known values"
    if fault.startswith("Expected "):
        expected = TYPE.sub(lambda found: name_types(found[1]), fault.removeprefix("Expected "))
        return f"{subject} is out of bounds, expected {expected}"
    return f"{place}: {fault}" if place else fault


def name_types(types: str) -> str:
    names = types.split(" | ")
    if "float" in names:
        names = [each for each in names if each != "int"]
    return " or ".join(TYPES.get(each, each) for each in names)


def find_field(reason: str) -> dict[str, object]:
    """Return the member that the decoder's message names, as error data; an item of a list counts as the list."""
    named = NAMED.search(reason)
    steps = (find_place(reason), named["name"] if named else "")
    field = ITEM.sub("", ".".join(filter(None, steps)))
    return {"field": field} if field else {}


def find_place(reason: str) -> str:
    place = PLACE.search(reason)
    return place[1] if place else ""
