"""Objects in a bucket: made once also when an answer is lost, and the files that are kept of them."""

import errno
import os
import pickle
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.buckets import (
    CREDENTIALS,
    Careless,
    Relay,
    S3Server,
    make_environment,
    meant,
    open_library,
    serving,
)
from tests.ports import choose_port
from tests.properties import examples
from tests.store.disk import failing
from tests.together import together

from logboom.base.errors import Conflict, NotFound, Unavailable
from logboom.base.stores import bucket
from logboom.base.stores.bucket import BucketObjects, describe_failure
from logboom.base.stores.files import FileCache
from logboom.base.stores.local import LocalObjects
from logboom.base.stores.objects import ObjectStore
from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import Bucket, parse_place

MEGABYTE = 1 << 20


def use_environment(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def url(s3_server: S3Server) -> str:
    return s3_server.make_url()


@pytest.fixture
def relay(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Relay]:
    with s3_server.relayed() as relay:
        use_environment(monkeypatch, relay.environment)
        yield relay


def open_bucket(url: str, files: Path, capacity_bytes: int = MEGABYTE) -> ObjectStore:
    return open_objects(parse_place(url), files, capacity_bytes)


@pytest.fixture
def objects(url: str, relay: Relay, tmp_path: Path) -> ObjectStore:
    return open_bucket(url, tmp_path / "cache")


def read_path(path: str) -> bytes:
    return Path(path).read_bytes()


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("s3://logs", Bucket("logs", "")),
        ("s3://logs/", Bucket("logs", "")),
        ("s3://my.logs-1/a/b_c/d.e/", Bucket("my.logs-1", "a/b_c/d.e")),
        ("gs://my_logs/a", Bucket("my_logs", "a", "gs")),
        ("az://logs-1/a/b", Bucket("logs-1", "a/b", "az")),
        ("file:///var/with%20blank", Path("/var/with blank")),
    ],
)
def test_an_address_names_a_directory_or_a_bucket(url: str, place: Path | Bucket) -> None:
    assert parse_place(url) == place
    assert isinstance(place, Path) or place.url == url.rstrip("/")


@together(
    "url",
    [
        *("", "s3:", "s3://", "s3:///x", "s3://a", "s3://Logs", "s3://logs//x", "s3://logs/../x"),
        *(
            "s3://key:secret@logs",
            "s3://logs/x?y=z",
            "s3://logs/x#y",
            "s3://logs/.x",
            "s3://logs/ä",
        ),
        *("gs://", "s3://my_logs", "az://my_logs", "az://logs--1", "az://-logs", "abfs://logs"),
        *("http://logs", "file://host/x", "file:x", "/x", "x", "s3://logs/x\n"),
    ],
)
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        parse_place(url)


def test_a_directory_is_opened_as_one(tmp_path: Path) -> None:
    assert isinstance(open_objects(tmp_path, tmp_path / "cache", 1), LocalObjects)
    assert not (tmp_path / "cache").exists()


def test_an_object_is_read_as_it_was_made(objects: ObjectStore, url: str) -> None:
    data = os.urandom(6 * MEGABYTE)
    objects.put_new("folder/deep/name", data)
    assert objects.read("folder/deep/name") == data
    assert objects.measure("folder/deep/name") == len(data)
    assert objects.locate("folder/deep/name") == f"{url}/folder/deep/name"
    assert objects.locate("") == url


def test_an_object_is_made_once(objects: ObjectStore) -> None:
    objects.put_new("name", b"first")
    for data in (b"second", b"first"):
        with pytest.raises(Conflict, match="name exists already"):
            objects.put_new("name", data)
    assert objects.read("name") == b"first"


def test_of_many_makers_one_wins_whatever_they_write(objects: ObjectStore) -> None:
    def put(_: int) -> bool:
        try:
            objects.put_new("folder/name", b"the same")
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(put, range(16))) == 1


def test_a_put_whose_answer_was_lost_knows_its_own_object(
    objects: ObjectStore, relay: Relay
) -> None:
    relay.loses = meant("PUT")
    objects.put_new("name", b"mine")
    assert relay.count(meant("PUT")) == 2
    assert objects.read("name") == b"mine"
    with pytest.raises(Conflict):
        objects.put_new("name", b"mine")


def test_many_objects_are_made_at_once(objects: ObjectStore) -> None:
    wanted = {f"many/{number:02d}": b"%d" % number for number in range(20)}
    objects.put_all(wanted)
    assert {name: objects.read(name) for name in wanted} == wanted
    with pytest.raises(Conflict):
        objects.put_all({"many/00": b"other"})


