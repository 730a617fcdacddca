"""Chooses how to read a text: kinds and formats first, then programs that a preset knows, then any line with a time."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import msgspec

from logboom.formats.auto.access import Access, find_access, mix
from logboom.formats.auto.envelopes import Unwrap
from logboom.formats.auto.kinds.table import try_kinds
from logboom.formats.auto.logs import choose_log
from logboom.formats.auto.probes import ENOUGH, PROBES, WITHOUT_LINES
from logboom.formats.auto.reading import TEXT, Reading, anchor, parse_none
from logboom.formats.auto.wrapped import WrappedReading, try_envelopes
from logboom.formats.multiline import open_fold
from logboom.formats.reader import BOM, Options, Reader, drop_blank, split_lines

Openers = Mapping[str, Callable[[Options], Reader]]

SAMPLE_BYTES = 64 * 1024
MAX_SAMPLE_RECORDS = 300
STRICT_FORMATS = ("ndjson", "json", "w3c", "cef", "csv", "tsv")


class Choice(NamedTuple):
    """The detected format, its confidence, and how to read it.

    `format` is a key of FORMATS, or the name of a reading by lines.
    """

    name: str
    confidence: float
    format: str
    options: Options
    open: Callable[[], Reader]
    unwrap: Unwrap | None = None
    """Finds the parts of lines, in formats that split long ones."""


def cut_sample(data: bytes) -> bytes:
    """Return the whole lines within the size of a sample, at least one."""
    end = data.rfind(b"\n", 0, SAMPLE_BYTES)
    if end < 0:
        end = data.find(b"\n")
    return data[:end].removeprefix(BOM) if end >= 0 else data.removeprefix(BOM)


def choose(head: bytes, options: Options, openers: Openers) -> Choice:
    """Return how to read a text with this beginning. The options are never overridden."""
    if options.grok:
        return use_format("grok", 1.0, options, openers)
    lines = split_lines(cut_sample(head))
    if options.multiline:
        fold = open_fold(options.multiline, options.max_lines)
        records = fold.feed(lines) + fold.finish()
    else:
        records = drop_blank(lines)
    return choose_records(records[:MAX_SAMPLE_RECORDS], options, openers)


def choose_records(records: list[str], options: Options, openers: Openers) -> Choice:
    """Return the first of all ways to read these records that fits."""
    if not records:
        return use_format("text", 1.0, options, openers)
    wrapped = None if options.multiline else try_envelopes(records, options.now_ns)
    if wrapped is not None:
        return use_reading(wrapped, options)
    kind = try_kinds(records, options.now_ns)
    if kind is not None:
        return use_reading(kind, options)
    choice = find_format(STRICT_FORMATS, records, options, openers)
    return choice or choose_lines(records, options, openers)


def choose_lines(records: list[str], options: Options, openers: Openers) -> Choice:
    """Return how to read the lines of a log."""
    access = find_access(records, options.now_ns)
    if access is not None:
        return use_access(access, options, openers)
    log = choose_log(records, options.now_ns)
    if log is not None:
        return use_reading(log, options)
    choice = find_format(("logfmt",), records, options, openers)
    return choice or use_format("text", 1.0, options, openers)


def find_format(
    names: tuple[str, ...], records: list[str], options: Options, openers: Openers
) -> Choice | None:
    for name in names:
        share = probe(name, records, options)
        if share >= ENOUGH:
            return use_format(name, share, options, openers)
    return None


def probe(format: str, records: list[str], options: Options) -> float:
    if options.multiline and format in WITHOUT_LINES:
        return 0.0
    return PROBES[format](records)


def use_access(access: Access, options: Options, openers: Openers) -> Choice:
    """Return a choice that reads requests by their preset; if most lines are something else, these in their own way."""
    if access.share >= ENOUGH:
        chosen = msgspec.structs.replace(options, grok=access.preset)
        choice = use_format("grok", access.share, chosen, openers)
        return choice._replace(name=access.preset)
    others = choose_log(access.others, options.now_ns) or Reading(TEXT, 1.0, parse_none)
    return use_reading(mix(access, others), options)


def use_format(format: str, confidence: float, options: Options, openers: Openers) -> Choice:
    return Choice(format, confidence, format, options, lambda: openers[format](options))


def use_reading(reading: Reading | WrappedReading, options: Options) -> Choice:
    """Return a choice that folds lines as the reading says, unless the options say how."""
    if not options.multiline:
        options = msgspec.structs.replace(options, multiline=anchor(reading.begins))
    name, confidence = reading.name, reading.confidence
    unwrap = reading.unwrap if isinstance(reading, WrappedReading) else None
    return Choice(name, confidence, name, options, partial(reading.open, options), unwrap)
