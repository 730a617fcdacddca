"""The answer to a bulk request: one item for each action, in order, under the action's own name.

Shippers search its text: it is compact, and `errors` comes right before `items`. Some read only a limited part of it:
the more items there are, the shorter each is.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, takewhile
from typing import NamedTuple

import msgspec

from logboom.base.structs import InternalStruct
from logboom.ingest.receipt import Receipt
from logboom.model.names import is_reserved
from logboom.protocols.search_engine.bulk import Action, Operation
from logboom.web.search_engine.errors import Fault
from logboom.web.search_engine.filter_path import ALL, FilterPath

LIMIT_BYTES = 480_000
"""Of all items together: Fluent Bit reads 512,000 bytes of an answer by default, headers included."""

CHUNK_SENDERS = ("fluent-bit", "aws-fluent-bit-plugin")
"""User-Agent prefixes of clients that read only `errors`.

If it is true they send the whole request again, including documents that were stored.
"""

OUTCOMES: dict[Operation, tuple[str, int]] = {
    "index": ("created", 201),
    "create": ("created", 201),
    "update": ("updated", 200),
    "delete": ("noop", 200),
}
UNPARSED = Fault(
    400, "document_parsing_exception", "the source is not a JSON object, it was kept as a message"
)


class Detail(NamedTuple):
    """How detailed the items of successful actions are: these members, or all of them."""

    members: tuple[str, ...] | None
    least_bytes: int
    """No item is shorter."""


FULL = Detail(None, 150)
NAMED = Detail(("_index", "_id", "status"), 40)
BRIEF = Detail(("status",), 25)
DETAILS = (FULL, NAMED, BRIEF)
"""The first level whose items fit is used; the last one even if they do not."""


class ItemForm(InternalStruct, frozen=True):
    """How items are written: the index of actions that name none, and the prefix of generated ids."""

    index: str
    id_stem: str
    wanted: FilterPath = ALL
    is_for_chunk_sender: bool = False


def is_chunk_sender(user_agent: str) -> bool:
    return user_agent.lower().startswith(CHUNK_SENDERS)


def list_faults(
    actions: Sequence[Action], faults: Mapping[int, Fault], receipt: Receipt
) -> dict[int, Fault]:
    """Return the faults of actions by position: those found in the body, and those of the lines they produced."""
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
    """Return the fault of an index that is not allowed; `index` is None if it was made by a template."""
    if index is not None and is_reserved(index):
        reason = f"Invalid index name [{index}], must not start with '_'"
        return Fault(400, "invalid_index_name_exception", reason)
    name = "this index" if index is None else f"the index [{index}]"
    return Fault(403, "security_exception", f"{name} is not allowed for this sender")


def render_bulk(
    actions: Sequence[Action], faults: Mapping[int, Fault], form: ItemForm, took_ms: int
) -> bytes:
    """Return the whole answer, or the parts that `filter_path` asks for."""
    # Clients that would resend everything are told of errors only if nothing was stored.
    errors = bool(faults) and not (form.is_for_chunk_sender and is_any_stored(actions, faults))
    members = {"took": b"%d" % took_ms, "errors": b"true" if errors else b"false"}
    items = list_items(actions, faults, form)
    if items or not form.wanted:
        members["items"] = b"[%b]" % b",".join(items)
    shown = [name for name in members if name == "items" or form.wanted.apply({name: 0})]
    return b"{%b}" % b",".join(b'"%b":%b' % (name.encode(), members[name]) for name in shown)


def is_any_stored(actions: Sequence[Action], faults: Mapping[int, Fault]) -> bool:
    """Return whether any document was stored, even as a message."""
    return UNPARSED in faults.values() or any(
        action.operation != "delete" and place not in faults for place, action in enumerate(actions)
    )


def list_items(
    actions: Sequence[Action], faults: Mapping[int, Fault], form: ItemForm
) -> list[bytes]:
    """Return the items of all actions, at the first level of detail that fits."""
    items: list[bytes] = []
    for detail in (FULL,) if form.wanted else DETAILS:
        if len(actions) * detail.least_bytes > LIMIT_BYTES and detail is not BRIEF:
            continue
        items = list(ItemWriter(form, detail).write(actions, faults))
        if sum(map(len, items)) + len(items) <= LIMIT_BYTES:
            return items
    if form.is_for_chunk_sender:
        faulty = ItemWriter(form, BRIEF)
        return cut_items([faulty.write_fault(actions[place], faults[place]) for place in faults])
    return items


def cut_items(items: Sequence[bytes]) -> list[bytes]:
    """Return as many of the first items as fit."""
    sizes = accumulate(len(item) + 1 for item in items)
    count = sum(1 for _ in takewhile(lambda size: size <= LIMIT_BYTES, sizes))
    return [item for item in items[:count] if item]


class ItemWriter:
    """Writes items of one form; everything but the id is made once for each operation and index."""

    def __init__(self, form: ItemForm, detail: Detail) -> None:
        self._form = form
        self._detail = detail
        self._patterns: dict[tuple[Operation, str | None], bytes] = {}
        self._stem = form.id_stem.encode()

    def write(self, actions: Sequence[Action], faults: Mapping[int, Fault]) -> Iterator[bytes]:
        """Yield the items of all actions, without those that are not wanted."""
        for place, action in enumerate(actions):
            fault = faults.get(place)
            if fault is None:
                item = self._write_success(action, place)
            else:
                item = self.write_fault(action, fault)
            if item:
                yield item

    def _write_success(self, action: Action, place: int) -> bytes:
        pattern = self._patterns.get((action.operation, action.index))
        if pattern is None:
            pattern = self._make_pattern(action)
        if ID_GAP not in pattern:
            return pattern
        made_up = b'"%b-%d"' % (self._stem, place)
        return pattern.replace(ID_GAP, made_up if action.id is None else encode(action.id))

    def _make_pattern(self, action: Action) -> bytes:
        """Return the item of a successful action with a gap for its id; empty if it is not wanted."""
        result, status = OUTCOMES[action.operation]
        details = {
            "_index": action.index or self._form.index,
            "_id": NO_ID,
            **describe_result(result),
            "status": status,
        }
        if self._detail.members:
            details = {name: details[name] for name in self._detail.members}
        pattern = self._filter(action.operation, details)
        self._patterns[action.operation, action.index] = pattern
        return pattern

    def write_fault(self, action: Action, fault: Fault) -> bytes:
        details: dict[str, object] = {
            "_index": action.index or self._form.index,
            "_id": action.id,
            "status": fault.status,
            "error": {"type": fault.type, "reason": fault.reason},
        }
        return self._filter(action.operation, details)

    def _filter(self, operation: Operation, details: dict[str, object]) -> bytes:
        wanted = self._form.wanted
        if not wanted:
            return encode({operation: details})
        shown = wanted.apply({"items": [{operation: details}]})
        return encode(shown["items"])[1:-1] if shown else b""


def render_document(index: str, identity: str, result: str) -> bytes:
    """Return the answer to a single document that was stored."""
    return encode({"_index": index, "_id": identity, **describe_result(result)})


def describe_result(result: str) -> dict[str, object]:
    return {
        "_version": 1,
        "result": result,
        "_shards": {"total": 1, "successful": 1, "failed": 0},
        "_seq_no": 0,
        "_primary_term": 1,
    }


encode = msgspec.json.Encoder().encode
NO_ID = "\0"
ID_GAP = encode(NO_ID)
"""Cannot occur in full in any index name or id."""
