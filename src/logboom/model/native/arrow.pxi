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
    """One finished column; Polars takes ownership through `__arrow_c_array__`, once."""

    cdef object schema, array

    def __arrow_c_array__(self, requested_schema=None):
        return self.schema, self.array


cdef const char** FORMATS = [b"U", b"l", b"g", b"b"]


cdef ArrowColumn export_column(ColumnData* column, int64_t rows):
    """The column as an Arrow array of `rows` values; a text column hands its bytes over."""
    cdef int64_t present = column.rows.length // sizeof(int32_t)
    cdef int32_t* at = <int32_t*>column.rows.data
    cdef int32_t element = column.type & 3
    cdef ArrowArray* array
    cdef ArrowArray* child
    cdef ArrowColumn target
    if column.type < LIST:
        target = new_column(FORMATS[element], rows, count_buffers(element), NULL, &array)
        array.buffers[0] = make_validity(at, present, rows)
        fill_values(array, column, at, present, rows)
    else:
        target = new_column(b"+L", rows, 2, FORMATS[element], &array)
        array.buffers[0] = make_validity(at, present, rows)
        array.buffers[1] = spread_ends(<int64_t*>column.list_ends.data, at, present, rows)
        child = array.children[0] = new_array(column.elements, count_buffers(element), 0)
        fill_values(child, column, NULL, column.elements, column.elements)
    array.null_count = rows - present
    return target


cdef ArrowColumn new_words(int64_t length, int64_t** values):
    """An integer column without nulls, and the address for its values."""
    cdef ArrowArray* array
    cdef ArrowColumn target = new_column(FORMATS[<int>INT], length, 2, NULL, &array)
    values[0] = <int64_t*>take_memory(length, sizeof(int64_t))
    array.buffers[1] = values[0]
    return target


cdef ArrowColumn new_column(const char* format, int64_t length, int64_t buffers, const char* child_format,
                            ArrowArray** array):
    """A column whose buffers, and child if any, are set later; it frees what it was given."""
    cdef ArrowColumn target = ArrowColumn()
    cdef ArrowSchema* schema = new_schema(format, child_format != NULL)
    try:
        target.schema = PyCapsule_New(schema, b"arrow_schema", free_schema_capsule)
    except MemoryError:
        free_schema(schema)
        raise
    if child_format != NULL:
        schema.children[0] = new_schema(child_format, 0)
    array[0] = new_array(length, buffers, child_format != NULL)
    try:
        target.array = PyCapsule_New(array[0], b"arrow_array", free_array_capsule)
    except MemoryError:
        free_array(array[0])
        raise
    return target


cdef inline int64_t count_buffers(int32_t element) noexcept nogil:
    """The buffers of a column of scalars: validity, values, and offsets for texts."""
    return 3 if element == STR else 2


cdef int fill_values(ArrowArray* array, ColumnData* column, int32_t* rows, int64_t present,
                     int64_t length) except -1:
    """Write the values of present rows; without `rows` every row has one."""
    cdef int32_t element = column.type & 3
    if element == STR:
        array.buffers[1] = spread_ends(<int64_t*>column.ends.data, rows, present, length)
        array.buffers[2] = column.values.data if column.values.data else <char*>take_memory(1, 1)
        column.values.data = NULL
    elif element == BOOL:
        array.buffers[1] = pack_bits(<uint8_t*>column.values.data, rows, present, length)
    else:
        array.buffers[1] = spread_words(<int64_t*>column.values.data, rows, present, length)
    return 0


cdef void* make_validity(int32_t* rows, int64_t present, int64_t length) except NULL:
    cdef uint8_t* bits = <uint8_t*>take_memory((length + 7) // 8, 1)
    cdef int64_t at
    for at in range(present):
        bits[rows[at] >> 3] |= 1 << (rows[at] & 7)
    return bits


cdef void* spread_words(int64_t* values, int32_t* rows, int64_t present, int64_t length) except NULL:
    cdef int64_t* words = <int64_t*>take_memory(length, sizeof(int64_t))
    cdef int64_t at
    for at in range(present):
        words[rows[at] if rows else at] = values[at]
    return words


cdef void* pack_bits(uint8_t* values, int32_t* rows, int64_t present, int64_t length) except NULL:
    cdef uint8_t* bits = <uint8_t*>take_memory((length + 7) // 8, 1)
    cdef int64_t at, row
    for at in range(present):
        row = rows[at] if rows else at
        bits[row >> 3] |= values[at] << (row & 7)
    return bits


cdef void* spread_ends(int64_t* ends, int32_t* rows, int64_t present, int64_t length) except NULL:
    """The offsets of all rows; a missing row has length 0."""
    cdef int64_t* offsets = <int64_t*>take_memory(length + 1, sizeof(int64_t))
    cdef int64_t row = 0, end = 0
    cdef int64_t at
    for at in range(present):
        while row <= (rows[at] if rows else at):
            offsets[row] = end
            row += 1
        end = ends[at]
    while row <= length:
        offsets[row] = end
        row += 1
    return offsets


cdef ArrowArray* new_array(int64_t length, int64_t buffers, int64_t children) except NULL:
    """An array without nulls, whose buffers are set later."""
    cdef ArrowArray* array = <ArrowArray*>take_memory(1, sizeof(ArrowArray))
    array.release = release_array
    array.buffers = <const void**>calloc(buffers, sizeof(void*))
    array.children = <ArrowArray**>calloc(children + 1, sizeof(void*))
    if not (array.buffers and array.children):
        free_array(array)
        raise MemoryError
    array.length, array.n_buffers, array.n_children = length, buffers, children
    return array


cdef ArrowSchema* new_schema(const char* format, int64_t children) except NULL:
    cdef ArrowSchema* schema = <ArrowSchema*>take_memory(1, sizeof(ArrowSchema))
    schema.format, schema.name, schema.flags = format, b"item", 2
    schema.release = release_schema
    schema.children = <ArrowSchema**>calloc(children + 1, sizeof(void*))
    if schema.children == NULL:
        free_schema(schema)
        raise MemoryError
    schema.n_children = children
    return schema


cdef void release_array(ArrowArray* array) noexcept nogil:
    cdef int64_t at
    for at in range(array.n_buffers):
        free(<void*>array.buffers[at])
    for at in range(array.n_children):
        free_array(array.children[at])
    free(array.buffers)
    free(array.children)
    array.release = NULL


cdef void release_schema(ArrowSchema* schema) noexcept nogil:
    cdef int64_t at
    for at in range(schema.n_children):
        free_schema(schema.children[at])
    free(schema.children)
    schema.release = NULL


cdef void free_array(ArrowArray* array) noexcept nogil:
    """Free an array and what it still owns; NULL is allowed."""
    if array != NULL and array.release != NULL:
        array.release(array)
    free(array)


cdef void free_schema(ArrowSchema* schema) noexcept nogil:
    """Free a schema and what it still owns; NULL is allowed."""
    if schema != NULL and schema.release != NULL:
        schema.release(schema)
    free(schema)


cdef void free_array_capsule(object capsule) noexcept:
    free_array(<ArrowArray*>PyCapsule_GetPointer(capsule, b"arrow_array"))


cdef void free_schema_capsule(object capsule) noexcept:
    free_schema(<ArrowSchema*>PyCapsule_GetPointer(capsule, b"arrow_schema"))
