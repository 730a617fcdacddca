"""The bulk body read: actions, documents and routes, however the body is cut; and the items of the answer."""

import json
from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.together import together

from logboom.base.errors import Invalid, TooLarge
from logboom.ingest.receipt import Receipt
from logboom.model.names import normalise_index
from logboom.model.scanning import split_lines
from logboom.protocols.search_engine.bulk import (
    EMPTY,
    MAX_ACTIONS,
    MAX_BODY_BYTES,
    MISSING,
    NO_DOCUMENT,
    Action,
    BulkReader,
    Operation,
)
from logboom.protocols.search_engine.bulk_answer import (
    LIMIT_BYTES,
    UNPARSED,
    ItemForm,
    is_chunk_sender,
    list_faults,
    render_bulk,
)
from logboom.web.search_engine.errors import Fault
from logboom.web.search_engine.filter_path import FilterPath

FORM = ItemForm("fallback", "stem")


class Reading(NamedTuple):
    """All that came out of a body; documents with the index that each is routed to."""

    actions: list[Action]
    faults: dict[int, Fault]
    documents: list[tuple[str | None, bytes]]


def read(*chunks: bytes, default_index: str | None = None) -> Reading:
    reader = BulkReader(default_index)
    documents: list[tuple[str | None, bytes]] = []
    for chunk in chunks:
        lines = reader.feed(chunk)
        assert lines.routes is not None
        names: list[str | None] = [*lines.routes.names, None]
        texts = [lines.data[start:end] for start, end in split_lines(lines.data)]
        documents += [
            (names[place], text) for place, text in zip(lines.routes.ids, texts, strict=True)
        ]
    reader.finish()
    return Reading(reader.actions, reader.faults, documents)


def test_every_operation_is_read() -> None:
    reading = read(
        b'{"index":{"_index":"A.B"}}\n{"n":1}\n'
        b'{"create":{"_id":"x"}}\n{"n":2}\n'
        b'{"update":{"_id":7}}\n{"doc":{"n":3.00},"doc_as_upsert":true}\n'
        b'{"delete":{"_index":"a","_id":"y"}}\n'
    )
    assert reading.actions == [
        Action("index", "a-b"),
        Action("create", None, "x"),
        Action("update", None, "7"),
        Action("delete", "a", "y"),
    ]
    assert reading.documents == [("a-b", b'{"n":1}'), (None, b'{"n":2}'), (None, b'{"n":3.00}')]
    assert reading.faults == {}


@pytest.mark.parametrize("index", ["null", '""'])
def test_no_index_of_its_own_means_the_default(index: str) -> None:
    body = f'{{"index":{{"_index":{index}}}}}\n{{}}\n'.encode()
    assert read(body).documents == [(None, b"{}")]
    assert read(body, default_index="Path").documents == [("path", b"{}")]


@together(
    "line",
    [
        b'{"index":{}}',
        b' { "index" : { "_index": "rs" } } \r',
        b'{"create":{"_index":"a","_type":"_doc"}}',
        b'{"create":{"_routing":null,"routing":"r","pipeline":"p","op_type":"create"}}',
        b'{"index":{"version":3,"version_type":"external","retry_on_conflict":2}}',
        b'{"create":{"require_alias":false,"require_data_stream":true}}',
        b'{"create":{"dynamic_templates":{"a":{"b":["c"]}},"_id":null}}',
        b'{"index":{"_index":5,"_id":true}}',
    ],
)
def test_action_lines_as_shippers_write_them(line: bytes) -> None:
    assert len(read(line + b"\n{}\n").documents) == 1


@together(
    "line",
    [
        b'{"message":"a"}',
        b"{}",
        b"[]",
        b"text",
        b'"index"',
        b'{"index":[]}',
        b'{"index":{}} {}',
        b'{"index":{}',
        b'{"index":{"_id":{}}}',
        b'{"index":{"_id":"\xff"}}',
        b'{"index":{"x":' + b"[" * 10_000,
        b"\x00",
    ],
)
def test_a_line_that_is_no_action_is_told_with_its_number(line: bytes) -> None:
    body = b'\n{"index":{}}\n{}\n' + line + b"\n{}\n"
    with pytest.raises(Invalid, match=r"^Malformed action/metadata line \[4\], expected "):
        read(body)
    with pytest.raises(Invalid, match=r"\[4\]"):
        read(*body.splitlines(keepends=True))


