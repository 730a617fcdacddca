"""The checks of `logboom doctor`. Each examines one thing; none writes anything except a test object in a bucket."""

import os
import platform
import resource
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from logboom.base.clock import NS_PER_S, format_time
from logboom.base.errors import LogboomError, NotFound
from logboom.base.stores.objects import ObjectStore
from logboom.base.structs import InternalStruct, prepare_structs
from logboom.base.version import __version__
from logboom.base.wording import count
from logboom.config import Settings
from logboom.control.documents.cipher import AesCipher, PlainCipher
from logboom.control.documents.secrets import name_new_key, read_secret
from logboom.control.documents.store import FOLDER, Documents
from logboom.model.shredder import is_compiled, open_shredder
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import name_index
from logboom.store.catalog.log import FOLDER as LOG
from logboom.store.reader import StoreReader
from logboom.store.store import measure_floor
from logboom.store.wal.survey import survey_log

EARLIEST_NS = 1_735_689_600 * NS_PER_S
"""The start of 2025, before this program existed: a clock behind it is wrong."""
CLOCK_SKEW_NS = 60 * NS_PER_S
COMFORTABLE_SHARE = 0.1
COMFORTABLE_FILES = 4096
MADE_AT_START = "it is created when a service starts"
NAMED = 3
"""At most this many problems are named."""
INSPECTORS = 16
"""Blocks checked in parallel, because each request to a bucket takes a while."""


