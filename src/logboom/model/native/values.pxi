# Concatenated JSON values in C; `model.values` says what they are.

cdef enum Place:
    VALUE
    FIRST_ITEM
    FIRST_KEY
    KEY
    COLON
    NEXT

cdef enum:
    DEEPEST = 258

assert DEEPEST == MAX_VALUE_DEPTH


def split_values(bytes data, int64_t at, int64_t most):
    """See `model.values.split_values`."""
    cdef const char* begin = PyBytes_AS_STRING(data)
    cdef const char* end = begin + len(data)
    cdef const char* stop = NULL
    cdef Bytes spans = Bytes(NULL, 0, 0)
    cdef bint fits
    try:
        with nogil:
            fits = find_values(begin, begin + at, end, most, &spans, &stop)
        if not fits:
            raise MemoryError
        return Split(to_array(&spans), None if stop == NULL else stop - begin)
    finally:
        free(spans.data)


cdef bint find_values(const char* begin, const char* at, const char* end, int64_t most, Bytes* spans,
                      const char** stop) noexcept nogil:
    """Note the spans, and the place of what is no value; False when memory runs out."""
    cdef int64_t[2] span
    at = skip_blanks(at, end)
    while at < end and spans.length < most * 16:
        span[0] = at - begin
        if not skip_value(&at, end):
            stop[0] = at
            return True
        span[1] = at - begin
        if not append(spans, span, 16):
            return False
        at = skip_blanks(at, end)
    return True


cdef bint skip_value(const char** position, const char* end) noexcept nogil:
    """Step behind the value, or to the token that is wrong; False for the latter."""
    cdef bint[DEEPEST] is_object
    cdef int32_t depth = 0
    cdef Place place = VALUE
    cdef const char* at = position[0]
    while True:
        at = skip_blanks(at, end)
        position[0] = at
        if at >= end:
            return False
        if place == COLON:
            if at[0] != c':':
                return False
            at, place = at + 1, VALUE
            continue
        if place == NEXT and at[0] == c',':
            at, place = at + 1, KEY if is_object[depth - 1] else VALUE
            continue
        if (place == KEY or place == FIRST_KEY) and at[0] == c'"':
            at, place = skip_string(at + 1, end), COLON
            if at == NULL:
                return False
            continue
        if (place == VALUE or place == FIRST_ITEM) and (at[0] == c'{' or at[0] == c'['):
            if depth == DEEPEST:
                return False
            is_object[depth] = at[0] == c'{'
            place = FIRST_KEY if is_object[depth] else FIRST_ITEM
            at, depth = at + 1, depth + 1
            continue
        if place != VALUE and place != KEY and at[0] == (c'}' if is_object[depth - 1] else c']'):
            at, depth = at + 1, depth - 1
        else:
            at = skip_scalar(at, end) if place == VALUE or place == FIRST_ITEM else NULL
            if at == NULL:
                return False
        if depth == 0:
            position[0] = at
            return True
        place = NEXT


cdef const char* skip_scalar(const char* at, const char* end) noexcept nogil:
    """Behind the string, number, boolean or null; NULL when it is none."""
    if at[0] == c'"':
        return skip_string(at + 1, end)
    if end - at >= 4 and (memcmp(at, b"true", 4) == 0 or memcmp(at, b"null", 4) == 0):
        return at + 4
    if end - at >= 5 and memcmp(at, b"false", 5) == 0:
        return at + 5
    return skip_number(at, end)


cdef const char* skip_string(const char* at, const char* end) noexcept nogil:
    """From behind the opening quote to behind the closing one; NULL when it is no JSON string."""
    cdef uint64_t word
    while True:
        while end - at >= 8:
            memcpy(&word, at, 8)
            if (has_byte(word, ONES * 0x22) or has_byte(word, ONES * 0x5C)
                    or ((word - ONES * 0x20) & ~word & HIGHS) != 0):
                break
            at += 8
        while at < end and at[0] != c'"' and at[0] != c'\\' and <uint8_t>at[0] >= 0x20:
            at += 1
        if at >= end or <uint8_t>at[0] < 0x20:
            return NULL
        if at[0] == c'"':
            return at + 1
        if end - at >= 2 and is_plain_escape(at[1]):
            at += 2
        elif end - at >= 6 and at[1] == c'u' and read_hex(at + 2) >= 0:
            at += 6
        else:
            return NULL


cdef const char* skip_number(const char* at, const char* end) noexcept nogil:
    """Behind as much as is a number; NULL when nothing is."""
    cdef const char* behind
    if at < end and at[0] == c'-':
        at += 1
    behind = skip_digits(at, end)
    if behind == at:
        return NULL
    at = at + 1 if at[0] == c'0' else behind
    if at < end and at[0] == c'.':
        behind = skip_digits(at + 1, end)
        at = behind if behind > at + 1 else at
    if at < end and (at[0] == c'e' or at[0] == c'E'):
        behind = at + 2 if end - at > 1 and (at[1] == c'+' or at[1] == c'-') else at + 1
        at = skip_digits(behind, end) if skip_digits(behind, end) > behind else at
    return at


cdef inline const char* skip_digits(const char* at, const char* end) noexcept nogil:
    while at < end and c'0' <= at[0] <= c'9':
        at += 1
    return at
