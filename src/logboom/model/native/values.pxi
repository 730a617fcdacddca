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


def split_values(bytes data, int64_t at, int64_t most, end=None, *, bint is_list=False):
    """See `model.values.split_values`."""
    cdef const char* begin = PyBytes_AS_STRING(data)
    cdef const char* last = begin + (len(data) if end is None else min(<int64_t>end, <int64_t>len(data)))
    cdef const char* stop = NULL
    cdef Bytes spans = Bytes(NULL, 0, 0)
    cdef bint fits
    try:
        with nogil:
            fits = find_values(begin, begin + at, last, most, is_list, &spans, &stop)
        if not fits:
            raise MemoryError
        return Split(to_array(&spans), None if stop == NULL else stop - begin)
    finally:
        free(spans.data)


cdef bint find_values(const char* begin, const char* at, const char* end, int64_t most, bint is_list,
                      Bytes* spans, const char** stop) noexcept nogil:
    """Record the spans of values, and the position of anything else; False if memory runs out."""
    cdef int64_t[2] span
    at = skip_between(at, end, is_list)
    while at < end and spans.length < most * 16:
        span[0] = at - begin
        if not skip_value(&at, end):
            stop[0] = at
            return True
        span[1] = at - begin
        if not append(spans, span, 16):
            return False
        at = skip_between(at, end, is_list)
    return True


cdef const char* skip_between(const char* at, const char* end, bint is_list) noexcept nogil:
    at = skip_blanks(at, end)
    while is_list and at < end and (at[0] == c',' or at[0] == c'[' or at[0] == c']'):
        at = skip_blanks(at + 1, end)
    return at


cdef bint skip_value(const char** position, const char* end) noexcept nogil:
    """Skip a value; False at an invalid token, where it stops."""
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
    """The end of a string, number, boolean or null; NULL if it is none of these."""
    if at[0] == c'"':
        return skip_string(at + 1, end)
    if end - at >= 4 and (memcmp(at, b"true", 4) == 0 or memcmp(at, b"null", 4) == 0):
        return at + 4
    if end - at >= 5 and memcmp(at, b"false", 5) == 0:
        return at + 5
    return skip_number(at, end)


cdef const char* skip_string(const char* at, const char* end) noexcept nogil:
    """Read from after the opening quote to after the closing one; NULL if it is not a JSON string."""
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
    """The end of a number; NULL if there is none."""
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


def find_odd_line(bytes data, int64_t at):
    """See `model.values.find_odd_line`."""
    cdef const char* begin = PyBytes_AS_STRING(data)
    cdef const char* end = begin + len(data)
    cdef const char* line = begin + at
    cdef const char* stop
    with nogil:
        while line < end:
            stop = <const char*>memchr(line, c'\n', end - line)
            if stop == NULL:
                stop = end
            if not looks_like_object(line, stop):
                break
            line = stop + 1
    return min(line, end) - begin


cdef bint looks_like_object(const char* at, const char* end) noexcept nogil:
    cdef const char* closing
    while at < end and is_line_blank(at[0]):
        at += 1
    while at < end and is_line_blank(end[-1]):
        end -= 1
    if at == end:
        return True
    if at[0] != c'{' or end[-1] != c'}':
        return False
    if not may_be_several(at, end):
        return True
    closing = find_closing(at, end)
    return closing == NULL or closing == end


cdef inline bint is_line_blank(char c) noexcept nogil:
    return c == c' ' or c == c'\t' or c == c'\r'


cdef bint may_be_several(const char* at, const char* end) noexcept nogil:
    """Whether a brace closes and the next one opens, with only blanks and commas between them."""
    while True:
        at = <const char*>memchr(at, c'}', end - at)
        if at == NULL:
            return False
        at += 1
        while at < end and (is_line_blank(at[0]) or at[0] == c','):
            at += 1
        if at == end:
            return False
        if at[0] == c'{':
            return True


cdef const char* find_closing(const char* at, const char* end) noexcept nogil:
    """The position after the brace that closes the first one; NULL if none does."""
    cdef int64_t depth = 0
    while at < end:
        if at[0] == c'"':
            at = find_quote(at + 1, end)
            if at == NULL:
                return NULL
        elif at[0] == c'{':
            depth += 1
        elif at[0] == c'}':
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return NULL


cdef const char* find_quote(const char* at, const char* end) noexcept nogil:
    """The quote that ends a string; NULL if there is none."""
    cdef uint64_t word
    while at < end:
        while end - at >= 8:
            memcpy(&word, at, 8)
            if has_byte(word, ONES * 0x22) or has_byte(word, ONES * 0x5C):
                break
            at += 8
        while at < end and at[0] != c'"' and at[0] != c'\\':
            at += 1
        if at < end and at[0] == c'"':
            return at
        at += 2
    return NULL
