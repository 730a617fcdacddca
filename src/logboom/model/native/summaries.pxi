# Column summaries in C; `model.summary` says what they are.

cdef enum:
    VALUE_TABLE_SIZE = 1024

cdef int32_t MAX_VALUES = MAX_COUNTED_VALUES
cdef int64_t MAX_BYTES = MAX_COUNTED_BYTES
cdef int64_t BITS = BITS_PER_VALUE
cdef int32_t PROBE_COUNT = PROBES

ctypedef struct Counted:
    uint64_t hash
    int64_t first  # element that showed the value first
    int64_t count


cdef object summarise_column(ColumnData* column, bint filtered):
    """See `model.summary.summarise`; `filtered` False leaves values and filter out."""
    cdef int64_t rows = column.rows.length // sizeof(int32_t)
    if not filtered:
        return ColumnSummary(rows, trigrams=make_trigrams(column), long_words=make_long_words(column))
    low, high = find_range(column)
    if column.type < LIST:
        values = count_values(column)
        if values is not None:
            return ColumnSummary(rows, values, None, low, high)
    bloom = make_bloom(column) if needs_bloom(column.elements, low, high) else None
    return ColumnSummary(rows, None, bloom, low, high, make_trigrams(column))


cdef inline void read_element(ColumnData* column, int64_t at, const char** start, int64_t* length) noexcept nogil:
    """The bytes of one element."""
    cdef int32_t element = column.type & 3
    cdef int64_t begin
    if element == STR:
        begin = (<int64_t*>column.ends.data)[at - 1] if at else 0
        start[0] = column.values.data + begin
        length[0] = (<int64_t*>column.ends.data)[at] - begin
    elif element == BOOL:
        start[0], length[0] = column.values.data + at, 1
    else:
        start[0], length[0] = column.values.data + at * 8, 8


cdef object read_value(ColumnData* column, int64_t at):
    cdef const char* start
    cdef int64_t length
    cdef int32_t element = column.type & 3
    read_element(column, at, &start, &length)
    if element == STR:
        return start[:length].decode()
    if element == INT:
        return (<int64_t*>start)[0]
    if element == FLOAT:
        return (<double*>start)[0]
    return start[0] != 0


cdef uint64_t hash_bytes(const char* start, int64_t length) noexcept nogil:
    """The hash of the filters in files, see `model.summary.hash_value`."""
    cdef uint64_t number = 14695981039346656037ULL
    cdef int64_t at
    for at in range(length):
        number = (number ^ <uint8_t>start[at]) * 1099511628211ULL
    number = (number ^ (number >> 32)) * 0x9E3779B97F4A7C15ULL
    return number ^ (number >> 29)


cdef list count_values(ColumnData* column):
    """Each distinct value and its count; None if there are too many to count cheaply."""
    cdef Counted[VALUE_TABLE_SIZE] table
    cdef int64_t[1024] order
    cdef int32_t distinct = 0, probes
    cdef uint64_t place
    cdef int64_t at, length, known_length, size = 0
    cdef const char* start
    cdef const char* known
    cdef uint64_t hash
    cdef double zero = 0.0
    memset(table, 0, sizeof(table))
    for at in range(column.elements):
        read_element(column, at, &start, &length)
        if column.type == FLOAT and (<double*>start)[0] == 0:
            start = <const char*>&zero
        hash = <uint8_t>start[0] if column.type == BOOL else hash_seeded(0, start, length)
        place = hash & (VALUE_TABLE_SIZE - 1)
        probes = 0
        while table[place].count:
            if table[place].hash == hash:
                read_element(column, table[place].first, &known, &known_length)
                if column.type == FLOAT:
                    if (<double*>known)[0] == (<double*>start)[0]:
                        break
                elif known_length == length and memcmp(known, start, length) == 0:
                    break
            probes += 1
            if probes == MOST_PROBES:
                return None
            place = (place + 1) & (VALUE_TABLE_SIZE - 1)
        if table[place].count == 0:
            size += 8 if column.type == BOOL else length
            if distinct == MAX_VALUES or size > MAX_BYTES:
                return None
            table[place].hash, table[place].first = hash, at
            order[distinct] = place
            distinct += 1
        table[place].count += 1
    return [(read_value(column, table[order[at]].first), table[order[at]].count) for at in range(distinct)]


cdef tuple find_range(ColumnData* column):
    cdef int64_t at
    cdef int64_t* integers = <int64_t*>column.values.data
    cdef double* reals = <double*>column.values.data
    cdef int64_t low, high
    cdef double least, greatest
    if column.elements == 0 or column.type & 3 == STR or column.type & 3 == BOOL:
        return None, None
    if column.type & 3 == INT:
        low = high = integers[0]
        for at in range(column.elements):
            low, high = min(low, integers[at]), max(high, integers[at])
        return low, high
    least = greatest = reals[0]
    for at in range(column.elements):
        least, greatest = min(least, reals[at]), max(greatest, reals[at])
    return least, greatest


cdef bytes make_bloom(ColumnData* column):
    cdef int64_t size = fit_parts((column.elements * BITS + 7) // 8)
    cdef uint64_t parts = count_parts(size), part_bytes = size // parts
    cdef bytes bloom = bytes(size)
    cdef uint8_t* bits = <uint8_t*>PyBytes_AS_STRING(bloom)
    cdef int64_t at, length
    cdef const char* start
    cdef double zero = 0.0
    cdef int64_t flag
    cdef uint64_t hash
    cdef bint plain
    for at in range(column.elements):
        read_element(column, at, &start, &length)
        if column.type & 3 == STR:
            hash = hash_folded(start, length, &plain)
            if not plain:
                hash = hash_value(start[:length].decode())
        elif column.type & 3 == BOOL:
            flag = start[0] != 0
            hash = hash_bytes(<const char*>&flag, 8)
        elif column.type & 3 == FLOAT and (<double*>start)[0] == 0:
            hash = hash_bytes(<const char*>&zero, 8)
        else:
            hash = hash_bytes(start, length)
        set_bits(bits + (((hash >> 32) * parts) >> 32) * part_bytes, part_bytes * 8, hash, PROBE_COUNT)
    return bloom


cdef uint64_t hash_folded(const char* start, int64_t length, bint* plain) noexcept nogil:
    """The hash of an ASCII text in lower case; `plain` is False for any other text."""
    cdef uint64_t number = 14695981039346656037ULL
    cdef uint8_t byte
    cdef int64_t at
    plain[0] = True
    for at in range(length):
        byte = <uint8_t>start[at]
        if byte >= 0x80:
            plain[0] = False
            return 0
        if c'A' <= byte <= c'Z':
            byte += 32
        number = (number ^ byte) * 1099511628211ULL
    number = (number ^ (number >> 32)) * 0x9E3779B97F4A7C15ULL
    return number ^ (number >> 29)
