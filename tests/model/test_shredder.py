"""The shredder of a thread: compiled or not, one for each, with the same answers."""

from array import array
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from tests.model.twins import open_native

from logboom.model.batch import Batch, Target
from logboom.model.names import parse_template
from logboom.model.rows import Rows
from logboom.model.shredder import PythonShredder, Shredder, is_compiled, open_shredder

DATA = b"\n".join(
    b'{"ts":%d,"msg":"hello","a":{"k%d":[1,2]},"b":"%d"}' % (number, number % 50, number)
    for number in range(1, 400)
)


def run(shredder: Shredder) -> Rows:
    scan = shredder.scan_lines(DATA, 0, parse_template("{{b}}"))
    batch = Batch(Target(index="{{b}}"), 0, DATA, scan)
    return shredder.shred_rows([batch], array("q", range(len(batch))), 2000)


def test_each_thread_has_its_own() -> None:
    shredders = open_shredder()
    both_there = Barrier(2)

    def work() -> tuple[Shredder, Rows]:
        both_there.wait()
        return shredders.shredder, run(shredders.shredder)

    with ThreadPoolExecutor(2) as pool:
        (one, rows), (other, others) = (
            future.result() for future in [pool.submit(work), pool.submit(work)]
        )
    expected = run(PythonShredder())
    assert one is not other
    for found in (rows, others):
        assert found.summaries == expected.summaries
        assert found.frame.select(sorted(found.frame.columns)).equals(
            expected.frame.select(sorted(expected.frame.columns))
        )


def test_the_compiled_one_is_used_where_it_is_built() -> None:
    native = open_native()
    assert is_compiled()
    assert type(open_shredder().shredder) is type(native)
