# Timestamps in C: exact, or refused so that the Python definition decides.

cdef int64_t NS_PER_S = 1_000_000_000
cdef const char* MONTH_NAMES = b"JanFebMarAprMayJunJulAugSepOctNovDec"


cdef inline int two_digits(const char* at) noexcept nogil:
    if c'0' <= at[0] <= c'9' and c'0' <= at[1] <= c'9':
        return (at[0] - c'0') * 10 + (at[1] - c'0')
    return -1


cdef inline int64_t days_from_civil(int64_t year, int month, int day) noexcept nogil:
    """Days since 1970 of a date of the proleptic Gregorian calendar, years after 0 only."""
    cdef int64_t shifted = year - 1 if month <= 2 else year
    cdef int64_t era = shifted // 400
    cdef int64_t of_era = shifted - era * 400
    cdef int64_t of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


cdef bint is_date(int64_t year, int month, int day) noexcept nogil:
    if not 1 <= month <= 12 or day < 1:
        return False
    if month == 2:
        return day <= (29 if (year % 4 == 0 and year % 100 != 0) or year % 400 == 0 else 28)
    return day <= (30 if month == 4 or month == 6 or month == 9 or month == 11 else 31)


cdef bint read_time(Item* item, int64_t* time_ns, char* format) noexcept nogil:
    """Read the common timestamp forms and name their format (16 bytes, zero filled)."""
    memset(format, 0, 16)
    if item.type == INT:
        format[0] = c'e'
        return scale_time(item.integer, time_ns, format)
    if item.type == FLOAT:
        return read_decimal(item.start, item.length, c'e', time_ns, format)
    if item.type == STR and not item.escaped:
        return (read_iso(item.start, item.length, time_ns, format)
                or read_apache(item.start, item.length, time_ns, format)
                or read_decimal(item.start, item.length, c'E', time_ns, format))
    return False


cdef bint read_decimal(const char* at, int32_t length, char kind, int64_t* time_ns, char* format) noexcept nogil:
    """Digits, optionally with a fraction that fits the unit."""
    cdef const char* end = at + length
    cdef const char* digits = at
    cdef uint64_t number = 0
    cdef int64_t fraction = 0
    cdef int room, count = 0
    while at < end and c'0' <= at[0] <= c'9':
        number = number * 10 + <uint64_t>(at[0] - c'0')
        at += 1
    if not 0 < at - digits <= 19 or digits[0] == c'0' or number > LARGEST_INTEGER:
        return False
    memset(format, 0, 16)
    format[0] = kind
    if not scale_time(<int64_t>number, time_ns, format):
        return False
    if at == end:
        return True
    room = 9 if format[1] == c's' else 6 if format[1] == c'm' else 3 if format[1] == c'u' else 0
    digits = at + 1
    if at[0] != c'.' or end == digits or end - digits > room:
        return False
    while digits + count < end:
        if not c'0' <= digits[count] <= c'9':
            return False
        fraction = fraction * 10 + (digits[count] - c'0')
        count += 1
    format[2] = <char>(c'0' + count)
    while count < room:
        fraction *= 10
        count += 1
    time_ns[0] += fraction
    return True


cdef bint scale_time(int64_t number, int64_t* time_ns, char* format) noexcept nogil:
    if number <= 0:
        return False
    if number < 9_000_000_000LL:
        format[1] = c's'
        time_ns[0] = number * NS_PER_S
    elif 100_000_000_000LL <= number < 9_000_000_000_000LL:
        format[1] = c'm'
        time_ns[0] = number * 1_000_000
    elif 100_000_000_000_000LL <= number < 9_000_000_000_000_000LL:
        format[1] = c'u'
        time_ns[0] = number * 1_000
    elif number >= 100_000_000_000_000_000LL:
        format[1] = c'n'
        time_ns[0] = number
    else:
        return False
    format[2] = c'0'
    return True


