# Members joined to the text of a JSON object in C, without reading more of it than its keys.

cdef enum:
    MOST_NAMES = 62


cdef class Joiner:
    """Joins members to events by the keys they have; what it is not sure about it leaves to others."""

    cdef tuple names

    def __init__(self, names):
        """`names` are the keys that matter, in lower case and ASCII; no event may have one beyond the 62nd."""
        self.names = tuple(names)

    def join(self, bytes event, bytes time, dict texts):
        """The event with a text at its end, and `time` instead of its member `timestamp` unless that is None.

        The text, members each after a comma, is found by a number: the sum of 1 << place of the names that the
        event has. The number itself is returned when there is no text for it. None when the event is no object
        with members and plain keys, or needs more than a look. Whether its values are UTF-8 is not asked.
        """
        cdef uint64_t found = 0
        cdef bytes text
        cdef const char* begin = PyBytes_AS_STRING(event)
        cdef Py_ssize_t size = len(event)
        cdef Py_ssize_t start = 0, stop = 0
        if size < 2 or begin[0] != c'{' or begin[size - 1] != c'}' or memchr(begin, c'\n', size) != NULL:
            return None
        if not self._look(begin, begin + size, time is not None, &start, &stop, &found):
            return None
        text = texts.get(found)
        if text is None:
            return found
        if start == 1 and stop == size - 1:
            return None
        return write_joined(event, b"{" if time is None else b'{"timestamp":' + time + b",", text, start, stop)

    cdef bint _look(self, const char* begin, const char* end, bint cut_time, Py_ssize_t* start,
                    Py_ssize_t* stop, uint64_t* found):
        """Whether it is sure; where the time stands with one comma, `stop` 0 when nowhere."""
        cdef const char* at = begin + 1
        cdef const char* key
        cdef bint is_time
        cdef int place
        while True:
            at = skip_blanks(at, end)
            if at >= end or at[0] != c'"':
                return False
            key, at = at + 1, skip_string(at + 1, end)
            if at == NULL or not is_plain_key(key, at - 1):
                return False
            is_time = cut_time and at - key == 10 and memcmp(key, b"timestamp", 9) == 0
            place = -1 if is_time else self._find(key, at - 1 - key)
            if is_time and stop[0] or place >= MOST_NAMES:
                return False
            at = skip_blanks(at, end)
            if at >= end or at[0] != c':':
                return False
            at = skip_blanks(at + 1, end)
            if place >= 0:
                if at < end and at[0] == c'{':
                    return False
                found[0] |= 1ULL << place
            if not skip_value(&at, end):
                return False
            at = skip_blanks(at, end)
            if at >= end:
                return False
            if is_time:
                start[0], stop[0] = span_member(begin, key - 1, at)
            if at[0] == c'}':
                return at + 1 == end
            if at[0] != c',':
                return False
            at += 1

    cdef int _find(self, const char* key, Py_ssize_t length):
        """The place of a key among the names; -1 when it is none."""
        cdef bytes name
        cdef int place = 0
        for name in self.names:
            if len(name) == length and equals_folded(key, PyBytes_AS_STRING(name), length):
                return place
            place += 1
        return -1


cdef bytes write_joined(bytes event, bytes head, bytes text, Py_ssize_t start, Py_ssize_t stop):
    """The members of the event without what is from `start` to `stop`, between the two."""
    cdef const char* source = PyBytes_AS_STRING(event)
    cdef Py_ssize_t first = start - 1 if stop else 0
    cdef Py_ssize_t rest = len(event) - 1 - (stop if stop else 1)
    cdef bytes joined = PyBytes_FromStringAndSize(NULL, len(head) + first + rest + len(text) + 1)
    cdef char* at = PyBytes_AS_STRING(joined)
    memcpy(at, PyBytes_AS_STRING(head), len(head))
    at += len(head)
    memcpy(at, source + 1, first)
    at += first
    memcpy(at, source + (stop if stop else 1), rest)
    at += rest
    memcpy(at, PyBytes_AS_STRING(text), len(text))
    at[len(text)] = c'}'
    return joined


cdef (Py_ssize_t, Py_ssize_t) span_member(const char* begin, const char* key, const char* behind) noexcept:
    """A member with the comma behind it; of the last one with the comma before it."""
    if behind[0] == c',':
        return key - begin, behind + 1 - begin
    while key > begin + 1 and (key - 1)[0] != c',':
        key -= 1
    if key > begin + 1:
        key -= 1
    return key - begin, behind - begin


cdef bint is_plain_key(const char* at, const char* end) noexcept nogil:
    while at < end:
        if <uint8_t>at[0] >= 0x80 or at[0] == c'\\':
            return False
        at += 1
    return True


cdef bint equals_folded(const char* key, const char* name, Py_ssize_t length) noexcept nogil:
    cdef Py_ssize_t at
    cdef char letter
    for at in range(length):
        letter = key[at]
        if c'A' <= letter <= c'Z':
            letter += 32
        if letter != name[at]:
            return False
    return True