def test_an_object_is_made_of_what_is_written_piece_by_piece(objects: ObjectStore) -> None:
    assert objects.put_written("written/name", lambda file: file.write(b"content")) == 7
    assert objects.read("written/name") == b"content"
    assert objects.use("written/name", read_path) == b"content"
    with pytest.raises(ZeroDivisionError):
        objects.put_written("written/other", lambda file: file.write(b"half") // 0)
    assert objects.list("written") == ["name"]


def test_what_is_missing_is_not_found(objects: ObjectStore) -> None:
    for look in (objects.read, objects.measure):
        with pytest.raises(NotFound, match="no object folder/name"):
            look("folder/name")
    with pytest.raises(NotFound):
        objects.use("folder/name", read_path)


def test_a_folder_is_listed_one_level_deep_in_order(objects: ObjectStore) -> None:
    for name in ("b", "a", "c/d", "c/e", "f"):
        objects.put_new(f"folder/{name}", b"")
    objects.put_new("folder-2/x", b"")
    assert objects.list("folder") == ["a", "b", "c", "f"]
    assert objects.list("folder/c") == ["d", "e"]
    assert objects.list("missing") == []
    assert objects.list("") == ["folder", "folder-2"]


def test_all_objects_below_a_folder_are_listed(objects: ObjectStore) -> None:
    names = ["folder/a/1", "folder/a/2", "folder/b", "folder-2/c", "d"]
    objects.put_all(dict.fromkeys(names, b"x"))
    assert objects.list_below("folder") == ["a/1", "a/2", "b"]
    assert objects.list_below("nowhere") == []


def test_stamps_tell_what_was_written_again(objects: ObjectStore, tmp_path: Path) -> None:
    for each in (objects, LocalObjects(tmp_path / "directory")):
        for name in ("a/1", "a/2", "a/3/deep", "a_", "b/1"):
            each.put_new(name, b"data")
        each.replace("a/4", b"data")
        found = each.list_stamps("a", "1")
        assert [name for name in sorted(found) if name != "3"] == ["2", "4"]
        assert each.list_stamps("a", "1") == found
        each.replace("a/4", b"other")
        changed = each.list_stamps("a", "1")
        assert (changed["2"] == found["2"], changed["4"] == found["4"]) == (True, False)
        assert each.list_stamps("nowhere", "") == {}


def test_a_long_folder_is_listed_whole(objects: ObjectStore) -> None:
    names = [f"{number:05}" for number in range(1100)]
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda name: objects.put_new(f"folder/{name}", b""), names))
    assert objects.list("folder") == names


def test_a_deleted_object_is_gone_and_may_be_deleted_again(objects: ObjectStore) -> None:
    objects.put_new("folder/name", b"")
    for _ in range(2):
        objects.delete("folder/name")
        assert objects.list("folder") == []
    objects.delete("missing/name")
    objects.sync("folder")


def test_a_bucket_that_keeps_its_word_passes_the_check(objects: ObjectStore) -> None:
    objects.check()
    assert objects.list("probe") == []
    assert objects.is_remote


def test_a_bucket_that_ignores_conditions_fails_the_check(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with serving(Careless) as port:
        use_environment(monkeypatch, make_environment(f"http://127.0.0.1:{port}"))
        with pytest.raises(Unavailable, match="honours If-None-Match"):
            open_bucket("s3://logs/x", tmp_path).check()


def try_everything(objects: ObjectStore) -> Iterator[str]:
    """What each kind of request says when the bucket cannot be used."""
    for attempt in (
        lambda: objects.put_new("name", b""),
        lambda: objects.read("name"),
        lambda: objects.measure("name"),
        lambda: objects.list("folder"),
        lambda: objects.delete("name"),
        lambda: objects.use("name", read_path),
        objects.check,
    ):
        with pytest.raises(Unavailable) as caught:
            attempt()
        assert not isinstance(caught.value, NotFound)
        assert caught.value.__cause__ is None
        yield caught.value.message


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"AWS_ENDPOINT_URL": f"http://127.0.0.1:{choose_port()}"}, "connection refused"),
        ({"AWS_SECRET_ACCESS_KEY": "wrong-canary"}, "403 Forbidden, SignatureDoesNotMatch"),
        ({"AWS_ACCESS_KEY_ID": "wrong-canary"}, "403 Forbidden, InvalidAccessKeyId"),
        ({"AWS_ALLOW_HTTP": "false"}, "needs AWS_ALLOW_HTTP=true"),
    ],
)
def test_a_bucket_out_of_reach_says_why_and_tells_no_secret(
    url: str,
    relay: Relay,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    changes: dict[str, str],
    reason: str,
) -> None:
    use_environment(monkeypatch, changes)
    messages = []
    for message in try_everything(open_bucket(url, tmp_path)):
        if not message.startswith("no object"):
            assert message.startswith(f"the bucket {url} cannot be used: ")
            messages.append(message)
        assert "canary" not in message
        assert CREDENTIALS["secretKey"] not in message
    assert sum(reason in message for message in messages) >= 5, "a HEAD has no body to tell more"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Error performing PUT http://169.254.169.254/latest/api/token in 1ms", "has no role"),
        ('ConnectError("dns error", Custom { kind: Uncategorized })', "its host is not known"),
        ("Server returned non-2xx status code: 500 Internal Server Error: x", "500 Internal"),
        ("whatever secret", "^the request failed$"),
    ],
)
def test_long_descriptions_come_down_to_a_reason(text: str, reason: str) -> None:
    assert re.search(reason, describe_failure(text))


