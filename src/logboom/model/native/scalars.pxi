# JSON strings and numbers in C: exact, or refused so that the Python definition decides.
#
# Every reader returns NULL (or False) for whatever it is not entirely sure about.

cdef enum Type:
    STR = 0
    INT = 1
    FLOAT = 2
    BOOL = 3
    LIST = 4  # added to the type of the elements
    NULL_VALUE = 8

ctypedef struct Item:
    # One scalar: its token (without quotes) and, for numbers and booleans, its value.
    const char* start
    int32_t length
    int32_t type
    bint escaped
    int64_t integer
    double real

cdef double[23] POWERS_OF_TEN
cdef int _power
POWERS_OF_TEN[0] = 1.0
for _power in range(1, 23):
    POWERS_OF_TEN[_power] = POWERS_OF_TEN[_power - 1] * 10.0

cdef uint64_t LARGEST_INTEGER = 0x7FFFFFFFFFFFFFFFULL
cdef extern from * nogil:
    """
    #define ONES 0x0101010101010101ULL
    #define HIGHS 0x8080808080808080ULL
    #define count_zeros(word) __builtin_ctzll(word)
    """
    const uint64_t ONES
    const uint64_t HIGHS
    int count_zeros(uint64_t word)  # below the lowest bit that is set


cdef const char* skip_blanks(const char* at, const char* end) noexcept nogil:
    while at < end and (at[0] == c' ' or at[0] == c'\t' or at[0] == c'\r' or at[0] == c'\n'):
        at += 1
    return at


cdef inline uint64_t mark_byte(uint64_t word, uint64_t pattern) noexcept nogil:
    """Not 0 if a byte of the word equals that of the pattern; the lowest set bit is the top bit of the first such byte."""
    cdef uint64_t mixed = word ^ pattern
    return (mixed - ONES) & ~mixed & HIGHS


cdef inline bint has_byte(uint64_t word, uint64_t pattern) noexcept nogil:
    return mark_byte(word, pattern) != 0


cdef inline int hex_digit(char c) noexcept nogil:
    if c'0' <= c <= c'9':
        return c - c'0'
    if c'a' <= c <= c'f':
        return c - c'a' + 10
    if c'A' <= c <= c'F':
        return c - c'A' + 10
    return -1


cdef int read_hex(const char* at) noexcept nogil:
    """Four hexadecimal digits, or -1."""
    cdef int value = 0, digit, i
    for i in range(4):
        digit = hex_digit(at[i])
        if digit < 0:
            return -1
        value = value * 16 + digit
    return value


cdef const char* check_escape(const char* at, const char* end) noexcept nogil:
    """Skip the escape whose backslash is at `at`; NULL for an invalid one or a lone surrogate."""
    cdef int high, low
    if end - at < 2:
        return NULL
    if at[1] != c'u':
        return at + 2 if is_plain_escape(at[1]) else NULL
    if end - at < 6:
        return NULL
    high = read_hex(at + 2)
    if high < 0 or 0xDC00 <= high <= 0xDFFF:
        return NULL
    if high < 0xD800 or high > 0xDBFF:
        return at + 6
    if end - at < 12 or at[6] != c'\\' or at[7] != c'u':
        return NULL
    low = read_hex(at + 8)
    return at + 12 if 0xDC00 <= low <= 0xDFFF else NULL


cdef inline bint is_plain_escape(char c) noexcept nogil:
    return (c == c'"' or c == c'\\' or c == c'/' or c == c'b' or c == c'f' or c == c'n' or c == c'r'
            or c == c't')


cdef const char* read_string(const char* at, const char* end, Item* item) noexcept nogil:
    """Read from after the opening quote to after the closing one."""
    cdef uint64_t word, marks
    item.type = STR
    item.start = at
    item.escaped = False
    while True:
        while end - at >= 8:
            memcpy(&word, at, 8)
            # The quotes, backslashes and control characters among these eight bytes.
            marks = (mark_byte(word, ONES * 0x22) | mark_byte(word, ONES * 0x5C)
                     | ((word - ONES * 0x20) & ~word & HIGHS))
            if marks:
                at += count_zeros(marks) >> 3
                break
            at += 8
        while at < end and at[0] != c'"' and at[0] != c'\\' and <uint8_t>at[0] >= 0x20:
            at += 1
        if at >= end:
            return NULL
        if at[0] == c'"':
            item.length = <int32_t>(at - item.start)
            return at + 1
        if at[0] == c'\\':
            item.escaped = True
            at = check_escape(at, end)
            if at == NULL:
                return NULL
        else:
            return NULL


