"""The answer to a bulk request: one item for each action, in order, under the action's own name.

Shippers look for pieces of its text: it is compact, and `errors` stands right before `items`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from logboom.ingest.receipt import Receipt
from logboom.model.names import is_reserved
from logboom.protocols.bulk import Action, Fault, Operation

OUTCOMES: dict[Operation, tuple[str, int]] = {
    "index": ("created", 201),
    "create": ("created", 201),
    "update": ("updated", 200),
    "delete": ("noop", 200),
}
BRIEF_PATHS = frozenset(
    {
        "took",
        "errors",
        "items.*.status",
        "items.*.error",
        "items.*.error.type",
        "items.*.error.reason",
        "items.*.failure_store",
    }
)
UNPARSED = Fault(
    400, "document_parsing_exception", "the source is no JSON object, it was kept as a message"
)


@dataclass(frozen=True)
class ItemForm:
    """How items are written: the index of actions that name none, the beginning of made-up ids, how much is said."""

    index: str
    id_stem: str
    is_brief: bool = False


def asks_for_less(filter_path: str) -> bool:
    """Whether a `filter_path` is content with the statuses of what succeeded."""
    return bool(filter_path) and BRIEF_PATHS.issuperset(filter_path.split(","))


def list_faults(
    actions: Sequence[Action], faults: Mapping[int, Fault], receipt: Receipt
) -> dict[int, Fault]:
    """The faults of actions by their places: those found in the body, and those of the lines they brought."""
    found = dict(faults)
    if not receipt.refused and not receipt.unparsed:
        return found
    brought = [
        place
        for place, action in enumerate(actions)
        if action.operation != "delete" and place not in faults
    ]
    found |= {brought[line]: UNPARSED for line in receipt.unparsed}
    found |= {
        brought[line]: explain_refusal(actions[brought[line]].index) for line in receipt.refused
    }
    return dict(sorted(found.items()))


def explain_refusal(index: str | None) -> Fault:
    """Why an index is closed; None for one that a template made."""
    if index is not None and is_reserved(index):
        reason = f"Invalid index name [{index}], must not start with '_'"
        return Fault(400, "invalid_index_name_exception", reason)
    name = "this index" if index is None else f"the index [{index}]"
    return Fault(403, "security_exception", f"{name} is closed to this sender")


def render_bulk(
    actions: Sequence[Action], faults: Mapping[int, Fault], form: ItemForm, took_ms: int
) -> bytes:
    """The whole answer."""
    items = write_brief(actions) if form.is_brief else write_full(actions, form)
    for place, fault in faults.items():
        items[place] = write_fault(actions[place], fault, form)
    errors = b"true" if faults else b"false"
    return b'{"took":%d,"errors":%b,"items":[%b]}' % (took_ms, errors, b",".join(items))


def write_brief(actions: Sequence[Action]) -> list[bytes]:
    texts = {
        operation: f'{{"{operation}":{{"status":{status}}}}}'.encode()
        for operation, (_, status) in OUTCOMES.items()
    }
    return [texts[action.operation] for action in actions]


def write_full(actions: Sequence[Action], form: ItemForm) -> list[bytes]:
    """All but the id is made once for each operation and index."""
    patterns: dict[tuple[Operation, str | None], tuple[bytes, bytes]] = {}
    items = []
    for place, action in enumerate(actions):
        key = action.operation, action.index
        found = patterns.get(key)
        if found is None:
            found = patterns[key] = make_patterns(action, form)
        made_up, given = found
        items.append(made_up % place if action.id is None else given % encode(action.id))
    return items


def make_patterns(action: Action, form: ItemForm) -> tuple[bytes, bytes]:
    """The item's text with a gap for the number within a made-up id, and with a gap for a given id."""
    result, status = OUTCOMES[action.operation]
    index = encode(action.index or form.index).replace(b"%", b"%%")
    head = b'{"%b":{"_index":%b,"_id":' % (action.operation.encode(), index)
    tail = b',%b,"status":%d}}' % (describe_result(result), status)
    return b'%b"%b-%%d"%b' % (head, form.id_stem.encode(), tail), b"%b%%b%b" % (head, tail)


def write_fault(action: Action, fault: Fault, form: ItemForm) -> bytes:
    item = {
        "_index": action.index or form.index,
        "_id": action.id,
        "status": fault.status,
        "error": {"type": fault.type, "reason": fault.reason},
    }
    return encode({action.operation: item})


def render_document(index: str, identity: str) -> bytes:
    """The answer to a single document that was stored."""
    details = encode(index), encode(identity), describe_result("created")
    return b'{"_index":%b,"_id":%b,%b}' % details


def describe_result(result: str) -> bytes:
    return (
        b'"_version":1,"result":"%b","_shards":{"total":1,"successful":1,"failed":0},'
        b'"_seq_no":0,"_primary_term":1'
    ) % result.encode()


encode = msgspec.json.Encoder().encode