def test_a_bucket_that_is_not_there_is_out_of_reach_and_not_empty(
    relay: Relay, tmp_path: Path
) -> None:
    objects = open_bucket("s3://no-such-bucket/x", tmp_path)
    for look in (objects.list, objects.read):
        with pytest.raises(Unavailable, match="404 Not Found, NoSuchBucket"):
            look("folder")


def test_a_bucket_that_does_not_answer_is_given_up(
    url: str, relay: Relay, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bucket, "REQUEST_S", 0.2)
    monkeypatch.setattr(bucket, "RETRIES", 1)
    relay.holds = meant("GET")
    with pytest.raises(Unavailable, match="no answer in time"):
        open_bucket(url, tmp_path).read("name")


def test_a_container_without_an_account_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)
    with pytest.raises(Unavailable, match="AZURE_STORAGE_ACCOUNT_NAME is not set"):
        open_bucket("az://logs/x", tmp_path)


def test_short_failures_are_tried_again(objects: ObjectStore, relay: Relay) -> None:
    objects.put_new("name", b"content")
    relay.loses = meant("GET")
    assert objects.read("name") == b"content"


def test_another_process_opens_the_same_bucket_with_its_own_credentials(
    objects: ObjectStore, url: str
) -> None:
    objects.put_new("name", b"content")
    sent = pickle.dumps(objects)
    assert CREDENTIALS["secretKey"].encode() not in sent
    received = pickle.loads(sent)
    assert isinstance(received, BucketObjects)
    assert received.locate("") == url
    assert received.use("name", read_path) == b"content"


def test_what_was_just_made_is_not_fetched(objects: ObjectStore, relay: Relay) -> None:
    objects.put_new("name", b"content")
    objects.keep("name", b"content")
    assert objects.use("name", read_path) == b"content"
    assert relay.count(meant("GET")) == 0


def test_many_readers_fetch_an_object_once(objects: ObjectStore, relay: Relay) -> None:
    objects.put_new("name", b"content")
    start = threading.Barrier(8)

    def read(_: int) -> bytes:
        start.wait(10)
        return objects.use("name", read_path)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(read, range(8))) == {b"content"}
    assert relay.count(meant("GET", "/name")) == 1


def test_a_deleted_object_leaves_no_file(objects: ObjectStore, tmp_path: Path) -> None:
    objects.put_new("name", b"content")
    objects.keep("name", b"content")
    objects.delete("name")
    assert list((tmp_path / "cache").iterdir()) == []
    with pytest.raises(NotFound):
        objects.use("name", read_path)


def test_no_room_for_a_copy_is_no_error_where_it_is_only_a_convenience(
    objects: ObjectStore, tmp_path: Path
) -> None:
    (tmp_path / "cache").write_bytes(b"not a directory")
    objects.put_new("name", b"content")
    objects.keep("name", b"content")
    with pytest.raises(Unavailable, match="cache cannot be used"):
        objects.use("name", read_path)


class Source:
    """Objects to be fetched, each of them `size` bytes of its own."""

    def __init__(self, size: int = 100) -> None:
        self.size = size
        self.fetched: list[str] = []

    def make(self, name: str) -> bytes:
        return (name.encode() * self.size)[: self.size]

    def fetch(self, name: str) -> bytes:
        self.fetched.append(name)
        return self.make(name)


def list_sizes(root: Path) -> list[int]:
    return [path.stat().st_size for path in root.iterdir()]


def test_the_file_used_longest_ago_makes_room(tmp_path: Path) -> None:
    cache, source = FileCache(tmp_path, 300), Source()
    for name in ("a", "b", "c", "a", "d", "a", "b"):
        assert cache.use(name, source.fetch, read_path) == source.make(name)
    assert source.fetched == ["a", "b", "c", "d", "b"]
    assert sum(list_sizes(tmp_path)) == 300


