# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""One OTLP log record from its protobuf, in C.

Reads what encoders write. Whatever is unusual is left to the definition in `otlp_protobuf`, which also says what
is wrong with it.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from libc.math cimport isfinite, isnan
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef extern from "Python.h":
    object PyUnicode_DecodeUTF8(const char* s, Py_ssize_t size, const char* errors)
    object PyBytes_FromStringAndSize(const char* s, Py_ssize_t size)

cdef enum:
    DEEPEST_MESSAGE = 16
    LARGEST_MESSAGE = 4194304


class Unusual(Exception):
    """The protobuf definition is needed to read this record."""


cdef struct Wire:
    const uint8_t* at
    const uint8_t* end


def read_log_record(bytes data, int64_t start, int64_t end):
    """The values of the record in data[start:end] in the order of OtlpRecord; None if the protobuf definition is needed."""
    cdef Wire wire
    if not 0 <= start <= end <= len(data) or end - start > LARGEST_MESSAGE:
        return None
    wire.at = <const uint8_t*>PyBytes_AS_STRING(data) + start
    wire.end = wire.at + (end - start)
    try:
        return take_record(&wire)
    except (Unusual, UnicodeDecodeError):
        return None


cdef uint64_t take_varint(Wire* wire) except? 0:
    cdef uint64_t value = 0
    cdef int shift = 0
    while wire.at < wire.end and shift < 63:
        value |= <uint64_t>(wire.at[0] & 0x7F) << shift
        wire.at += 1
        if (wire.at - 1)[0] < 0x80:
            return value
        shift += 7
    if wire.at < wire.end and shift == 63 and wire.at[0] <= 1:
        value |= <uint64_t>wire.at[0] << 63
        wire.at += 1
        return value
    raise Unusual


cdef int take_fixed(Wire* wire, void* target, int size) except -1:
    if wire.end - wire.at < size:
        raise Unusual
    memcpy(target, wire.at, size)
    wire.at += size
    return 0


cdef int take_part(Wire* wire, Wire* part) except -1:
    cdef uint64_t size = take_varint(wire)
    if size > <uint64_t>(wire.end - wire.at):
        raise Unusual
    part.at = wire.at
    part.end = wire.at = wire.at + size
    return 0


cdef object decode_text(Wire* part):
    return PyUnicode_DecodeUTF8(<const char*>part.at, part.end - part.at, NULL)


cdef object take_text(Wire* wire):
    cdef Wire part
    take_part(wire, &part)
    return decode_text(&part)


cdef object take_bytes(Wire* wire):
    cdef Wire part
    take_part(wire, &part)
    return PyBytes_FromStringAndSize(<const char*>part.at, part.end - part.at)


cdef object take_double(Wire* wire):
    cdef double number = 0
    take_fixed(wire, &number, 8)
    if isfinite(number):
        return number
    if isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"


cdef object read_any(Wire* wire, int depth):
    cdef Wire part
    cdef uint8_t tag
    if wire.at == wire.end:
        return None
    if depth > DEEPEST_MESSAGE:
        raise Unusual
    tag = wire.at[0]
    wire.at += 1
    if tag == 0x0A:
        value = take_text(wire)
    elif tag == 0x10:
        value = take_varint(wire) != 0
    elif tag == 0x18:
        value = <int64_t>take_varint(wire)
    elif tag == 0x21:
        value = take_double(wire)
    elif tag == 0x2A:
        take_part(wire, &part)
        value = read_items(&part, depth + 1)
    elif tag == 0x32:
        take_part(wire, &part)
        value = {}
        while part.at < part.end:
            if part.at[0] != 0x0A:
                raise Unusual
            part.at += 1
            take_pair(&part, value, depth + 1)
    elif tag == 0x3A:
        value = take_bytes(wire)
    else:
        raise Unusual
    if wire.at != wire.end:
        raise Unusual
    return value


cdef list read_items(Wire* wire, int depth):
    cdef Wire part
    cdef list items = []
    while wire.at < wire.end:
        if wire.at[0] != 0x0A:
            raise Unusual
        wire.at += 1
        take_part(wire, &part)
        items.append(read_any(&part, depth))
    return items


cdef int take_pair(Wire* wire, dict members, int depth) except -1:
    cdef Wire pair, part
    key, value = "", None
    take_part(wire, &pair)
    if pair.at < pair.end and pair.at[0] == 0x0A:
        pair.at += 1
        key = take_text(&pair)
    if pair.at < pair.end and pair.at[0] == 0x12:
        pair.at += 1
        take_part(&pair, &part)
        value = read_any(&part, depth)
    if pair.at != pair.end:
        raise Unusual
    members[key] = value
    return 0


cdef tuple take_record(Wire* wire):
    cdef Wire part
    cdef uint8_t tag
    cdef uint64_t time_ns = 0, observed_ns = 0, severity = 0
    cdef uint32_t flags = 0
    cdef bint has_body = False
    cdef dict attributes = {}
    severity_text = event_name = trace_id = span_id = ""
    body = None
    while wire.at < wire.end:
        tag = wire.at[0]
        wire.at += 1
        if tag == 0x32:
            take_pair(wire, attributes, 0)
        elif tag == 0x09:
            take_fixed(wire, &time_ns, 8)
        elif tag == 0x59:
            take_fixed(wire, &observed_ns, 8)
        elif tag == 0x10:
            severity = take_varint(wire)
            if severity > 0x7FFFFFFF:
                raise Unusual
        elif tag == 0x1A:
            severity_text = take_text(wire)
        elif tag == 0x2A:
            if has_body:
                raise Unusual
            has_body = True
            take_part(wire, &part)
            body = read_any(&part, 0)
        elif tag == 0x38:
            take_varint(wire)
        elif tag == 0x45:
            take_fixed(wire, &flags, 4)
        elif tag == 0x4A:
            trace_id = take_bytes(wire).hex()
        elif tag == 0x52:
            span_id = take_bytes(wire).hex()
        elif tag == 0x62:
            event_name = take_text(wire)
        else:
            raise Unusual
    return (time_ns, observed_ns, severity, severity_text, body, attributes, flags, trace_id, span_id, event_name)
