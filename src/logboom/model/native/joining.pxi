# Members joined to the text of a JSON object in C, without reading more of it than its keys.

cdef enum:
    MOST_NAMES = 62


cdef class Joiner:
    """Adds members to events depending on their keys; cases that it cannot decide are left to the caller."""

    cdef tuple names

    def __init__(self, names):
        """`names` are the keys that matter, in lower case and ASCII; no event may have one beyond the 62nd."""
        self.names = tuple(names)

    def join(self, bytes event, bytes time, dict texts):
        """The event with a text at its end, and `time` before its members as `timestamp` unless that is None.

        The text, members each after a comma, is found by a number: the sum of 1 << place of the names that the
        event has. The number itself is returned when there is no text for it. None when the event is no object
        with members and plain keys, or needs more than a look. Whether its values are UTF-8 is not asked.
        """
        cdef uint64_t found = 0
        cdef bytes text
        cdef const char* begin = PyBytes_AS_STRING(event)
        cdef Py_ssize_t size = len(event)
        if size < 2 or begin[0] != c'{' or begin[size - 1] != c'}' or memchr(begin, c'\n', size) != NULL:
            return None
        if not self._look(begin, begin + size, &found):
            return None
        text = texts.get(found)
        if text is None:
            return found
        return write_joined(event, b"{" if time is None else b'{"timestamp":' + time + b",", text)

    cdef bint _look(self, const char* begin, const char* end, uint64_t* found):
        """Whether the case is clear; records which of the names the event has."""
        cdef const char* at = begin + 1
        cdef const char* key
        cdef int place
        while True:
            at = skip_blanks(at, end)
            if at >= end or at[0] != c'"':
                return False
            key, at = at + 1, skip_string(at + 1, end)
            if at == NULL or not is_plain_key(key, at - 1):
                return False
            place = self._find(key, at - 1 - key)
            if place >= MOST_NAMES:
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
            if at[0] == c'}':
                return at + 1 == end
            if at[0] != c',':
                return False
            at += 1

    cdef int _find(self, const char* key, Py_ssize_t length):
        """The position of a key among the names; -1 if it is not one of them."""
        cdef bytes name
        cdef int place = 0
        for name in self.names:
            if len(name) == length and equals_folded(key, PyBytes_AS_STRING(name), length):
                return place
            place += 1
        return -1


cdef bytes write_joined(bytes event, bytes head, bytes text):
    """The event with members added before and after its own."""
    cdef Py_ssize_t size = len(event) - 2
    cdef bytes joined = PyBytes_FromStringAndSize(NULL, len(head) + size + len(text) + 1)
    cdef char* at = PyBytes_AS_STRING(joined)
    memcpy(at, PyBytes_AS_STRING(head), len(head))
    at += len(head)
    memcpy(at, PyBytes_AS_STRING(event) + 1, size)
    at += size
    memcpy(at, PyBytes_AS_STRING(text), len(text))
    at[len(text)] = c'}'
    return joined


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