def test_on_a_full_disk_files_make_room_for_each_other(tmp_path: Path) -> None:
    cache, source = FileCache(tmp_path, 10_000), Source()

    def is_full(_handle: int, data: bytes) -> bool:
        return sum(list_sizes(tmp_path)) + len(data) > 250

    with failing("write", errno.ENOSPC, when=is_full):
        for name in ("a", "b", "c", "b"):
            assert cache.use(name, source.fetch, read_path) == source.make(name)
        assert source.fetched == ["a", "b", "c"]
        assert list_sizes(tmp_path) == [100, 100]
    with failing("write", errno.ENOSPC), pytest.raises(Unavailable, match="No space left"):
        cache.use("e", source.fetch, read_path)


def test_a_file_larger_than_the_cache_is_used_all_the_same(tmp_path: Path) -> None:
    cache, source = FileCache(tmp_path, 10), Source()
    for name in ("a", "b"):
        assert cache.use(name, source.fetch, read_path) == source.make(name)
    assert list_sizes(tmp_path) == [100]


def test_a_file_being_read_does_not_make_room(tmp_path: Path) -> None:
    cache, source = FileCache(tmp_path, 100), Source()

    def read_late(path: str) -> bytes:
        for name in ("b", "c"):
            cache.use(name, source.fetch, read_path)
        return read_path(path)

    assert cache.use("a", source.fetch, read_late) == source.make("a")
    assert source.fetched == ["a", "b", "c"]


def find_file(root: Path) -> Path:
    (path,) = root.iterdir()
    return path


@pytest.mark.parametrize("damage", ["removed", "cut", "longer", "changed"])
@pytest.mark.parametrize("restarted", [False, True])
def test_a_damaged_file_is_fetched_again(tmp_path: Path, damage: str, restarted: bool) -> None:
    cache, source = FileCache(tmp_path, 1000), Source()

    def read_checked(path: str) -> bytes:
        data = read_path(path)
        if data != source.make("a"):
            raise ValueError("damaged")
        return data

    cache.use("a", source.fetch, read_checked)
    path = find_file(tmp_path)
    if damage == "removed":
        path.unlink()
    else:
        changed = {"cut": b"a" * 99, "longer": b"a" * 101, "changed": b"b" * 100}
        path.write_bytes(changed[damage])
    if restarted:
        cache = FileCache(tmp_path, 1000)
    for _ in range(2):
        assert cache.use("a", source.fetch, read_checked) == source.make("a")
    assert source.fetched == ["a", "a"]
    assert list_sizes(tmp_path) == [100]


def test_what_is_wrong_with_the_object_itself_is_told(tmp_path: Path) -> None:
    cache, source = FileCache(tmp_path, 1000), Source()

    def refuse(_path: str) -> bytes:
        raise ValueError("not a block")

    for _ in range(2):
        with pytest.raises(ValueError, match="not a block"):
            cache.use("a", source.fetch, refuse)


def test_a_new_process_takes_over_what_is_whole_in_the_order_of_its_use(tmp_path: Path) -> None:
    source = Source()
    cache = FileCache(tmp_path, 1000)
    for name, used_s in (("folder/a", 3), ("folder/b", 1), ("c", 2)):
        os.utime(cache.keep(name, source.make(name)), (used_s, used_s))
    (tmp_path / ".0123.tmp").write_bytes(b"under way when it died")
    cache = FileCache(tmp_path, 300)
    cache.keep("d", source.make("d"))
    for name in ("folder/a", "c", "d", "folder/b"):
        assert cache.use(name, source.fetch, read_path) == source.make(name)
    assert source.fetched == ["folder/b"]
    assert list_sizes(tmp_path) == [100, 100, 100]


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(1, 60)), max_size=30))
def test_a_cache_keeps_within_its_size(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    root = tmp_path_factory.mktemp("cache")
    cache = FileCache(root, 100)
    for name, size in steps:
        source = Source(size)
        cache.drop(name)
        assert cache.use(name, source.fetch, read_path) == source.make(name)
        assert sum(list_sizes(root)) <= 100


def test_readers_and_evictions_do_not_get_in_each_others_way(tmp_path: Path) -> None:
    cache, source = FileCache(tmp_path, 250), Source()

    def read(number: int) -> bool:
        name = "abcdef"[number * 7 % 6]
        return cache.use(name, source.fetch, read_path) == source.make(name)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read, range(2000)))
    assert sum(list_sizes(tmp_path)) <= 250


def test_other_programs_find_an_object_where_it_is_located(
    s3_server: S3Server, objects: ObjectStore, url: str
) -> None:
    objects.put_new("folder/name", b"content")
    prefix = url.removeprefix("s3://logs/")
    found = open_library(prefix, s3_server.environment).get("folder/name")
    assert found.bytes().to_bytes() == b"content"
