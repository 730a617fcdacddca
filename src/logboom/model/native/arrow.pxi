# Finished columns, handed to Polars without a copy through the Arrow C data interface.

# The two structures of the Arrow C data interface.
cdef struct ArrowSchema:
    const char* format
    const char* name
    const char* metadata
    int64_t flags
    int64_t n_children
    ArrowSchema** children
    ArrowSchema* dictionary
    void (*release)(ArrowSchema*) noexcept nogil
    void* private_data

cdef struct ArrowArray:
    int64_t length
    int64_t null_count
    int64_t offset
    int64_t n_buffers
    int64_t n_children
    const void** buffers
    ArrowArray** children
    ArrowArray* dictionary
    void (*release)(ArrowArray*) noexcept nogil
    void* private_data


cdef class ArrowColumn:
    """One finished column; Polars takes it over by `__arrow_c_array__`, once."""

    cdef object schema, array

    def __arrow_c_array__(self, requested_schema=None):
        return self.schema, self.array


cdef const char** FORMATS = [b"U", b"l", b"g", b"b"]


cdef object export_column(ColumnData* column, int32_t rows):
    """The column as an Arrow array of `rows` values."""
    cdef int32_t present = <int32_t>(column.rows.length // sizeof(int32_t))
    cdef int32_t* at = <int32_t*>column.rows.data
    cdef int32_t element = column.type & 3
    cdef ArrowArray* array
    cdef ArrowSchema* schema
    cdef ArrowColumn target
    if column.type < LIST:
        array = new_array(rows, rows - present, 3 if element == STR else 2, 0)
        schema = new_schema(FORMATS[element], 0)
        array.buffers[0] = make_validity(at, present, rows)
        fill_values(array, column, at, present, rows)
    else:
        array = new_array(rows, rows - present, 2, 1)
        schema = new_schema(b"+L", 1)
        schema.children[0] = new_schema(FORMATS[element], 0)
        array.buffers[0] = make_validity(at, present, rows)
        array.buffers[1] = spread_ends(<int64_t*>column.list_ends.data, at, present, rows)
        array.children[0] = new_array(column.elements, 0, 3 if element == STR else 2, 0)
        fill_values(array.children[0], column, NULL, <int32_t>column.elements, column.elements)
    target = ArrowColumn()
    target.schema = PyCapsule_New(schema, b"arrow_schema", free_schema_capsule)
    target.array = PyCapsule_New(array, b"arrow_array", free_array_capsule)
    return target


cdef object export_words(int64_t* values, int64_t length):
    """An integer column without gaps; takes over the memory."""
    cdef ArrowArray* array = new_array(length, 0, 2, 0)
    cdef ArrowColumn target = ArrowColumn()
    array.buffers[1] = values
    target.schema = PyCapsule_New(new_schema(FORMATS[<int>INT], 0), b"arrow_schema", free_schema_capsule)
    target.array = PyCapsule_New(array, b"arrow_array", free_array_capsule)
    return target


cdef int fill_values(ArrowArray* array, ColumnData* column, int32_t* rows, int32_t present,
                     int64_t length) except -1:
    """Lay the present values out densely; without `rows` they are dense already."""
    cdef int32_t element = column.type & 3
    if element == STR:
        array.buffers[1] = spread_ends(<int64_t*>column.ends.data, rows, present, length)
        array.buffers[2] = column.values.data if column.values.data else <char*>take_memory(1)
        column.values.data = NULL
    elif element == BOOL:
        array.buffers[1] = pack_bits(<uint8_t*>column.values.data, rows, present, length)
    else:
        array.buffers[1] = spread_words(<int64_t*>column.values.data, rows, present, length)
    return 0


cdef void* take_memory(int64_t size) except NULL:
    cdef void* memory = calloc(1, max(size, 1))
    if memory == NULL:
        raise MemoryError
    return memory


cdef void* make_validity(int32_t* rows, int32_t present, int64_t length) except NULL:
    cdef uint8_t* bits = <uint8_t*>take_memory((length + 7) // 8)
    cdef int32_t at
    for at in range(present):
        bits[rows[at] >> 3] |= 1 << (rows[at] & 7)
    return bits


cdef void* spread_words(int64_t* values, int32_t* rows, int32_t present, int64_t length) except NULL:
    cdef int64_t* words = <int64_t*>take_memory(length * sizeof(int64_t))
    cdef int32_t at
    for at in range(present):
        words[rows[at] if rows else at] = values[at]
    return words


cdef void* pack_bits(uint8_t* values, int32_t* rows, int32_t present, int64_t length) except NULL:
    cdef uint8_t* bits = <uint8_t*>take_memory((length + 7) // 8)
    cdef int32_t at, row
    for at in range(present):
        row = rows[at] if rows else at
        bits[row >> 3] |= values[at] << (row & 7)
    return bits


cdef void* spread_ends(int64_t* ends, int32_t* rows, int32_t present, int64_t length) except NULL:
    """Offsets of every row; a missing one is as long as nothing."""
    cdef int64_t* offsets = <int64_t*>take_memory((length + 1) * sizeof(int64_t))
    cdef int64_t row = 0, end = 0
    cdef int32_t at
    for at in range(present):
        while row <= (rows[at] if rows else at):
            offsets[row] = end
            row += 1
        end = ends[at]
    while row <= length:
        offsets[row] = end
        row += 1
    return offsets


cdef ArrowArray* new_array(int64_t length, int64_t nulls, int64_t buffers, int64_t children) except NULL:
    cdef ArrowArray* array = <ArrowArray*>take_memory(sizeof(ArrowArray))
    array.length, array.null_count, array.n_buffers, array.n_children = length, nulls, buffers, children
    array.buffers = <const void**>take_memory(buffers * sizeof(void*))
    array.children = <ArrowArray**>take_memory(children * sizeof(void*))
    array.release = release_array
    return array


cdef ArrowSchema* new_schema(const char* format, int64_t children) except NULL:
    cdef ArrowSchema* schema = <ArrowSchema*>take_memory(sizeof(ArrowSchema))
    schema.format, schema.name, schema.flags, schema.n_children = format, b"item", 2, children
    schema.children = <ArrowSchema**>take_memory(children * sizeof(void*))
    schema.release = release_schema
    return schema


cdef void release_array(ArrowArray* array) noexcept nogil:
    cdef int64_t at
    for at in range(array.n_buffers):
        free(<void*>array.buffers[at])
    for at in range(array.n_children):
        if array.children[at].release != NULL:
            array.children[at].release(array.children[at])
        free(array.children[at])
    free(array.buffers)
    free(array.children)
    array.release = NULL


cdef void release_schema(ArrowSchema* schema) noexcept nogil:
    cdef int64_t at
    for at in range(schema.n_children):
        if schema.children[at].release != NULL:
            schema.children[at].release(schema.children[at])
        free(schema.children[at])
    free(schema.children)
    schema.release = NULL


cdef void free_array_capsule(object capsule) noexcept:
    cdef ArrowArray* array = <ArrowArray*>PyCapsule_GetPointer(capsule, b"arrow_array")
    if array.release != NULL:
        array.release(array)
    free(array)


cdef void free_schema_capsule(object capsule) noexcept:
    cdef ArrowSchema* schema = <ArrowSchema*>PyCapsule_GetPointer(capsule, b"arrow_schema")
    if schema.release != NULL:
        schema.release(schema)
    free(schema)