cdef bint read_iso(const char* at, int32_t length, int64_t* time_ns, char* format) noexcept nogil:
    cdef int year, month, day, hour, minute, second, digits = 0, offset = 0
    cdef int64_t fraction = 0
    cdef const char* end = at + length
    if length < 19 or at[4] != c'-' or at[7] != c'-' or at[13] != c':' or at[16] != c':':
        return False
    if at[10] != c'T' and at[10] != c' ':
        return False
    year = two_digits(at) * 100 + two_digits(at + 2)
    month, day = two_digits(at + 5), two_digits(at + 8)
    hour, minute, second = two_digits(at + 11), two_digits(at + 14), two_digits(at + 17)
    if two_digits(at) < 0 or two_digits(at + 2) < 0 or year < 1700 or year > 2200:
        return False
    if not is_date(year, month, day) or not 0 <= hour <= 23 or not 0 <= minute <= 59:
        return False
    if not 0 <= second <= 59:
        return False
    format[0], format[1], format[2] = c'i', at[10], c'.'
    at += 19
    if at < end and (at[0] == c'.' or at[0] == c','):
        format[2] = at[0]
        at += 1
        while at < end and c'0' <= at[0] <= c'9':
            fraction = fraction * 10 + (at[0] - c'0')
            digits += 1
            at += 1
            if digits > 9:
                return False
        if digits == 0:
            return False
    format[3] = <char>(c'0' + digits)
    while digits < 9:
        fraction *= 10
        digits += 1
    if end - at == 1 and at[0] == c'Z':
        format[4] = c'Z'
    elif end != at:
        if not read_zone(at, end - at, &offset):
            return False
        memcpy(format + 4, at, end - at)
    hour = hour * 3600 + minute * 60 + second - offset
    time_ns[0] = (days_from_civil(year, month, day) * 86400 + hour) * NS_PER_S + fraction
    return True


cdef bint read_zone(const char* at, int64_t length, int* offset_s) noexcept nogil:
    """`+hh:mm` or `+hhmm`, as seconds east."""
    cdef int hours, minutes
    if not (length == 6 and at[3] == c':' or length == 5) or (at[0] != c'+' and at[0] != c'-'):
        return False
    hours, minutes = two_digits(at + 1), two_digits(at + length - 2)
    if not 0 <= hours <= 23 or not 0 <= minutes <= 59:
        return False
    offset_s[0] = hours * 3600 + minutes * 60
    if at[0] == c'-':
        offset_s[0] = -offset_s[0]
    return True


cdef bint read_apache(const char* at, int32_t length, int64_t* time_ns, char* format) noexcept nogil:
    """`dd/Mon/yyyy:hh:mm:ss`, optionally with ` +hhmm`."""
    cdef int year, month, day, hour, minute, second, offset_s = 0
    if (length != 20 and length != 26) or at[2] != c'/' or at[6] != c'/' or at[11] != c':':
        return False
    if at[14] != c':' or at[17] != c':':
        return False
    month = 1
    while month <= 12 and memcmp(at + 3, MONTH_NAMES + 3 * (month - 1), 3) != 0:
        month += 1
    day, year = two_digits(at), two_digits(at + 7) * 100 + two_digits(at + 9)
    hour, minute, second = two_digits(at + 12), two_digits(at + 15), two_digits(at + 18)
    if two_digits(at + 7) < 0 or two_digits(at + 9) < 0 or year < 1700 or year > 2200 or month > 12:
        return False
    if not is_date(year, month, day) or not 0 <= hour <= 23 or not 0 <= minute <= 59 or not 0 <= second <= 59:
        return False
    memset(format, 0, 16)
    format[0] = c'c'
    if length == 26:
        if at[20] != c' ' or not read_zone(at + 21, 5, &offset_s):
            return False
        memcpy(format + 1, at + 21, 5)
    second += hour * 3600 + minute * 60 - offset_s
    time_ns[0] = (days_from_civil(year, month, day) * 86400 + second) * NS_PER_S
    return True
