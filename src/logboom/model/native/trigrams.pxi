# Trigram sets in C; `model.filters.trigrams` says what they are.

cdef enum:
    SET_WORDS = 4096
    BREAK = 0x80  # in place of a byte that is not ASCII
    BREAKS = 0x808080

cdef int64_t SET_BYTES = LARGEST_BYTES
cdef int64_t LEAST_BYTES = SMALLEST_BYTES
cdef int64_t HASH_LIMIT = MAX_HASHES


ctypedef struct Letter:
    uint64_t byte
    int64_t length  # bytes of the text that it takes


cdef object make_trigrams(ColumnData* column):
    """See `model.trigrams.make_trigrams`; columns other than text have none."""
    cdef uint64_t[SET_WORDS] words
    cdef uint8_t* bits = <uint8_t*>words
    cdef int64_t count = 0, size = LEAST_BYTES, at
    cdef bytes kept
    if column.type & 3 != STR:
        return None
    with nogil:
        memset(words, 0, sizeof(words))
        mark_texts(column, bits)
        for at in range(SET_WORDS):
            count += count_bits(words[at])
    if count > HASH_LIMIT:
        return None
    while size < min(count, SET_BYTES):
        size *= 2
    kept = bytes(size)
    fold_set(bits, <uint8_t*>PyBytes_AS_STRING(kept), size)
    return kept


cdef void mark_texts(ColumnData* column, uint8_t* bits) noexcept nogil:
    cdef const uint8_t* data = <const uint8_t*>column.values.data
    cdef int64_t* ends = <int64_t*>column.ends.data
    cdef int64_t at, begin = 0
    for at in range(column.elements):
        if not mark_ascii(data + begin, ends[at] - begin, bits):
            mark_mixed(data + begin, data + ends[at], bits)
        begin = ends[at]


cdef inline void mark(uint64_t trigram, uint8_t* bits) noexcept nogil:
    cdef uint64_t bit = trigram * 0x9E3779B97F4A7C15ULL >> 46
    bits[bit >> 3] |= 1 << (bit & 7)


cdef inline bint mark_ascii(const uint8_t* at, int64_t length, uint8_t* bits) noexcept nogil:
    """Mark a text eight bytes (six trigrams) at a time; False at a byte that is not ASCII."""
    cdef const uint8_t* last
    cdef uint64_t word = 0
    if length < 8:
        memcpy(&word, at, length)
        return mark_word(word, length - 2, bits)
    last = at + length - 8
    while at < last:
        memcpy(&word, at, 8)
        if not mark_word(word, 6, bits):
            return False
        at += 6
    # The last eight may overlap with those before: to mark twice is quicker than to tell how many are left.
    memcpy(&word, last, 8)
    return mark_word(word, 6, bits)


cdef inline bint mark_word(uint64_t word, int64_t count, uint8_t* bits) noexcept nogil:
    """Mark `count` trigrams from the first byte on, unless some byte is not ASCII."""
    cdef int64_t at
    if word & 0x8080808080808080ULL:
        return False
    word = lower_word(word)
    for at in range(count):
        mark(word >> at * 8 & 0xFFFFFF, bits)
    return True


cdef inline uint64_t lower_word(uint64_t word) noexcept nogil:
    """Eight ASCII bytes in lower case; the top bits of the sums show which are >= 'A' and which > 'Z'."""
    cdef uint64_t from_a = word + 0x3F3F3F3F3F3F3F3FULL, beyond_z = word + 0x2525252525252525ULL
    return word | (from_a & ~beyond_z & 0x8080808080808080ULL) >> 2


cdef void mark_mixed(const uint8_t* at, const uint8_t* end, uint8_t* bits) noexcept nogil:
    """Mark any text, one letter at a time."""
    cdef Letter letter
    cdef uint64_t run = BREAKS
    while at < end:
        letter = Letter(lower_word(at[0]), 1) if at[0] < BREAK else fold_letter(at, end - at)
        at += letter.length
        run = run >> 8 | letter.byte << 16
        if run & BREAKS == 0:
            mark(run, bits)


cdef Letter fold_letter(const uint8_t* at, int64_t left) noexcept nogil:
    """The ASCII letter that a letter beyond ASCII folds to, or a break."""
    if left > 1 and at[0] == 0xC5 and at[1] == 0xBF:
        return Letter(c's', 2)
    if left > 2 and at[0] == 0xE2 and at[1] == 0x84 and at[2] == 0xAA:
        return Letter(c'k', 3)
    if left > 1 and at[0] == 0xC4 and at[1] == 0xB0:
        # In lower case a mark follows the i; the second byte, left for the next turn, breaks the run like it.
        return Letter(c'i', 1)
    return Letter(BREAK, 1)


cdef inline int64_t count_bits(uint64_t word) noexcept nogil:
    word -= word >> 1 & 0x5555555555555555ULL
    word = (word & 0x3333333333333333ULL) + (word >> 2 & 0x3333333333333333ULL)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL
    return word * 0x0101010101010101ULL >> 56


cdef void fold_set(const uint8_t* bits, uint8_t* kept, int64_t size) noexcept nogil:
    """The union of all ranges of `size` bytes."""
    cdef int64_t stretch, at
    for stretch in range(SET_BYTES // size):
        for at in range(size):
            kept[at] |= bits[stretch * size + at]
