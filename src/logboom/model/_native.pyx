# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The compiled shredder: whole batches of lines at a time, without the interpreter lock.

Lines that the C parser is not sure about go through `model.event` and `model.scanning` one by one.
"""

from array import array
from os import urandom

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from libc.math cimport fabs, frexp
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdio cimport snprintf
from libc.stdlib cimport calloc, free, realloc, strtod
from libc.string cimport memchr, memcmp, memcpy, memset, strlen

import polars as pl

from logboom.model.batch import Scan
from logboom.model.columns import (
    MAX_ARRAY_ELEMENTS,
    MAX_CELLS_PER_BLOCK,
    Column,
    Kind,
)
from logboom.model.event import decode_line, is_opened, shred_line
from logboom.model.jsonline import parse_object
from logboom.model.filters.longwords import (
    BITS_PER_PIECE,
    LONG_WORD_PROBES,
    MAX_PIECES_PER_TEXT,
    SMALLEST_FILTER_BYTES,
)
from logboom.model.mapping import CONTAINERS, Role, rank_alias
from logboom.model.names import IndexNames, fold_name
from logboom.model.rows import Rows, split_overflow
from logboom.model.scanning import follow_routes, look_at
from logboom.model.filters.bloom import count_parts, fit_parts
from logboom.model.summary import (
    BITS_PER_VALUE,
    MAX_COUNTED_BYTES,
    MAX_COUNTED_VALUES,
    PROBES,
    ColumnSummary,
    hash_value,
    needs_bloom,
)
from logboom.model.filters.trigrams import LARGEST_BYTES, MAX_HASHES, SMALLEST_BYTES
from logboom.model.values import MAX_VALUE_DEPTH, Split

include "native/scalars.pxi"
include "native/times.pxi"
include "native/buffers.pxi"
include "native/hashing.pxi"
include "native/columns.pxi"
include "native/trigrams.pxi"
include "native/bloom.pxi"
include "native/longwords.pxi"
include "native/summaries.pxi"
include "native/arrow.pxi"
include "native/reading.pxi"
include "native/containing.pxi"
include "native/parser.pxi"
include "native/signatures.pxi"
include "native/readings.pxi"
include "native/plans.pxi"
include "native/block.pxi"
include "native/values.pxi"
include "native/joining.pxi"
include "native/sorting.pxi"

cdef enum:
    SHAPE_TABLE_SIZE = 131072
    OUT_OF_MEMORY = 5
    FINISHED = 6
    LOOK_UP_INDEX = 7
    NO_ROOM = 8
    FULL = 9
    NEW_BATCH = 10
    NEW_FORM = 11

cdef int64_t CELL_LIMIT = MAX_CELLS_PER_BLOCK
cdef int64_t NS_PER_DAY = 86400LL * 1000000000LL
cdef int64_t ROW_MASK = 0xFFFFFFFFLL
KINDS = (Kind.STR, Kind.INT, Kind.FLOAT, Kind.BOOL, Kind.STRS, Kind.INTS, Kind.FLOATS, Kind.BOOLS)
TYPE_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}


ctypedef struct Line:
    const char* start
    const char* end


cdef class Shredder:
    """Scans and shreds, with a lasting tree of known keys. Not thread-safe."""

    cdef Parser parser
    cdef Forms forms

    @property
    def collisions(self) -> int:
        """How often a key was not in the first slot of a hash table, since the tree was created."""
        return 0 if self.parser is None else self.parser.collisions + self.forms.signatures.collisions

    cdef int renew(self) except -1:
        if self.parser is None or self.parser.is_full:
            self.reset()
            self.parser, self.forms = Parser(), Forms()
        elif self.forms.is_outdated():
            self.forms.retire()
            self.forms = Forms()
        return 0

    cdef int reset(self) except -1:
        """Forget all keys, and the forms that refer to them."""
        if self.forms is not None:
            self.forms.retire()
        self.parser = self.forms = None
        return 0

    def scan_lines(self, bytes data, int64_t arrival_ns, template, routes=None):
        """See `model.scanning.scan_lines`."""
        self.renew()
        try:
            return self._scan_batch(data, arrival_ns, template, routes)
        except BaseException:
            self.reset()  # It may have failed half-way through a change.
            raise

    def shred_rows(self, batches, order, int32_t max_fields):
        """See `model.rows.shred_rows`."""
        self.renew()
        try:
            return BlockBuilder(self.parser, list(batches), order, max_fields).build()
        except BaseException:
            self.reset()
            raise

    def sort_rows(self, batches):
        """See `model.rows.sort_rows`."""
        return sort_rows(batches)

    def summarise_series(self, column, series):
        """See `model.summary.summarise_series`."""
        return summarise_series(column, series)

    cdef object _scan_batch(self, bytes data, int64_t arrival_ns, template, routes):
        cdef const char* begin = PyBytes_AS_STRING(data)
        cdef const char* at = begin
        cdef const char* end = begin + len(data)
        cdef Bytes starts = Bytes(NULL, 0, 0), ends = Bytes(NULL, 0, 0), times = Bytes(NULL, 0, 0)
        cdef int64_t errors = 0, time_ns
        cdef int status
        cdef Line line
        cdef bint look_up = bool(template.paths)
        names = IndexNames(template)
        wanted = tuple(dict.fromkeys(template.paths))
        index_ids = array("i")
        cdef Readings readings = Readings(self.forms, len(data))
        self.parser.want(wanted)
        try:
            while True:
                with nogil:
                    status = self._scan(&at, end, begin, arrival_ns, &starts, &ends, &times, &errors, &line,
                                        look_up, readings)
                if status == FINISHED:
                    break
                if status == OUT_OF_MEMORY:
                    raise MemoryError
                if status == NEW_KEY:
                    self.parser.add_missing_key()
                    continue
                if status == NEW_FORM:
                    self.forms.add(self.parser)
                    continue
                if status == LOOK_UP_INDEX:
                    values = self._read_wanted(wanted)
                else:
                    event = parse_object(line.start[:line.end - line.start])
                    errors += event is None
                    found_ns, values = look_at(event, wanted)
                    time_ns = arrival_ns if found_ns is None else found_ns
                    if not (note_line(&starts, &ends, &times, line.start - begin, line.end - begin, time_ns)
                            and readings.note(NO_SIGNATURE, self.parser, line.start)):
                        raise MemoryError
                    at = line.end
                if wanted:
                    by_path = dict(zip(wanted, values))
                    index_ids.append(names.identify(tuple(by_path[path] for path in template.paths)))
            if not wanted:
                index_ids = array("i", bytes(starts.length // 2))
                if starts.length:
                    names.identify(())
            index_ids, index_names = follow_routes(routes, index_ids, names.names)
            days = list_days(<int64_t*>times.data, index_ids)
            self.forms.count_lines(len(index_ids))
            if not readings.finish():
                raise MemoryError
            return Scan(to_array(&starts), to_array(&ends), to_array(&times), index_ids, index_names, days, errors,
                        readings)
        finally:
            free(starts.data)
            free(ends.data)
            free(times.data)

    cdef int _scan(self, const char** position, const char* end, const char* begin, int64_t arrival_ns,
                   Bytes* starts, Bytes* ends, Bytes* times, int64_t* errors, Line* line,
                   bint look_up, Readings readings) noexcept nogil:
        """Scan lines until one needs the interpreter; returns at that `line`."""
        cdef const char* at = position[0]
        cdef const char* stop
        cdef Status status
        cdef int32_t form
        cdef int64_t time_ns
        while at < end:
            stop = <const char*>memchr(at, c'\n', end - at)
            stop = end if stop == NULL else stop
            line.start, line.end = at, stop
            trim(line)
            if line.start == line.end:
                at = stop + 1
                continue
            position[0] = at
            status = self.parser.parse(line.start, line.end)
            if status == NEW_KEY or status == UNSURE or (status == NOT_AN_OBJECT and look_up):
                return status
            form = self.forms.signatures.find(self.parser) if status == PARSED else NO_SIGNATURE
            if status == PARSED and form == NO_SIGNATURE and not self.forms.is_full():
                return NEW_FORM
            errors[0] += status == NOT_AN_OBJECT
            time_ns = self.parser.time_ns if status == PARSED and self.parser.has_time else arrival_ns
            if not (note_line(starts, ends, times, line.start - begin, line.end - begin, time_ns)
                    and readings.note(form, self.parser, line.start)):
                return OUT_OF_MEMORY
            at = stop + 1
            position[0] = at
            if look_up:
                return LOOK_UP_INDEX
        return FINISHED

    cdef tuple _read_wanted(self, tuple wanted):
        """The texts at the placeholder paths of the last parsed event."""
        cdef list values = [None] * len(wanted)
        cdef list segments = [1000] * len(wanted)
        cdef int32_t at, place
        cdef Leaf* leaf
        for at in range(self.parser.leaf_count):
            leaf = &self.parser.leaves[at]
            place = self.parser.nodes[leaf.node].wanted - 1
            if place >= 0 and leaf.item.type < LIST and self.parser.nodes[leaf.node].segments < segments[place]:
                segments[place] = self.parser.nodes[leaf.node].segments
                values[place] = read_item(&leaf.item)
        return tuple(values)


cdef object read_item(Item* item):
    cdef bytes buffer
    cdef int32_t length
    if not item.escaped:
        return item.start[:item.length].decode()
    buffer = bytes(item.length)
    length = unescape(item.start, item.length, PyBytes_AS_STRING(buffer))
    return buffer[:length].decode()


cdef void trim(Line* line) noexcept nogil:
    while line.start < line.end and is_blank(line.start[0]):
        line.start += 1
    while line.end > line.start and is_blank((line.end - 1)[0]):
        line.end -= 1


cdef inline bint is_blank(char c) noexcept nogil:
    return c == c' ' or c == c'\t' or c == c'\r' or c == c'\n'


cdef bint note_line(Bytes* starts, Bytes* ends, Bytes* times, int64_t start, int64_t end,
                    int64_t time_ns) noexcept nogil:
    return append(starts, &start, 8) and append(ends, &end, 8) and append(times, &time_ns, 8)


cdef set list_days(int64_t* times, int32_t[:] index_ids):
    """The distinct (index number, day); neighbours mostly share theirs."""
    cdef int64_t day, last_day = 0
    cdef int32_t last_index = -1
    cdef Py_ssize_t at
    cdef set days = set()
    for at in range(index_ids.shape[0]):
        day = times[at] // NS_PER_DAY - (1 if times[at] % NS_PER_DAY < 0 else 0)
        if day != last_day or index_ids[at] != last_index:
            days.add((index_ids[at], day))
            last_day, last_index = day, index_ids[at]
    return days


cdef object to_array(Bytes* buffer):
    result = array("q")
    if buffer.length:
        result.frombytes(buffer.data[:buffer.length])
    return result