cdef const char* read_number(const char* at, const char* end, Item* item) noexcept nogil:
    cdef const char* digits
    cdef uint64_t mantissa = 0
    cdef int32_t count = 0, fraction = 0, exponent = 0, sign = 1
    cdef bint negative = at[0] == c'-', whole = True
    item.start = at
    item.escaped = False
    if negative:
        at += 1
    digits = at
    while at < end and c'0' <= at[0] <= c'9':
        mantissa = mantissa * 10 + <uint64_t>(at[0] - c'0')
        at += 1
    count = <int32_t>(at - digits)
    if count == 0 or (count > 1 and digits[0] == c'0'):
        return NULL
    if at < end and at[0] == c'.':
        whole = False
        at += 1
        digits = at
        while at < end and c'0' <= at[0] <= c'9':
            mantissa = mantissa * 10 + <uint64_t>(at[0] - c'0')
            at += 1
        fraction = <int32_t>(at - digits)
        count += fraction
        if fraction == 0:
            return NULL
    if at < end and (at[0] == c'e' or at[0] == c'E'):
        whole = False
        at += 1
        if at < end and (at[0] == c'+' or at[0] == c'-'):
            sign = -1 if at[0] == c'-' else 1
            at += 1
        digits = at
        while at < end and c'0' <= at[0] <= c'9' and at - digits < 5:
            exponent = exponent * 10 + (at[0] - c'0')
            at += 1
        if at == digits or (at < end and c'0' <= at[0] <= c'9'):
            return NULL
    item.length = <int32_t>(at - item.start)
    if whole:
        if count > 19 or mantissa > LARGEST_INTEGER:
            return NULL
        item.type = INT
        item.integer = -<int64_t>mantissa if negative else <int64_t>mantissa
        return at
    item.type = FLOAT
    return at if read_float(item, mantissa, count, sign * exponent - fraction, negative) else NULL


cdef bint read_float(Item* item, uint64_t mantissa, int32_t count, int32_t exponent,
                     bint negative) noexcept nogil:
    """Exact in one operation if both factors are exact doubles, else by the C library.

    False where the double may not say all the digits of the text: its column could not give them back.
    """
    if count <= 15 and -22 <= exponent <= 22:
        item.real = <double>mantissa
        if exponent < 0:
            item.real /= POWERS_OF_TEN[-exponent]
        else:
            item.real *= POWERS_OF_TEN[exponent]
        if negative:
            item.real = -item.real
        return True
    item.real = strtod(item.start, NULL)
    if mantissa == 0 and item.real == 0 and count <= 19:
        return True
    if not 2.3e-308 < fabs(item.real) < 1.7e308:
        return False
    count -= count_leading_zeros(item.start)
    return count <= 15 or (count <= 17 and is_shortest(fabs(item.real), mantissa, count))


cdef int32_t count_leading_zeros(const char* number) noexcept nogil:
    cdef int32_t zeros = 0
    while number[0] == c'0' or number[0] == c'.' or number[0] == c'-':
        zeros += number[0] == c'0'
        number += 1
    return zeros


cdef bint is_shortest(double real, uint64_t mantissa, int32_t digits) noexcept nogil:
    """Whether `mantissa`, 16 or 17 digits, is the shortest text that reads as `real`."""
    cdef char[40] text
    cdef uint64_t nearest = 0
    cdef int exponent, at = 0
    snprintf(text, 40, b"%.*e", digits - 2, real)
    # Around a power of two doubles are unevenly spaced: the reasoning below would not hold.
    if strtod(text, NULL) == real or frexp(real, &exponent) == 0.5:
        return False
    snprintf(text, 40, b"%.*e", digits - 1, real)
    while text[at] != c'e':
        if c'0' <= text[at] <= c'9':
            nearest = nearest * 10 + <uint64_t>(text[at] - c'0')
        at += 1
    return nearest == mantissa


