# The filter of long words in C; `model.filters.longwords` says what it is.

cdef enum:
    WINDOW_LENGTH = 16
    PIECES_IN_WINDOW = 9
    FIRST_ROOM_BITS = 8
    NOT_IN_WORD = 0
    IN_WORD = 1
    NOT_ASCII = 2

cdef int64_t PIECE_BITS = BITS_PER_PIECE
cdef int64_t PIECES_PER_TEXT = MAX_PIECES_PER_TEXT
cdef int64_t LEAST_FILTER_BYTES = SMALLEST_FILTER_BYTES
cdef int32_t LONG_WORD_PROBE_COUNT = LONG_WORD_PROBES

ctypedef struct Pieces:
    uint64_t* slots  # a hash table of hashes; 0 is a free slot
    int32_t room_bits  # of the number of slots
    int64_t count
    int64_t limit
    bint has_zero
    uint8_t* folded  # room for a text in lower case
    int64_t folded_room

cdef uint8_t[256] LETTER_CLASSES
classify_letters()


cdef void classify_letters() noexcept:
    cdef int byte
    for byte in range(256):
        LETTER_CLASSES[byte] = NOT_ASCII if byte >= 128 else NOT_IN_WORD
    for byte in b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-":
        LETTER_CLASSES[byte] = IN_WORD


cdef object make_long_words(ColumnData* column):
    """See `model.longwords.make_long_words`; columns other than text have none."""
    cdef Pieces pieces
    cdef bint fits
    if column.type & 3 != STR:
        return None
    memset(&pieces, 0, sizeof(pieces))
    pieces.limit = PIECES_PER_TEXT * column.elements
    try:
        with nogil:
            fits = gather_pieces(column, &pieces)
        if pieces.count + pieces.has_zero > pieces.limit:
            return None
        if not fits:
            raise MemoryError
        return fill_filter(&pieces)
    finally:
        free(pieces.slots)
        free(pieces.folded)


