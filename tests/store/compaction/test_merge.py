"""Merging: the same events in fewer blocks."""

from pathlib import Path

from tests.store.stores import NOW_NS, make_batch
from tests.store.test_block_writer import Workplace, check_index, encode_lines

from logboom.store.compaction.merge import Merger


def test_merged_blocks_hold_the_same_rows_in_the_order_of_time(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    inputs = place.write(make_batch(encode_lines({"ts": NOW_NS + 5, "a": 1, "message": "x"})))
    inputs += place.write(make_batch(encode_lines({"ts": NOW_NS + 2, "b": ["y", "z"]})))
    (merged,) = Merger(place.objects, place.writer).merge(inputs, lambda: None)
    assert (merged.level, merged.rows, merged.last_seq) == (1, 2, inputs[0].last_seq)
    frame = place.read(merged)
    assert frame["_time"].to_list() == [NOW_NS + 2, NOW_NS + 5]
    assert frame["a:int"].to_list() == [None, 1]
    assert frame["b:str[]"].to_list() == [["y", "z"], None]
    check_index(frame, place.read_index(merged))