class Status(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "FAIL"


class Finding(InternalStruct, frozen=True):
    """The result of one check, and what can be done about it."""

    status: Status
    text: str
    hint: str = ""

    def describe(self) -> str:
        return f"{self.text}; {self.hint}" if self.hint else self.text


class Installation(InternalStruct, frozen=True, dict=True):
    """What is being checked, and the current time."""

    settings: Settings
    now_ns: int

    @cached_property
    def objects(self) -> ObjectStore | None:
        """The store, or None while its directory is missing: a check must not create it."""
        directory = self.settings.store_dir
        return self.settings.open_store() if directory is None or directory.is_dir() else None

    def list(self, folder: str) -> list[str]:
        return self.objects.list(folder) if self.objects else []

    @property
    def is_used(self) -> bool:
        """Whether control documents exist, that is, whether the service was set up."""
        return bool(self.list(FOLDER))


def check_program(_: Installation) -> Finding:
    text = f"logboom {__version__}, Python {platform.python_version()}"
    if not is_compiled():
        hint = "ingest is slow; install again with a C compiler present"
        return Finding(Status.WARN, f"{text}, without compiled code", hint)
    return Finding(Status.OK, f"{text}, with compiled code")


def check_data_directory(place: Installation) -> Finding:
    directory = place.settings.data_dir
    if not directory.is_dir():
        return Finding(Status.FAIL, f"no directory {directory}", "name it with --data")
    if closed := find_closed(directory, directory / "wal"):
        return refuse_closed(closed)
    mode = stat.S_IMODE(directory.stat().st_mode)
    if mode & 0o077:
        return Finding(Status.WARN, f"{directory} has mode {mode:04o}", f"chmod 0700 {directory}")
    return Finding(Status.OK, f"{directory}, private, readable and writable")


def check_store(place: Installation) -> Finding:
    store = place.settings.store_dir
    if store is None:
        return check_bucket(place)
    if not store.is_dir():
        return Finding(Status.WARN, f"no store at {store}", MADE_AT_START)
    if closed := find_closed(store, store / "blocks", store / LOG, store / FOLDER):
        return refuse_closed(closed)
    return Finding(Status.OK, f"{store}, readable and writable")


def check_bucket(place: Installation) -> Finding:
    assert place.objects is not None
    place.objects.check()
    text = "can be read and written, and refuses to create an object twice"
    return Finding(Status.OK, f"{place.objects.locate('')}, {text}")


def find_closed(*directories: Path) -> Path | None:
    """Return the first directory that exists and cannot be listed, read and written."""
    needed = os.R_OK | os.W_OK | os.X_OK
    existing = (directory for directory in directories if directory.exists())
    return next((each for each in existing if not os.access(each, needed)), None)


def refuse_closed(directory: Path) -> Finding:
    hint = "run as the user of the service, or give the directory to that user"
    return Finding(Status.FAIL, f"{directory} is not readable and writable by this user", hint)


def check_catalog(place: Installation) -> Finding:
    objects = place.objects
    if objects is None or not (objects.list(LOG) or objects.list("blocks")):
        return Finding(Status.WARN, "no catalog yet", MADE_AT_START)
    reader = StoreReader(objects)
    blocks = {block.path: block for block in reader.snapshot().list_blocks()}
    prepare_structs()
    with ThreadPoolExecutor(INSPECTORS) as pool:
        reasons = pool.map(lambda block: inspect(objects, block), blocks.values())
        bad = {path: reason for path, reason in zip(blocks, reasons, strict=True) if reason}
    # A block may have been deleted while we looked: read the catalog again to see which blocks are still live.
    live = reader.snapshot()
    bad = {path: reason for path, reason in bad.items() if live.is_live(path)}
    if bad:
        named = ", ".join(f"{path} {reason}" for path, reason in list(bad.items())[:NAMED])
        hint = "restore the files from a backup"
        return Finding(Status.FAIL, f"{len(bad)} of {len(blocks)} live blocks: {named}", hint)
    events = sum(block.rows for block in blocks.values())
    text = f"version {live.version}, {count(len(blocks), 'block')} with {count(events, 'event')}, all there"
    return Finding(Status.OK, text)


def inspect(objects: ObjectStore, block: BlockInfo) -> str:
    """Return what is wrong with the objects of a block; empty if they are fine."""
    try:
        size_bytes = objects.measure(block.path)
    except NotFound:
        return "is missing"
    if size_bytes != block.size_bytes:
        return f"has {size_bytes} bytes, expected {block.size_bytes}"
    try:
        objects.measure(name_index(block.path))
    except NotFound:
        return "its index is missing"
    return ""


def check_log(place: Installation) -> Finding:
    folder = place.settings.data_dir / "wal"
    if not folder.is_dir():
        return Finding(Status.WARN, f"no directory {folder}", MADE_AT_START)
    survey = survey_log(folder, find_committed(place), open_shredder())
    text = (
        f"{count(survey.segments, 'segment')} with {count(survey.records, 'record')} in "
        f"{count(survey.size_bytes, 'byte')}, {count(survey.events, 'event')} not yet in blocks"
    )
    if survey.torn_bytes:
        text += f", {survey.torn_bytes} bytes of an unfinished append"
    if survey.damaged:
        named = ", ".join(f"{name}: {why}" for name, why in list(survey.damaged.items())[:NAMED])
        hint = "the damaged events are lost unless a backup has them; the rest is replayed at the next start"
        text += f", {survey.damaged_bytes} bytes damaged: {named}"
        return Finding(Status.FAIL, text, hint)
    return Finding(Status.OK, text)


def find_committed(place: Installation) -> int:
    """Return the last record of this node's write-ahead log that is in blocks."""
    node = place.settings.data_dir / "node"
    if place.objects is None or not node.exists() or not place.objects.list(LOG):
        return 0
    return StoreReader(place.objects).snapshot().transactions.get(node.read_text().strip(), 0)


def check_session_secret(place: Installation) -> Finding:
    path = place.settings.jwt_secret_file
    if not path.exists():
        hint = "all sessions have ended" if place.is_used else MADE_AT_START
        return Finding(Status.WARN, f"no file {path}", hint)
    read_secret(path)
    return Finding(Status.OK, f"{path}, mode 0600")


def check_control_key(place: Installation) -> Finding:
    path = place.settings.control_key_file
    if place.settings.control_encryption == "off":
        return Finding(Status.WARN, "control documents are not encrypted", "on is the default")
    if not path.exists():
        if place.is_used:
            hint = "restore it from a backup: without it nobody can sign in"
            return Finding(Status.FAIL, f"no file {path}", hint)
        return Finding(Status.WARN, f"no file {path}", MADE_AT_START)
    read_secret(path)
    if name_new_key(path).exists():
        hint = "stop the service and run logboom admin rotate-key again"
        return Finding(Status.FAIL, "a key rotation was interrupted", hint)
    return Finding(Status.OK, f"{path}, mode 0600")


def check_control_documents(place: Installation) -> Finding:
    if not place.is_used:
        return Finding(Status.WARN, "none yet", "the setup creates the first one")
    documents = open_documents(place)
    names = documents.list_names()
    bad = [reason for name in names for reason in try_reading(documents, name)]
    if bad:
        hint = "restore the control folder and its key from the same backup"
        return Finding(Status.FAIL, ", ".join(bad[:NAMED]), hint)
    return Finding(Status.OK, f"{', '.join(names)}: all can be read")


def open_documents(place: Installation) -> Documents:
    settings, objects = place.settings, place.objects
    assert objects is not None
    if settings.control_encryption == "off":
        return Documents(objects, PlainCipher())
    if not settings.control_key_file.exists():
        raise NotFound("they cannot be read without the control key")
    return Documents(objects, AesCipher(read_secret(settings.control_key_file)))


def try_reading(documents: Documents, name: str) -> Iterator[str]:
    try:
        documents.read(name)
    except LogboomError as error:
        yield error.message


def check_clock(place: Installation) -> Finding:
    now = format_time(place.now_ns // NS_PER_S * NS_PER_S)
    if place.now_ns < EARLIEST_NS:
        return Finding(Status.FAIL, f"it is {now} by this clock", "set the clock")
    newest_ns = max(list_file_times(place.settings), default=0)
    if newest_ns > place.now_ns + CLOCK_SKEW_NS:
        ahead_s = (newest_ns - place.now_ns) // NS_PER_S
        text = f"the clock says {now}, but a file of the store is {ahead_s} s newer"
        return Finding(Status.FAIL, text, "set the clock: sessions and retention depend on it")
    return Finding(Status.OK, f"{now}, not behind the store's files" if newest_ns else now)


def list_file_times(settings: Settings) -> Iterator[int]:
    """Yield when the commits and control documents in a directory were written, in nanoseconds."""
    if settings.store_dir is None:
        return
    control = settings.store_dir / FOLDER
    folders = [settings.store_dir / LOG, *(control / name for name in list_names(control))]
    for folder in folders:
        for name in list_names(folder):
            try:
                yield (folder / name).stat().st_mtime_ns
            except FileNotFoundError:
                continue  # just removed by a running service


def check_free_disk(place: Installation) -> Finding:
    directories = (place.settings.data_dir, place.settings.store_dir)
    found = [
        measure_disk(directory) for directory in directories if directory and directory.is_dir()
    ]
    if not found:
        return Finding(Status.FAIL, "there is no directory whose disk could be checked")
    order = list(Status)
    return max(found, key=lambda finding: order.index(finding.status))


def measure_disk(directory: Path) -> Finding:
    disk = os.statvfs(directory)
    free_bytes, size_bytes = disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize
    share = free_bytes / max(size_bytes, 1)
    text = f"{free_bytes / (1 << 30):.1f} GiB free ({share:.0%}) at {directory}"
    if free_bytes < measure_floor(disk):
        return Finding(
            Status.FAIL, text, "ingest is refused; free some space or shorten the retention"
        )
    if disk.f_files and disk.f_favail < disk.f_files * COMFORTABLE_SHARE / 10:
        return Finding(Status.WARN, f"{text}, but few inodes", "delete small files")
    if share < COMFORTABLE_SHARE:
        return Finding(Status.WARN, text, "free some space or shorten the retention soon")
    return Finding(Status.OK, text)


def check_open_files(_: Installation) -> Finding:
    limit, _most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY or limit >= COMFORTABLE_FILES:
        return Finding(Status.OK, f"limit {limit}")
    hint = f"ulimit -n {COMFORTABLE_FILES} before a service is started"
    return Finding(Status.WARN, f"limit {limit}, each connection needs one", hint)


def list_names(directory: Path) -> list[str]:
    """Return the names in a directory; empty if there is no such directory."""
    try:
        return sorted(name for name in os.listdir(directory) if not name.startswith("."))
    except FileNotFoundError:
        return []


CHECKS: dict[str, Callable[[Installation], Finding]] = {
    "program": check_program,
    "data directory": check_data_directory,
    "store": check_store,
    "catalog": check_catalog,
    "write-ahead log": check_log,
    "session secret": check_session_secret,
    "control key": check_control_key,
    "control documents": check_control_documents,
    "clock": check_clock,
    "free disk": check_free_disk,
    "open files": check_open_files,
}


def examine(place: Installation) -> Iterator[tuple[str, Finding]]:
    """Run every check, and return its name and result; a check that raises an error counts as failed."""
    for name, check in CHECKS.items():
        try:
            yield name, check(place)
        except LogboomError as error:
            yield name, Finding(Status.FAIL, error.message)
        except OSError as error:
            yield name, Finding(Status.FAIL, str(error))
