# What scanning finds in lines, kept so that building a block need not parse them again.
#
# A line is the number of its form and a word for each value: the value itself, or where a text is. Lines
# without a form are parsed again.

cdef enum:
    MAX_FORMS = 4096
    MAX_FORM_BYTES = 4194304
    FORM_BYTES = 256  # about what a form takes beside its texts and columns
    FORM_COLUMN_BYTES = 16

cdef int64_t MOST_LINES_WITH_FULL_FORMS = 1000000


cdef class Forms:
    """What lines of equal signatures have in common: their shapes, and the columns of their values.

    Each is described once, with the interpreter lock, and can then be used by other threads.
    """

    cdef Signatures signatures
    cdef list described  # (shape, field names, types); empty when retired
    cdef int64_t size_bytes
    cdef int64_t lines  # that were scanned since it was full

    def __cinit__(self):
        self.signatures = Signatures(4 * MAX_FORMS)
        self.described = []

    cdef bint is_full(self) noexcept nogil:
        return self.signatures.count >= MAX_FORMS or self.size_bytes >= MAX_FORM_BYTES

    cdef void count_lines(self, int64_t lines) noexcept:
        self.lines += lines if self.is_full() else 0

    cdef bint is_outdated(self) noexcept:
        """Whether many lines were scanned since there was room for more forms."""
        return self.lines > MOST_LINES_WITH_FULL_FORMS

    cdef int add(self, Parser parser) except -1:
        """Describe the last parsed event, whose signature is new."""
        cdef Bytes shape = Bytes(NULL, 0, 0)
        cdef Leaf* leaf
        cdef int32_t at
        names, types = [], []
        for at in range(parser.leaf_count):
            leaf = &parser.leaves[at]
            if leaf.field >= 0:
                names.append(parser.field_names[leaf.field])
                types.append(leaf.item.type)
        try:
            if not parser.describe(&shape) or self.signatures.add(parser) < 0:
                raise MemoryError
            self.described.append((shape.data[:shape.length], tuple(names), tuple(types)))
        finally:
            free(shape.data)
        self.size_bytes += FORM_BYTES + shape.length + len(names) * FORM_COLUMN_BYTES
        return 0

    cdef int retire(self) except -1:
        """Free the memory; lines of these forms that still wait are parsed again."""
        self.described = []
        return 0


cdef class Readings:
    """The forms and values of the lines of a batch, or of all but its first lines."""

    cdef Forms forms
    cdef Bytes numbers  # int32: the form of each line, or NO_SIGNATURE
    cdef Bytes first_words  # int32
    cdef Bytes words
    cdef int64_t most_bytes  # of words
    cdef Readings whole  # that holds the memory, if not this one
    cdef int64_t skipped

    def __cinit__(self, Forms forms, int64_t most_bytes, Readings whole=None, int64_t skipped=0):
        self.forms, self.most_bytes, self.whole, self.skipped = forms, most_bytes, whole, skipped

    def __dealloc__(self):
        free(self.numbers.data)
        free(self.first_words.data)
        free(self.words.data)

    @property
    def size_bytes(self) -> int:
        return self.numbers.capacity + self.first_words.capacity + self.words.capacity

    cdef bint finish(self) noexcept nogil:
        """Give back the memory that no line needed; False if memory runs out."""
        return shrink(&self.numbers) and shrink(&self.first_words) and shrink(&self.words)

    def skip(self, int64_t lines):
        """See `model.batch.Readings`."""
        return Readings(self.forms, 0, self if self.whole is None else self.whole, self.skipped + lines)

    cdef bint note(self, int32_t form, Parser parser, const char* line) noexcept nogil:
        """Add the last parsed event; False if memory runs out."""
        cdef int32_t first = <int32_t>(self.words.length // 8)
        cdef int64_t needed = (parser.leaf_count * 2 + parser.element_count) * 8
        if form != NO_SIGNATURE and self.words.length + needed > self.most_bytes:
            form = NO_SIGNATURE
        if not append(&self.numbers, &form, 4) or not append(&self.first_words, &first, 4):
            return False
        return form == NO_SIGNATURE or (reserve(&self.words, needed) and self._add_words(parser, line))

    cdef bint _add_words(self, Parser parser, const char* line) noexcept nogil:
        cdef int64_t* words = <int64_t*>(self.words.data + self.words.length)
        cdef int64_t* begin = words
        cdef Leaf* leaf
        cdef int32_t at, element
        for at in range(parser.leaf_count):
            leaf = &parser.leaves[at]
            if leaf.field < 0:
                continue
            if leaf.item.type < LIST:
                words[0] = pack_item(&leaf.item, line)
                words += 1
                continue
            words[0] = leaf.count
            words += 1
            for element in range(leaf.first, leaf.first + leaf.count):
                words[0] = pack_item(&parser.elements[element], line)
                words += 1
        self.words.length += (words - begin) * 8
        return True


cdef inline int64_t pack_item(Item* item, const char* line) noexcept nogil:
    """A value as one word: a text as its place in the line, its length, and whether it is escaped."""
    cdef int64_t word
    if item.type == STR:
        return (item.start - line) << 32 | <int64_t>item.length << 1 | item.escaped
    if item.type == FLOAT:
        memcpy(&word, &item.real, 8)
        return word
    return item.integer


cdef inline void unpack_item(int64_t word, int32_t type, const char* line, Item* item) noexcept nogil:
    if type == STR:
        item.start = line + (word >> 32)
        item.length = <int32_t>(word >> 1 & 0x7FFFFFFF)
        item.escaped = word & 1
    elif type == FLOAT:
        memcpy(&item.real, &word, 8)
    else:
        item.integer = word
