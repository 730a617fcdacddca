"""A service that nobody asks anything gives up what it remembers of blocks, and answers the same afterwards."""

from concurrent.futures import ThreadPoolExecutor

from tests.running import CACHE_BYTES, RunningService, encode_lines

from logboom.control.access.principal import UNLIMITED
from logboom.engine.answers.engine import Engine
from logboom.engine.terms.limits import Limits
from logboom.search.idle import IDLE_NS
from logboom.search.question import Question
from logboom.search.scope import ControlResources
from logboom.search.service import SearchService

EVENTS = [{"timestamp": 1_700_000_000 + n, "n": n, "host": "ab"[n % 2]} for n in range(4)]
START_NS = 1_800_000_000 * 10**9


def count_bytes(engine: Engine) -> tuple[int, int]:
    """What is remembered: columns, and partial and finished results."""
    resources = engine.resources
    return resources.reader.columns.size_bytes, resources.partials.size_bytes


def test_columns_are_given_up_once_when_nothing_is_asked(service: RunningService, env: str) -> None:
    service.keep(encode_lines(EVENTS), {"env": env})
    question = Question(query="n:<3 | stats sum(n) by host", env=env)
    now_ns = START_NS
    with ThreadPoolExecutor(1) as pool:
        engine = Engine(service.store, pool, Limits(), service.gate, CACHE_BYTES)
        search = SearchService(engine, ControlResources(service.control), lambda: now_ns)
        assert not search.rest()
        first = search.search(UNLIMITED, question)
        now_ns += IDLE_NS - 1
        assert not search.rest()
        assert min(count_bytes(engine)) > 0
        now_ns += 1
        assert search.rest()
        assert count_bytes(engine) == (0, 0)
        now_ns += IDLE_NS
        assert not search.rest()
        assert search.search(UNLIMITED, question).rows == first.rows
        assert not search.rest()