@pytest.mark.parametrize("chunks", [(), (b"",), (b"\n",), (b" \t\r\n\n", b"\r\n")])
def test_a_body_without_actions_is_refused(chunks: tuple[bytes, ...]) -> None:
    with pytest.raises(Invalid, match="request body is required") as caught:
        read(*chunks)
    assert caught.value.data == {"type": "parse_exception"}


def test_an_action_without_its_source_is_at_fault_alone() -> None:
    reading = read(b'{"index":{}}\n{"n":1}\n', b'{"create":{"_id":"x"}}\n')
    assert reading.actions == [Action("index"), Action("create", None, "x")]
    assert reading.faults == {1: MISSING}
    assert reading.documents == [(None, b'{"n":1}')]


def test_an_empty_source_is_at_fault_alone() -> None:
    reading = read(
        b'{"index":{}}\n \r\n{"update":{}}\n\n{"index":{}}\n{"n":1}\n{"create":{}}\n\n\n'
    )
    assert reading.faults == {0: EMPTY, 1: EMPTY, 3: EMPTY}
    assert reading.documents == [(None, b'{"n":1}')]


@together(
    ("source", "document"),
    [
        (b'{"doc":{"a":1}}', b'{"a":1}'),
        (b'{"script":"x","upsert":{"a":1e3}}', b'{"a":1e3}'),
        (b'{"upsert":{"a":1},"doc":{"b":2}}', b'{"b":2}'),
        (b'{"doc":null,"upsert":{"a":1}}', b'{"a":1}'),
        (b' {"doc": { "z":1, "a":1 } , "detect_noop":false}\r', b'{ "z":1, "a":1 }'),
        (b'{"doc":5}', b"5"),
        (b"not json", b"not json"),
        (b'{"doc":' + b"[" * 10_000, b'{"doc":' + b"[" * 10_000),
    ],
)
def test_the_document_of_an_update(source: bytes, document: bytes) -> None:
    reading = read(b'{"update":{}}\n' + source)
    assert reading.documents == [(None, document)]
    assert reading.faults == {}


@pytest.mark.parametrize("source", [b"{}", b'{"doc":null}', b'{"script":{"source":"x"}}'])
def test_an_update_without_a_document_is_at_fault(source: bytes) -> None:
    reading = read(b'{"update":{"_id":"1"}}\n' + source + b'\n{"index":{}}\n{}\n')
    assert reading.faults == {0: NO_DOCUMENT}
    assert reading.documents == [(None, b"{}")]


def test_a_body_over_the_limit_is_refused() -> None:
    chunk = b'{"index":{}}\n{"m":"' + b"x" * (1 << 20) + b'"}\n'
    reader = BulkReader()
    fitting = MAX_BODY_BYTES // len(chunk)
    for _ in range(fitting):
        reader.feed(chunk)
    with pytest.raises(TooLarge, match=str(MAX_BODY_BYTES)):
        reader.feed(chunk)


def test_too_many_actions_are_refused() -> None:
    reader = BulkReader()
    reader.feed(b'{"delete":{}}\n' * MAX_ACTIONS)
    with pytest.raises(TooLarge, match=str(MAX_ACTIONS)):
        reader.feed(b'{"delete":{}}\n')


operations: st.SearchStrategy[Operation] = st.sampled_from(["index", "create", "update", "delete"])
documents = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=20), max_size=3)
steps = st.tuples(
    operations,
    st.none() | st.text(max_size=8),
    st.none() | st.text(max_size=8),
    documents,
    st.sampled_from([b"", b"\n", b"\r\n", b" \n\n"]),
)
cuts = st.lists(st.integers(0, 100), max_size=6)


@settings(max_examples=examples(150))
@given(st.lists(steps, min_size=1, max_size=12), cuts, st.booleans())
def test_nothing_is_lost_or_moved_however_the_body_is_cut(
    described: list[tuple[Operation, str | None, str | None, dict[str, object], bytes]],
    places: list[int],
    ends_with_line_feed: bool,
) -> None:
    body, actions, expected = b"", [], []
    for operation, index, identity, document, blanks in described:
        body += blanks + json.dumps({operation: {"_index": index, "_id": identity}}).encode()
        body += b"\n"
        name = normalise_index(index) if index else "path"
        actions.append(Action(operation, name, identity))
        if operation != "delete":
            text = json.dumps(document).encode()
            body += (b'{"doc":%b}' % text if operation == "update" else text) + b"\n"
            expected.append((name, text))
    lines = (body if ends_with_line_feed else body.removesuffix(b"\n")).splitlines(keepends=True)
    bounds = sorted({0, len(lines), *(place for place in places if place < len(lines))})
    chunks = [b"".join(lines[start:end]) for start, end in pairwise(bounds)]
    assert read(*chunks, default_index="PATH") == (actions, {}, expected)


