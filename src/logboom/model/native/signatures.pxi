# Signatures by number: events of equal signatures have the same shape, and values for the same columns.

cdef enum:
    NO_SIGNATURE = -1


cdef class Signatures:
    """Signatures of one parser in the order in which they were added."""

    cdef Bytes tokens, spans
    cdef readonly int32_t count
    cdef int32_t* table  # of numbers + 1
    cdef int64_t table_size
    cdef int32_t last  # found, which is often the next as well
    cdef uint64_t place  # where the last one that was not found belongs
    cdef int64_t collisions

    def __cinit__(self, int64_t table_size):
        """The size must be a power of two."""
        self.table_size = table_size
        self.table = <int32_t*>take_memory(table_size, sizeof(int32_t))

    def __dealloc__(self):
        free(self.table)
        free(self.tokens.data)
        free(self.spans.data)

    cdef int32_t find(self, Parser parser) noexcept nogil:
        """The number of the signature of the last parsed event, or NO_SIGNATURE."""
        cdef const char* tokens = <const char*>parser.signature
        cdef int64_t length = parser.signature_length * sizeof(uint32_t)
        cdef int32_t found, probe
        if self.last < self.count and self._is(self.last, tokens, length):
            return self.last
        self.place = hash_seeded(0, tokens, length) & (self.table_size - 1)
        for probe in range(MOST_PROBES):
            found = self.table[self.place] - 1
            if found < 0:
                break
            if self._is(found, tokens, length):
                self.last = found
                return found
            self.collisions += 1
            self.place = (self.place + 1) & (self.table_size - 1)
        return NO_SIGNATURE

    cdef inline bint _is(self, int32_t number, const char* tokens, int64_t length) noexcept nogil:
        cdef int64_t* span = <int64_t*>self.spans.data + 2 * number
        return span[1] == length and memcmp(self.tokens.data + span[0], tokens, length) == 0

    cdef int32_t add(self, Parser parser) noexcept nogil:
        """Number the signature that `find` just did not find; NO_SIGNATURE if memory runs out.

        Of more than the table holds well some may get several numbers.
        """
        cdef int64_t length = parser.signature_length * sizeof(uint32_t)
        cdef int64_t[2] span
        span[0], span[1] = self.tokens.length, length
        if not append(&self.tokens, parser.signature, length) or not append(&self.spans, span, sizeof(span)):
            return NO_SIGNATURE
        self.count += 1
        if self.count <= self.table_size // 2 and self.table[self.place] == 0:
            self.table[self.place] = self.count
        return self.count - 1