cdef const char* read_scalar(const char* at, const char* end, Item* item) noexcept nogil:
    """Read a string, number, boolean or null; NULL for anything else."""
    if at >= end:
        return NULL
    if at[0] == c'"':
        return read_string(at + 1, end, item)
    item.start = at
    item.escaped = False
    if at[0] == c't' and end - at >= 4 and memcmp(at, b"true", 4) == 0:
        item.type, item.integer, item.length = BOOL, 1, 4
        return at + 4
    if at[0] == c'f' and end - at >= 5 and memcmp(at, b"false", 5) == 0:
        item.type, item.integer, item.length = BOOL, 0, 5
        return at + 5
    if at[0] == c'n' and end - at >= 4 and memcmp(at, b"null", 4) == 0:
        item.type, item.length = NULL_VALUE, 4
        return at + 4
    if at[0] == c'-' or c'0' <= at[0] <= c'9':
        return read_number(at, end, item)
    return NULL


cdef int32_t unescape(const char* at, int32_t length, char* out) noexcept nogil:
    """Write the text of a checked JSON string as UTF-8; returns its length, never more than `length`."""
    cdef const char* end = at + length
    cdef char* begin = out
    cdef uint64_t point
    while at < end:
        if at[0] != c'\\':
            out[0] = at[0]
            out += 1
            at += 1
            continue
        if at[1] != c'u':
            out[0] = plain_escape(at[1])
            out += 1
            at += 2
            continue
        point = read_hex(at + 2)
        at += 6
        if 0xD800 <= point <= 0xDBFF:
            point = 0x10000 + ((point - 0xD800) << 10) + (<uint64_t>read_hex(at + 2) - 0xDC00)
            at += 6
        out += write_utf8(point, out)
    return <int32_t>(out - begin)


cdef inline char plain_escape(char c) noexcept nogil:
    if c == c'n':
        return 10
    if c == c't':
        return 9
    if c == c'r':
        return 13
    if c == c'b':
        return 8
    if c == c'f':
        return 12
    return c


cdef int write_utf8(uint64_t point, char* out) noexcept nogil:
    if point < 0x80:
        out[0] = <char>point
        return 1
    if point < 0x800:
        out[0] = <char>(0xC0 | (point >> 6))
        out[1] = <char>(0x80 | (point & 63))
        return 2
    if point < 0x10000:
        out[0] = <char>(0xE0 | (point >> 12))
        out[1] = <char>(0x80 | ((point >> 6) & 63))
        out[2] = <char>(0x80 | (point & 63))
        return 3
    out[0] = <char>(0xF0 | (point >> 18))
    out[1] = <char>(0x80 | ((point >> 12) & 63))
    out[2] = <char>(0x80 | ((point >> 6) & 63))
    out[3] = <char>(0x80 | (point & 63))
    return 4


cdef inline bint is_tail(const char* at) noexcept nogil:
    return (<uint8_t>at[0] & 0xC0) == 0x80


cdef bint is_utf8(const char* at, const char* end) noexcept nogil:
    cdef uint64_t word
    cdef uint8_t lead, second
    while at < end:
        if end - at >= 8:
            memcpy(&word, at, 8)
            if (word & HIGHS) == 0:
                at += 8
                continue
        lead = <uint8_t>at[0]
        if lead < 0x80:
            at += 1
            continue
        second = <uint8_t>at[1] if end - at > 1 else 0
        if 0xC2 <= lead <= 0xDF:
            if (second & 0xC0) != 0x80:
                return False
            at += 2
        elif 0xE0 <= lead <= 0xEF:
            if end - at < 3 or (second & 0xC0) != 0x80 or not is_tail(at + 2):
                return False
            if (lead == 0xE0 and second < 0xA0) or (lead == 0xED and second > 0x9F):
                return False
            at += 3
        elif 0xF0 <= lead <= 0xF4:
            if end - at < 4 or (second & 0xC0) != 0x80 or not is_tail(at + 2) or not is_tail(at + 3):
                return False
            if (lead == 0xF0 and second < 0x90) or (lead == 0xF4 and second > 0x8F):
                return False
            at += 4
        else:
            return False
    return True