fragments = st.sampled_from(
    [b'{"index":{}}', b'{"update":{}}', b'{"delete":{}}', b'{"doc":{}}', b"{}", b" ", b"\r", b"x"]
)


def try_to_read(*chunks: bytes) -> Reading | str:
    try:
        return read(*chunks)
    except Invalid as error:
        return error.message


@settings(max_examples=examples(200))
@given(st.lists(fragments | st.binary(max_size=6), max_size=10).map(b"\n".join))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    reading = try_to_read(body)
    if isinstance(reading, Reading):
        brought = [action for action in reading.actions if action.operation != "delete"]
        assert len(reading.documents) == len(brought) - len(reading.faults)
    *whole, rest = body.split(b"\n")
    assert try_to_read(*(line + b"\n" for line in whole), *filter(None, [rest])) == reading


alike = st.lists(
    st.sampled_from([b'{"index":{}}\n{}\n'] * 4 + [b'{"index":{}}\n', b'{"create":{}}\n', b"\n"]),
    max_size=8,
)


@settings(max_examples=examples(200))
@given(alike, st.sampled_from([b"", b'{"delete":{}}\n', b'{"index":{}}\n', b'{"update":{}}\n']))
def test_actions_that_are_all_alike_are_read_as_any_others(parts: list[bytes], last: bytes) -> None:
    body = b"".join(parts) + last
    assert try_to_read(body) == try_to_read(*body.splitlines(keepends=True))


def render(
    actions: list[Action], faults: dict[int, Fault] | None = None, form: ItemForm = FORM
) -> str:
    return render_bulk(actions, faults or {}, form, 3).decode()


def test_the_answer_in_full() -> None:
    shards = '"_shards":{"total":1,"successful":1,"failed":0},"_seq_no":0,"_primary_term":1'
    assert render([Action("create", "a", "x"), Action("index"), Action("delete", "b", 'q"')]) == (
        '{"took":3,"errors":false,"items":['
        f'{{"create":{{"_index":"a","_id":"x","_version":1,"result":"created",{shards},"status":201}}}},'
        f'{{"index":{{"_index":"fallback","_id":"stem-1","_version":1,"result":"created",{shards},"status":201}}}},'
        f'{{"delete":{{"_index":"b","_id":"q\\"","_version":1,"result":"noop",{shards},"status":200}}}}]}}'
    )


def list_members(answer: str) -> list[dict[str, object]]:
    items = json.loads(answer)["items"]
    return [details for item in items for details in item.values()]


@together(
    ("count", "members"),
    [
        (1, 8),
        (2000, 8),
        (3000, 3),
        (5000, 3),
        (8000, 1),
        (17_000, 1),
        (40_000, 1),
    ],
)
def test_the_more_items_the_less_each_of_them_says(count: int, members: int) -> None:
    answer = render([Action("create", "app-2024.05.06")] * count)
    assert answer.startswith('{"took":3,"errors":false,"items":[{"create":{')
    items = list_members(answer)
    assert len(items) == count
    assert {len(item) for item in items} == {members}
    assert {item["status"] for item in items} == {201}
    if members > 1:
        assert len({item["_id"] for item in items}) == count
    if count < 17_500:
        assert len(answer) <= LIMIT_BYTES + 100


def test_an_item_with_a_fault_says_so_however_many_there_are() -> None:
    for count in (3, 3000, 20_000):
        answer = render([Action("index", "a")] * count, {2: EMPTY})
        assert answer.startswith('{"took":3,"errors":true,"items":[')
        assert list_members(answer)[2] == {
            "_index": "a",
            "_id": None,
            "status": 400,
            "error": {"type": EMPTY.type, "reason": EMPTY.reason},
        }


CHUNK_FORM = ItemForm("fallback", "stem", is_for_chunk_sender=True)


@pytest.mark.parametrize(
    ("user_agent", "expected"),
    [
        ("Fluent-Bit", True),
        ("fluent-bit/4.1", True),
        ("aws-fluent-bit-plugin", True),
        ("", False),
        ("elasticsearch-py/9.1 (Fluent-Bit)", False),
    ],
)
def test_who_sends_a_whole_chunk_again(user_agent: str, expected: bool) -> None:
    assert is_chunk_sender(user_agent) is expected


