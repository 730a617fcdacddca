# Memory that grows.

cdef enum:
    LEAST_BYTES_HELD = 64

cdef int64_t MOST_UNITS = 0x7FFFFFFFFFFFFFFFLL

ctypedef struct Bytes:
    char* data
    int64_t length
    int64_t capacity


cdef bint resize(void** memory, int64_t units, int64_t unit_bytes) noexcept nogil:
    """Give `memory` room for this many units. If that fails, nothing changes and the result is False."""
    cdef void* resized
    if units < 0 or units > MOST_UNITS // unit_bytes:
        return False
    resized = realloc(memory[0], units * unit_bytes)
    if resized == NULL:
        return False
    memory[0] = resized
    return True


cdef inline int64_t enlarge(int64_t capacity, int64_t wanted, int64_t least) noexcept nogil:
    """The next capacity: at least `wanted`, and at least twice the last one, so that growth is amortised."""
    cdef int64_t doubled = capacity * 2 if capacity <= MOST_UNITS // 2 else MOST_UNITS
    return max(wanted, doubled, least)


cdef void* take_memory(int64_t units, int64_t unit_bytes) except NULL:
    """Zeroed memory that the caller owns, at least one unit."""
    cdef void* memory = calloc(max(units, 1), unit_bytes)
    if memory == NULL:
        raise MemoryError
    return memory


cdef inline bint reserve(Bytes* buffer, int64_t extra) noexcept nogil:
    """Make room for `extra` bytes and one more, so that even an empty text has an address."""
    return extra < buffer.capacity - buffer.length or extend(buffer, extra)


cdef bint extend(Bytes* buffer, int64_t extra) noexcept nogil:
    cdef int64_t capacity
    if extra >= MOST_UNITS - buffer.length:
        return False
    capacity = enlarge(buffer.capacity, buffer.length + extra + 1, LEAST_BYTES_HELD)
    if not resize(<void**>&buffer.data, capacity, 1):
        return False
    buffer.capacity = capacity
    return True


cdef inline bint append(Bytes* buffer, const void* data, int64_t length) noexcept nogil:
    if not reserve(buffer, length):
        return False
    memcpy(buffer.data + buffer.length, data, length)
    buffer.length += length
    return True


cdef bint shrink(Bytes* buffer) noexcept nogil:
    """Give back the memory after the last byte. If that fails, the result is False."""
    cdef int64_t needed = max(buffer.length, 1)
    if needed < buffer.capacity:
        if not resize(<void**>&buffer.data, needed, 1):
            return False
        buffer.capacity = needed
    return True
