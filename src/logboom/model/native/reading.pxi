# Columns taken from Arrow arrays, so that they can be summarised like those just built.

cdef struct ArrowArrayStream:
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*) noexcept nogil
    int (*get_next)(ArrowArrayStream*, ArrowArray*) noexcept nogil
    const char* (*get_last_error)(ArrowArrayStream*) noexcept nogil
    void (*release)(ArrowArrayStream*) noexcept nogil
    void* private_data

ctypedef struct View:
    # A text of an array of views: up to 12 bytes are in the view itself.
    int32_t length
    char[4] start
    int32_t buffer
    int32_t offset


cdef object summarise_series(column, series):
    """See `model.summary.summarise_series`."""
    cdef ColumnData data
    cdef ArrowArray array
    cdef ArrowArrayStream* stream
    cdef int status
    cdef bint done = False, fits
    capsule = series.__arrow_c_stream__()
    stream = <ArrowArrayStream*>PyCapsule_GetPointer(capsule, b"arrow_array_stream")
    memset(&data, 0, sizeof(data))
    data.type = TYPE_NUMBERS[column.kind]
    check_format(stream, data.type)
    try:
        while not done:
            memset(&array, 0, sizeof(array))
            with nogil:
                status = stream.get_next(stream, &array)
                done = status != 0 or array.release == NULL
                fits = done or read_array(&data, &array)
                if not done:
                    array.release(&array)
            if status:
                raise ValueError("the column cannot be read")
            if not fits:
                raise MemoryError
        return summarise_column(&data, column.field != "message")
    finally:
        free_column(&data)


cdef int check_format(ArrowArrayStream* stream, int32_t type) except -1:
    """Only the layouts that Polars uses for the types of columns can be read here."""
    cdef ArrowSchema schema
    cdef bytes found, expected
    memset(&schema, 0, sizeof(schema))
    if stream.get_schema(stream, &schema):
        raise ValueError("the column's type cannot be read")
    try:
        found = schema.format
        if type >= LIST:
            found += schema.children[0].format if schema.n_children else b""
        expected = (b"+L" if type >= LIST else b"") + [b"vu", b"l", b"g", b"b"][type & 3]
        if found != expected:
            raise ValueError(f"the column is of Arrow type {found!r}, expected {expected!r}")
    finally:
        schema.release(&schema)
    return 0


cdef bint read_array(ColumnData* column, ArrowArray* array) noexcept nogil:
    """Add the values of an array that are not null; False if memory runs out."""
    cdef const uint8_t* valid = <const uint8_t*>array.buffers[0]
    cdef const int64_t* ends
    cdef int64_t row, at
    for row in range(array.offset, array.offset + array.length):
        if valid != NULL and not valid[row >> 3] >> (row & 7) & 1:
            continue
        if not append_row(column, 0):
            return False
        if column.type < LIST:
            if not read_cell(column, array, row):
                return False
            continue
        ends = <const int64_t*>array.buffers[1]
        for at in range(ends[row], ends[row + 1]):
            if not read_cell(column, array.children[0], array.children[0].offset + at):
                return False
    return True


cdef bint read_cell(ColumnData* column, ArrowArray* array, int64_t at) noexcept nogil:
    """Add one value of an array of scalars."""
    cdef int32_t element = column.type & 3
    cdef const char* values = <const char*>array.buffers[1]
    cdef const View* view
    cdef uint8_t flag
    column.elements += 1
    if element == STR:
        view = <const View*>values + at
        if not append(&column.values, locate_text(array, view), view.length):
            return False
        return append(&column.ends, &column.values.length, sizeof(int64_t))
    if element == BOOL:
        flag = values[at >> 3] >> (at & 7) & 1
        return append(&column.values, &flag, 1)
    return append(&column.values, values + at * 8, 8)


cdef inline const char* locate_text(ArrowArray* array, const View* view) noexcept nogil:
    if view.length <= 12:
        return view.start
    return <const char*>array.buffers[2 + view.buffer] + view.offset