@pytest.mark.parametrize("count", [1, 3000, 17_000, 20_000, 100_000])
def test_whoever_reads_only_errors_gets_an_answer_that_it_can_read(count: int) -> None:
    answer = render([Action("create", "app")] * count, form=CHUNK_FORM)
    assert len(answer) <= LIMIT_BYTES + 100
    assert answer.startswith('{"took":3,"errors":false,"items":[')
    assert len(json.loads(answer)["items"]) in (0, count)


@pytest.mark.parametrize("count", [10, 20_000])
def test_whoever_sends_all_again_hears_of_errors_only_when_nothing_was_stored(count: int) -> None:
    actions = [Action("create", "app")] * count
    closed = Fault(403, "security_exception", "the index [app] is not allowed for this sender")
    places = range(count)
    some = render(actions, dict.fromkeys(places[1:], closed), CHUNK_FORM)
    kept = render(actions, dict.fromkeys(places, UNPARSED), CHUNK_FORM)
    none = render(actions, dict.fromkeys(places, closed), CHUNK_FORM)
    for answer, errors in ((some, False), (kept, False), (none, True)):
        assert len(answer) <= LIMIT_BYTES + 100
        assert json.loads(answer)["errors"] is errors
        faulty = [item for item in list_members(answer) if "error" in item]
        assert len(faulty) > 1
        assert {item["status"] for item in faulty} <= {400, 403}


@together(
    ("wanted", "expected"),
    [
        ("errors", {"errors": True}),
        ("took", {"took": 3}),
        ("-items", {"took": 3, "errors": True}),
        ("nothing.of.it", {}),
        (
            "errors,items.*.status",
            {
                "errors": True,
                "items": [{"create": {"status": 201}}, {"index": {"status": 400}}],
            },
        ),
        (
            "items.*.error.type,items.create._id",
            {"items": [{"create": {"_id": "x"}}, {"index": {"error": {"type": EMPTY.type}}}]},
        ),
        (
            "errors,items.*.error",
            {
                "errors": True,
                "items": [{"index": {"error": {"type": EMPTY.type, "reason": EMPTY.reason}}}],
            },
        ),
        (
            "items,-items.*._*,-items.*.result,-items.*.error",
            {"items": [{"create": {"status": 201}}, {"index": {"status": 400}}]},
        ),
        (
            "**.status",
            {"items": [{"create": {"status": 201}}, {"index": {"status": 400}}]},
        ),
    ],
)
def test_the_answer_is_what_its_client_wants_to_see(wanted: str, expected: object) -> None:
    form = ItemForm("fallback", "stem", FilterPath(wanted))
    answer = render([Action("create", "a", "x"), Action("index")], {1: EMPTY}, form)
    assert json.loads(answer) == expected
    assert ", " not in answer.replace(EMPTY.reason, "")


def test_a_filter_that_leaves_no_item_leaves_out_their_list() -> None:
    form = ItemForm("fallback", "stem", FilterPath("errors,items.*.error"))
    assert render([Action("create")] * 2, form=form) == '{"errors":false}'


def test_lines_are_blamed_on_the_actions_that_brought_them() -> None:
    actions = [
        Action("delete"),
        Action("index", "a"),
        Action("index", "b"),
        Action("index", "_c"),
        Action("create", "d"),
        Action("index"),
    ]
    receipt = Receipt(0, 4, [], refused=[1, 2, 3], unparsed=[0])
    faults = list_faults(actions, {2: EMPTY}, receipt)
    assert faults[1] == UNPARSED
    assert faults[2] == EMPTY
    assert faults[3][:2] == (400, "invalid_index_name_exception")
    assert faults[4] == (403, "security_exception", "the index [d] is not allowed for this sender")
    assert faults[5] == (403, "security_exception", "this index is not allowed for this sender")


@settings(max_examples=examples(100))
@given(st.lists(st.builds(Action, operations, st.none() | st.text(), st.none() | st.text())))
def test_there_is_one_item_for_each_action_under_its_name(actions: list[Action]) -> None:
    items = json.loads(render(actions))["items"]
    assert [list(item) for item in items] == [[action.operation] for action in actions]
    details = [item[action.operation] for item, action in zip(items, actions, strict=True)]
    assert len({detail["_id"] for detail in details}) >= len({action.id for action in actions})
    for detail, action in zip(details, actions, strict=True):
        assert detail["_index"] == (action.index or "fallback")
        assert action.id is None or detail["_id"] == action.id
