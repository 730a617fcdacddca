"""The tree as plain objects, the way the answer to a parse request shows it."""

import json

from hypothesis import given, settings
from tests.lang.strategies import FILTERS
from tests.properties import examples

from logboom.lang.ast import Filter
from logboom.lang.dump import dump
from logboom.lang.parse import parse


def test_nodes_are_objects_with_their_type() -> None:
    assert dump(parse("a -f:x*\\* | limit 5")) == {
        "type": "Query",
        "filter": {
            "type": "And",
            "terms": [
                {"type": "Word", "text": "a"},
                {"type": "Not", "term": {"type": "Match", "field": "f", "pattern": "x*\\*"}},
            ],
        },
        "pipes": [{"type": "Limit", "count": 5}],
    }


def test_numbers_keep_their_units() -> None:
    node = {"type": "Compare", "field": "f", "operator": ">", "limit": "10KB"}
    assert dump(parse("f>10kb").filter) == node


@settings(max_examples=examples(100), deadline=None)
@given(FILTERS)
def test_every_tree_is_json(tree: Filter) -> None:
    assert json.loads(json.dumps(dump(tree), allow_nan=False)) == dump(tree)
