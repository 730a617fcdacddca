"""Which `source` the events of files have."""

from pathlib import Path

from tests.sources.pulling import Pulling, pulling
from tests.store.stores import read_rows


def list_sources(bed: Pulling) -> list[tuple[str, str]]:
    bed.store.flush().result()
    return sorted(read_rows(bed.store).select("message", "source").rows())


def test_events_that_name_no_source_have_the_path_of_their_file(tmp_path: Path) -> None:
    with pulling(tmp_path, format="ndjson") as bed:
        a = bed.write("a.log", '{"message":"1"}', '{"message":"2","source":"own"}', "3")
        b = bed.write("b.log", '{"message":"4"}', "", '{"message":"5","log.source":"own"}')
        bed.poll()
        expected = [("1", str(a)), ("2", "own"), ("3", str(a)), ("4", str(b)), ("5", "own")]
        assert list_sources(bed) == expected
        bed.write("a.log", '{"message":"6"}')
        bed.poll()
        assert list_sources(bed) == [*expected, ("6", str(a))]


def test_a_tag_is_the_source_of_all_files(tmp_path: Path) -> None:
    with pulling(tmp_path, source="tag", format="ndjson") as bed:
        bed.write("a.log", '{"message":"1"}', '{"message":"2","source":"own"}')
        bed.write("b.log", '{"message":"3"}')
        bed.poll()
        assert list_sources(bed) == [("1", "tag"), ("2", "own"), ("3", "tag")]


def test_after_a_crash_each_event_still_has_the_path_of_its_file(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        names = [f"{number:03}.log" for number in range(150)]
        paths = [bed.write(name, name, f"{name} again") for name in names]
        bed.poll()
        bed.crash()
        found = list_sources(bed)
        assert found == sorted(
            (message, str(path)) for path in paths for message in (path.name, f"{path.name} again")
        )


def test_lines_that_may_not_be_stored_do_not_shift_the_paths_of_others(tmp_path: Path) -> None:
    with pulling(tmp_path, format="ndjson", index="{{app}}") as bed:
        closed = '{"app":"_internal","message":"no"}'
        a = bed.write("a.log", closed, '{"app":"x","message":"1"}', closed)
        bed.write("b.log", closed)
        c = bed.write("c.log", '{"app":"x","message":"2"}', closed, '{"app":"y","message":"3"}')
        bed.poll()
        assert list_sources(bed) == [("1", str(a)), ("2", str(c)), ("3", str(c))]


def test_a_path_that_is_no_text_is_shown_with_escapes(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        bed.write("\udcff.log", "1")
        bed.poll()
        assert list_sources(bed) == [("1", f"{bed.logs}/\\xff.log")]
