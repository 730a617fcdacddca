# Growing buffers.

ctypedef struct Bytes:
    char* data
    int64_t length
    int64_t capacity


cdef bint reserve(Bytes* buffer, int64_t extra) noexcept nogil:
    cdef int64_t wanted = buffer.length + extra
    cdef char* grown
    # Never quite full: so even an empty text has an address.
    if wanted < buffer.capacity:
        return True
    wanted = max(wanted + 1, buffer.capacity * 2, <int64_t>64)
    grown = <char*>realloc(buffer.data, wanted)
    if grown == NULL:
        return False
    buffer.data, buffer.capacity = grown, wanted
    return True


cdef bint append(Bytes* buffer, const void* data, int64_t length) noexcept nogil:
    if not reserve(buffer, length):
        return False
    memcpy(buffer.data + buffer.length, data, length)
    buffer.length += length
    return True