cdef bytes fill_filter(Pieces* pieces):
    cdef int64_t count = pieces.count + pieces.has_zero
    cdef int64_t size = max(LEAST_FILTER_BYTES, (count * PIECE_BITS + 7) // 8), at
    cdef bytes bloom
    cdef uint8_t* bits
    if count == 0:
        return b""
    bloom = bytes(size)
    bits = <uint8_t*>PyBytes_AS_STRING(bloom)
    for at in range(count_slots(pieces)):
        if pieces.slots[at]:
            set_bits(bits, size * 8, pieces.slots[at] * 0x9E3779B97F4A7C15ULL, LONG_WORD_PROBE_COUNT)
    if pieces.has_zero:
        set_bits(bits, size * 8, 0, LONG_WORD_PROBE_COUNT)
    return bloom


cdef bint gather_pieces(ColumnData* column, Pieces* pieces) noexcept nogil:
    """False if there are too many of them, or too little memory."""
    cdef const uint8_t* data = <const uint8_t*>column.values.data
    cdef int64_t* ends = <int64_t*>column.ends.data
    cdef int64_t at, begin = 0
    for at in range(column.elements):
        if not gather_words(data + begin, data + ends[at], pieces):
            return False
        begin = ends[at]
    return True


cdef bint gather_words(const uint8_t* at, const uint8_t* end, Pieces* pieces) noexcept nogil:
    """Find the long words of a text. Most texts have none: only positions that a long word must cover are checked."""
    cdef const uint8_t* back
    while end - at >= WINDOW_LENGTH:
        back = at + WINDOW_LENGTH - 1
        while back >= at and LETTER_CLASSES[back[0]] == IN_WORD:
            back -= 1
        if back < at:
            back = at + WINDOW_LENGTH
            while back < end and LETTER_CLASSES[back[0]] == IN_WORD:
                back += 1
            if back < end and back[0] >= 128:
                return gather_folded(at, end, pieces)
            if not gather_word(at, back, pieces):
                return False
        elif back[0] >= 128:
            return gather_folded(at, end, pieces)
        at = back + 1
    return True


cdef bint gather_folded(const uint8_t* at, const uint8_t* end, Pieces* pieces) noexcept nogil:
    """The same for texts with letters beyond ASCII that fold to ASCII ones."""
    cdef Letter letter
    cdef int64_t length = 0
    cdef uint8_t* folded
    if pieces.folded_room < end - at:
        folded = <uint8_t*>realloc(pieces.folded, end - at)
        if folded == NULL:
            return False
        pieces.folded, pieces.folded_room = folded, end - at
    while at < end:
        letter = Letter(at[0], 1) if at[0] < BREAK else fold_letter(at, end - at)
        # A break is written as what no word has.
        pieces.folded[length] = c' ' if letter.byte == BREAK else <uint8_t>letter.byte
        length += 1
        at += letter.length
    return gather_words(pieces.folded, pieces.folded + length, pieces)


cdef bint gather_word(const uint8_t* at, const uint8_t* end, Pieces* pieces) noexcept nogil:
    """Add the piece with the lowest hash of each window of a word."""
    cdef int64_t window, newest, lowest = -1
    cdef uint64_t hash, low = 0
    for window in range(end - at - WINDOW_LENGTH + 1):
        newest = window + PIECES_IN_WINDOW - 1
        hash = hash_piece(at + newest)
        if lowest < window:
            lowest = find_lowest(at, window)
        elif hash < low:
            lowest = newest
        else:
            continue
        low = hash_piece(at + lowest)
        if not add_piece(low, pieces):
            return False
    return True


cdef inline int64_t find_lowest(const uint8_t* at, int64_t window) noexcept nogil:
    """The piece of a window with the lowest hash."""
    cdef int64_t place, lowest = window
    cdef uint64_t hash, low = hash_piece(at + window)
    for place in range(window + 1, window + PIECES_IN_WINDOW):
        hash = hash_piece(at + place)
        if hash < low:
            low, lowest = hash, place
    return lowest


cdef inline uint64_t hash_piece(const uint8_t* at) noexcept nogil:
    cdef uint64_t word
    memcpy(&word, at, 8)
    word = lower_word(word) * 0x9E3779B97F4A7C15ULL
    word = (word ^ word >> 32) * 0xD6E8FEB86659FD93ULL
    return word ^ word >> 32


cdef bint add_piece(uint64_t hash, Pieces* pieces) noexcept nogil:
    """False if there are too many, or too little memory."""
    cdef int64_t place
    if hash == 0:
        pieces.has_zero = True
        return True
    if 2 * pieces.count >= count_slots(pieces) and not grow_pieces(pieces):
        return False
    place = find_slot(pieces, hash)
    if pieces.slots[place] == 0:
        pieces.slots[place] = hash
        pieces.count += 1
    return pieces.count + pieces.has_zero <= pieces.limit


cdef inline int64_t count_slots(Pieces* pieces) noexcept nogil:
    return 1LL << pieces.room_bits if pieces.room_bits else 0


cdef inline int64_t find_slot(Pieces* pieces, uint64_t hash) noexcept nogil:
    """The slot of a hash. Texts come from outside, so which of them collide must be unpredictable."""
    cdef uint64_t spread = (hash ^ SEED.first) * (SEED.second | 1)
    cdef int64_t place = <int64_t>(spread >> (64 - pieces.room_bits)), last = count_slots(pieces) - 1
    while pieces.slots[place] and pieces.slots[place] != hash:
        place = (place + 1) & last
    return place


cdef bint grow_pieces(Pieces* pieces) noexcept nogil:
    cdef Pieces grown = pieces[0]
    cdef int64_t at
    grown.room_bits = pieces.room_bits + 2 if pieces.room_bits else FIRST_ROOM_BITS
    grown.slots = <uint64_t*>calloc(count_slots(&grown), sizeof(uint64_t))
    if grown.slots == NULL:
        return False
    for at in range(count_slots(pieces)):
        if pieces.slots[at]:
            grown.slots[find_slot(&grown, pieces.slots[at])] = pieces.slots[at]
    free(pieces.slots)
    pieces.slots, pieces.room_bits = grown.slots, grown.room_bits
    return True
