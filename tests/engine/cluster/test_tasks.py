"""What a worker maps ahead: in order, a few blocks at a time, and no more once nobody asks."""

from typing import cast

from tests.engine.cluster.test_chunks import make_work

from logboom.engine.cluster.tasks import READ_AHEAD, map_ahead, map_in_turn
from logboom.engine.execution.mapper import Mapper
from logboom.engine.execution.partials import Piece, Work


class CountingMapper:
    """Notes which work was begun."""

    def __init__(self) -> None:
        self.begun: list[Work] = []

    def map_pieces(self, work: Work) -> list[Piece]:
        self.begun.append(work)
        return []


WORK = make_work([1] * 20)


def test_results_come_in_the_order_of_the_work() -> None:
    for map_all in (map_in_turn, map_ahead):
        mapper = CountingMapper()
        taken = [each for each, result in map_all(cast(Mapper, mapper), WORK) if result() == []]
        assert taken == WORK
        assert sorted(mapper.begun) == sorted(WORK)
        assert list(map_all(cast(Mapper, mapper), [])) == []


def test_only_a_few_blocks_are_mapped_ahead() -> None:
    mapper = CountingMapper()
    mapped = map_ahead(cast(Mapper, mapper), WORK)
    for taken in range(5):
        next(mapped)[1]()
        assert len(mapper.begun) <= taken + READ_AHEAD
    mapped.close()  # type: ignore[attr-defined]
    assert len(mapper.begun) <= 4 + READ_AHEAD
