"""The same promises in a bucket of Google Cloud Storage."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.base.promises import PROMISES
from tests.buckets import S3Server
from tests.google import GoogleFront, google_front

from logboom.base.errors import Conflict, Unavailable
from logboom.base.stores.objects import ObjectStore
from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import parse_place

WRITERS = 8


@pytest.fixture
def front(
    s3_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[GoogleFront]:
    with google_front(s3_server) as front:
        for name, value in front.make_environment(tmp_path).items():
            monkeypatch.setenv(name, value)
        yield front


@pytest.fixture
def objects(front: GoogleFront, tmp_path: Path) -> ObjectStore:
    return open_objects(parse_place(front.make_url()), tmp_path / "cache", 1 << 20)


def test_a_bucket_passes_the_check_which_asks_for_a_new_generation(
    front: GoogleFront, objects: ObjectStore
) -> None:
    objects.check()
    assert front.conditions == ["0", "0"]


def test_a_bucket_that_ignores_conditions_is_refused(
    front: GoogleFront, objects: ObjectStore
) -> None:
    front.is_careless = True
    with pytest.raises(Unavailable, match="created the same object twice"):
        objects.check()


@pytest.mark.parametrize("promise", PROMISES)
def test_a_bucket_keeps_every_promise(
    promise: Callable[[ObjectStore], None], objects: ObjectStore
) -> None:
    promise(objects)


def test_of_writers_at_once_only_one_makes_the_object(objects: ObjectStore) -> None:
    def write(number: int) -> bool:
        try:
            objects.put_new("log/1", str(number).encode())
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(WRITERS) as pool:
        made = list(pool.map(write, range(WRITERS)))
    assert made.count(True) == 1
    assert objects.read("log/1") == str(made.index(True)).encode()


def test_a_put_whose_answer_was_lost_is_recognised(
    front: GoogleFront, objects: ObjectStore
) -> None:
    front.loses_answers = 1
    objects.put_new("log/2", b"once")
    assert objects.read("log/2") == b"once"
    assert len(front.conditions) > 1
