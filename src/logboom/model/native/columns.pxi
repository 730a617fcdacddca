# Columns while they are built: their present values, in row order.

ctypedef struct ColumnData:
    # The present values of one column, in row order.
    int32_t field
    int32_t type
    Bytes rows  # int32 row numbers
    Bytes ends  # int64 ends of the texts within `values`
    Bytes values  # text bytes, int64, double, or one byte for a boolean
    Bytes list_ends  # int64 ends of the lists, counted in elements
    int64_t elements

cdef enum:
    TYPES = 8

cdef bint append_row(ColumnData* column, int32_t row) noexcept nogil:
    return append(&column.rows, &row, sizeof(int32_t))


cdef bint end_list(ColumnData* column) noexcept nogil:
    return append(&column.list_ends, &column.elements, sizeof(int64_t))


cdef bint append_item(ColumnData* column, int32_t type, Item* item) noexcept nogil:
    """Add one value of the element type `type`; False if memory runs out."""
    cdef uint8_t flag
    column.elements += 1
    if type == INT:
        return append(&column.values, &item.integer, sizeof(int64_t))
    if type == FLOAT:
        return append(&column.values, &item.real, sizeof(double))
    if type == BOOL:
        flag = item.integer != 0
        return append(&column.values, &flag, 1)
    if item.escaped:
        if not reserve(&column.values, item.length):
            return False
        column.values.length += unescape(item.start, item.length, column.values.data + column.values.length)
    elif not append(&column.values, item.start, item.length):
        return False
    return append(&column.ends, &column.values.length, sizeof(int64_t))


cdef int64_t* append_words(ColumnData* column, int32_t row, int64_t* word, const char* line) noexcept nogil:
    """Add the value of a row from its words; returns where the next one is, or NULL if memory runs out."""
    cdef Item item
    cdef int64_t count = 1
    if not append_row(column, row):
        return NULL
    if column.type >= LIST:
        count = word[0]
        word += 1
    for _ in range(count):
        unpack_item(word[0], column.type & 3, line, &item)
        if not append_item(column, column.type & 3, &item):
            return NULL
        word += 1
    return word if column.type < LIST or end_list(column) else NULL


cdef class Columns:
    """The columns of one block while it is built."""

    cdef ColumnData* columns
    cdef int32_t count
    cdef int64_t capacity
    cdef int32_t* places  # column number + 1 of (field, type)
    cdef int64_t place_capacity
    cdef uint8_t* known_fields
    cdef readonly int32_t field_count

    def __dealloc__(self):
        cdef int32_t at
        for at in range(self.count):
            free_column(&self.columns[at])
        free(self.columns)
        free(self.places)
        free(self.known_fields)

    cdef bint reserve_fields(self, int64_t fields) except False:
        """Make room for field numbers below `fields`."""
        cdef int64_t known = self.place_capacity
        cdef int64_t capacity = enlarge(known, fields, 256)
        if fields <= known:
            return True
        if not (resize(<void**>&self.places, capacity, TYPES * sizeof(int32_t))
                and resize(<void**>&self.known_fields, capacity, 1)):
            raise MemoryError
        memset(self.places + known * TYPES, 0, (capacity - known) * TYPES * sizeof(int32_t))
        memset(self.known_fields + known, 0, capacity - known)
        self.place_capacity = capacity
        return True

    cdef bint knows(self, int32_t field) noexcept nogil:
        """Whether a field already has columns."""
        return self.known_fields[field]

    cdef ColumnData* open_column(self, int32_t field, int32_t type) noexcept nogil:
        """The column of a field and type; NULL if memory runs out."""
        cdef int32_t* place = &self.places[<int64_t>field * TYPES + type]
        cdef int64_t capacity
        if place[0]:
            return &self.columns[place[0] - 1]
        if self.count == self.capacity:
            capacity = enlarge(self.capacity, self.count + 1, 64)
            if not resize(<void**>&self.columns, capacity, sizeof(ColumnData)):
                return NULL
            self.capacity = capacity
        memset(&self.columns[self.count], 0, sizeof(ColumnData))
        self.columns[self.count].field, self.columns[self.count].type = field, type
        self.count += 1
        place[0] = self.count
        if not self.known_fields[field]:
            self.known_fields[field] = 1
            self.field_count += 1
        return &self.columns[self.count - 1]

    def take(self, int32_t rows, int32_t unfiltered_field) -> list:
        """Every column as (field number, type number, Arrow array, summary); empties this object."""
        cdef int32_t at
        taken = []
        for at in range(self.count):
            summary = summarise_column(&self.columns[at], self.columns[at].field != unfiltered_field)
            array = export_column(&self.columns[at], rows)
            taken.append((self.columns[at].field, self.columns[at].type, array, summary))
            free_column(&self.columns[at])
        self.count = 0
        return taken


cdef void free_column(ColumnData* column) noexcept:
    free(column.rows.data)
    free(column.ends.data)
    free(column.values.data)
    free(column.list_ends.data)
    memset(column, 0, sizeof(ColumnData))
