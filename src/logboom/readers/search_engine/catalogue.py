"""Endpoints about indexes and fields: `_mapping`, `_field_caps`, `_cat/indices`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from logboom.lang import ast
from logboom.model.columns import Kind
from logboom.readers.search_engine.dsl.context import malformed
from logboom.readers.search_engine.dsl.members import Members, read_list
from logboom.readers.search_engine.hits.patterns import Patterns
from logboom.readers.search_engine.hits.sources import TIMESTAMP
from logboom.readers.search_engine.places import Place, list_indexes
from logboom.readers.search_engine.visit import Answer, Visit
from logboom.search.answers import FieldTypes
from logboom.search.question import Question

TYPES = {
    Kind.STR: "keyword",
    Kind.INT: "long",
    Kind.FLOAT: "double",
    Kind.BOOL: "boolean",
    Kind.TIME: "date",
}
NUMBERS = frozenset({Kind.INT, Kind.FLOAT})
DATE, TEXT, MIXED = "date", "text", "keyword"
METADATA = {"_id": "_id", "_index": "_index", "_source": "_source"}
MOST_LEVELS = 20
"""How deep objects are inside each other; what is deeper has dots in its name."""


def find_types(visit: Visit, place: Place) -> dict[str, dict[str, str]]:
    """Return the type of every field of each index by its name."""
    return {index: name_types(found) for index, found in find_kinds(visit, place).items()}


def find_kinds(visit: Visit, place: Place) -> Mapping[str, FieldTypes]:
    asker = visit.asker
    question = Question(env=place.env, index=",".join(place.included))
    found = asker.search.field_types(asker.principal, question, asker.deadline)
    return {
        index: found.get(index, {}) for index in (each.index for each in list_indexes(asker, place))
    }


def name_types(found: FieldTypes) -> dict[str, str]:
    """Return types as clients name them; so is the time of events."""
    types = {name: name_type(name, kinds) for name, kinds in sorted(found.items())}
    return {TIMESTAMP: DATE, **{name: each for name, each in types.items() if name != TIMESTAMP}}


def join_kinds(found: Iterable[FieldTypes]) -> FieldTypes:
    joined: defaultdict[str, frozenset[Kind]] = defaultdict(frozenset)
    for types in found:
        for name, kinds in types.items():
            joined[name] |= kinds
    return joined


def name_type(name: str, kinds: frozenset[Kind]) -> str:
    """Return the type of a field; one with values of several types is compared as text."""
    if name == ast.MESSAGE:
        return TEXT
    if len(kinds) > 1:
        return TYPES[Kind.FLOAT] if kinds == NUMBERS else MIXED
    [kind] = kinds
    return TYPES[kind]


def map_fields(visit: Visit) -> Answer:
    """`_mapping`: the fields of each index."""
    return map_indexes(visit, visit.find_place())


def map_indexes(visit: Visit, place: Place) -> Answer:
    return {
        index: {"mappings": {"properties": nest_properties(types)}}
        for index, types in find_types(visit, place).items()
    }


def nest_properties(types: dict[str, str]) -> dict[str, Any]:
    """Return dotted names as nested objects."""
    properties: dict[str, Any] = {}
    for name, kind in types.items():
        *parents, last = name.split(".", MOST_LEVELS)
        level = properties
        for parent in parents:
            level = level.setdefault(parent, {}).setdefault("properties", {})
        level.setdefault(last, {}).update(describe_type(kind))
    return properties


def describe_type(kind: str) -> dict[str, Any]:
    if kind == TEXT:
        return {"type": TEXT, "fields": {"keyword": {"type": MIXED, "ignore_above": 256}}}
    return {"type": kind}


def map_one_field(visit: Visit) -> Answer:
    """`_mapping/field/{fields}`."""
    patterns = Patterns(visit.request.path_values["fields"].split(","))
    return {
        index: {"mappings": map_leaves(types, patterns)}
        for index, types in find_types(visit, visit.find_place()).items()
    }


def map_leaves(types: Mapping[str, str], patterns: Patterns) -> dict[str, Any]:
    return {
        name: {"full_name": name, "mapping": {name.rpartition(".")[2]: describe_type(kind)}}
        for name, kind in types.items()
        if patterns.match(name)
    }


def describe_capabilities(visit: Visit) -> Answer:
    """`_field_caps`: the fields of all indexes together."""
    patterns = read_patterns(visit)
    kinds = find_kinds(visit, visit.find_place())
    types = {**name_types(join_kinds(kinds.values())), **METADATA}
    fields = {
        name: {kind: describe_capability(name, kind)}
        for name, kind in types.items()
        if patterns.match(name)
    }
    return {"indices": list(kinds), "fields": fields}


def read_patterns(visit: Visit) -> Patterns:
    """Return the fields in the address, else those in the body, else all."""
    body: Members = visit.read_json()
    written = read_list(visit.parameters.get("fields") or body.get("fields", "*"))
    if not all(isinstance(each, str) for each in written):
        raise malformed("[fields] of field capabilities, expected names or patterns")
    return Patterns(part.strip().lower() for each in written for part in each.split(","))


def describe_capability(name: str, kind: str) -> dict[str, Any]:
    is_metadata = name in METADATA
    return {
        "type": kind,
        "metadata_field": is_metadata,
        "searchable": True,
        "aggregatable": not is_metadata,
    }
