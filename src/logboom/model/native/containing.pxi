# Which texts of a column contain a word; `model.containing` says what that means.

cdef extern from "native/containing.h" nogil:
    ctypedef struct Word:
        const uint8_t* letters
        const uint8_t* cases
        int64_t length
        int64_t rare
        int64_t second
        bint has_odd

    ctypedef struct Letters:
        pass

    Letters spread_letters(const Word* word)
    bint contains_word(const uint8_t* text, int64_t length, const Word* word, const Letters* letters)
    bint has_odd_case(const uint8_t* text, int64_t length)

cdef bytes COMMON = b"e0123456789taoinsr /lhd.c:u-m_pf=gywbv,"
"""The characters of log lines, the most frequent first."""


cdef class Words:
    """Words to search for, prepared once: ASCII, not empty, in lower case."""

    cdef Word* words
    cdef int64_t count
    cdef list kept

    def __cinit__(self, words):
        self.words = <Word*>take_memory(len(words), sizeof(Word))
        self.count, self.kept = len(words), []
        for at, word in enumerate(words):
            self.prepare(&self.words[at], word)

    def __dealloc__(self):
        free(self.words)

    cdef int prepare(self, Word* target, bytes word) except -1:
        cdef bytes cases = bytes(0x20 if 97 <= letter <= 122 else 0 for letter in word)
        places = sorted(range(len(word)), key=lambda at: COMMON.find(word[at:at + 1]) % 256, reverse=True)
        self.kept += [word, cases]
        target.letters = <const uint8_t*>PyBytes_AS_STRING(word)
        target.cases = <const uint8_t*>PyBytes_AS_STRING(cases)
        target.length, target.rare, target.second = len(word), places[0], places[1 % len(word)]
        target.has_odd = b"k" in word or b"s" in word
        return 0


def find_texts(series, Words words):
    """The rows of a series of texts that contain one of the words, as a column of booleans.

    None where texts have letters beyond ASCII that are the same in another case.
    """
    capsule = series.__arrow_c_stream__()
    cdef ArrowArrayStream* stream = <ArrowArrayStream*>PyCapsule_GetPointer(capsule, b"arrow_array_stream")
    cdef int64_t rows = len(series), done = 0, at
    cdef ArrowArray* target
    cdef ArrowArray array
    cdef bint is_sure = True
    cdef ArrowColumn found = new_column(FORMATS[<int>BOOL], rows, 2, NULL, &target)
    cdef uint8_t* bits = <uint8_t*>take_memory((rows + 7) // 8, 1)
    target.buffers[1] = bits
    check_format(stream, STR)
    memset(&array, 0, sizeof(array))
    with nogil:
        while stream.get_next(stream, &array) == 0 and array.release != NULL:
            for at in range(words.count):
                is_sure &= mark_found(&array, &words.words[at], bits, done)
            done += array.length
            array.release(&array)
    if done < rows:
        raise ValueError("the column cannot be read")
    return found if is_sure else None


cdef bint mark_found(ArrowArray* array, const Word* word, uint8_t* bits, int64_t first) noexcept nogil:
    """Set the bits of the rows that contain the word, from bit `first` on; False if that cannot be decided."""
    cdef Letters letters = spread_letters(word)
    cdef const uint8_t* valid = <const uint8_t*>array.buffers[0]
    cdef const View* view = <const View*>array.buffers[1] + array.offset
    cdef int64_t row, bit = first
    cdef const uint8_t* text
    for row in range(array.offset, array.offset + array.length):
        if valid == NULL or valid[row >> 3] >> (row & 7) & 1:
            text = <const uint8_t*>locate_text(array, view)
            if contains_word(text, view.length, word, &letters):
                bits[bit >> 3] |= 1 << (bit & 7)
            elif word.has_odd and has_odd_case(text, view.length):
                return False
        view += 1
        bit += 1
    return True
