# Builds the frame of one block from lines.

ctypedef struct BatchLines:
    # What the rows need of their batch; `data` is NULL before the first of them.
    const char* data
    int64_t* starts
    int64_t* ends
    int64_t* times
    int32_t* index_ids
    int64_t first_index  # where the numbers of its index names begin in `index_numbers`
    int64_t first_seq
    Item source
    # What scanning found out; `forms` is NULL if all lines have to be parsed.
    int32_t* forms
    int32_t* first_words
    int64_t* words
    int32_t* plans


cdef class BlockBuilder:
    """Builds the frame of one block."""

    cdef Parser parser
    cdef list batches
    cdef BatchLines* lines  # of every batch
    cdef list sources  # keeps alive what `lines` refers to
    cdef dict index_names
    cdef object index_numbers
    cdef object order
    cdef Columns columns
    cdef int32_t max_fields
    cdef dict text_ids, raw, rest
    cdef set known_names  # of the fields of the first `known_columns` columns
    cdef int32_t known_columns
    cdef object shape_ids
    cdef Signatures signatures  # of the lines that were parsed
    cdef Bytes signature_shapes  # int32: their shapes
    cdef Plans plans  # for the lines that were read by scanning
    cdef ColumnData shapes  # their texts, by number
    cdef int32_t shape_count

    def __cinit__(self, Parser parser, list batches, object order, int32_t max_fields):
        self.parser, self.batches, self.order = parser, batches, order
        self.lines = <BatchLines*>take_memory(len(batches), sizeof(BatchLines))
        self.sources, self.index_names, self.index_numbers = [], {}, array("q")
        self.max_fields = max_fields
        self.columns = Columns()
        self.text_ids, self.raw, self.rest, self.known_names = {}, {}, {}, set()
        self.shape_ids = array("i", bytes(4 * len(order)))
        self.signatures, self.plans = Signatures(SHAPE_TABLE_SIZE), Plans()
        self._open_core()

    def __dealloc__(self):
        free(self.lines)
        free(self.signature_shapes.data)
        free_column(&self.shapes)

    def _open_core(self):
        self.columns.reserve_fields(len(self.parser.field_names))
        if not (self.columns.open_column(MESSAGE_FIELD, STR) and self.columns.open_column(SOURCE_FIELD, STR)):
            raise MemoryError

    def build(self):
        cdef int64_t[:] places = self.order
        cdef int32_t[:] shape_ids = self.shape_ids
        cdef int32_t row = 0, rows = len(self.order)
        cdef int status
        while row < rows:
            with nogil:
                status = self._add_rows(&row, rows, places, shape_ids)
            if status == OUT_OF_MEMORY:
                raise MemoryError
            if status == NEW_BATCH:
                self._open_batch(places[row] >> 32)
            elif status == NEW_FORM:
                self._make_plan(places[row])
            elif status == NEW_KEY:
                self.parser.add_missing_key()
                self.columns.reserve_fields(len(self.parser.field_names))
            elif status == FULL:
                break
            elif status != FINISHED:
                self._add_by_definition(row, places[row])
                row += 1
                if <int64_t>self.columns.count * row >= CELL_LIMIT:
                    break
        return self._finish(row)

    cdef int _open_batch(self, int64_t number) except -1:
        """Read the description of a batch once; its rows may lie between those of many others."""
        cdef BatchLines* lines = &self.lines[number]
        cdef bytes source
        batch = self.batches[number]
        scan = batch.scan
        source = (batch.target.source or "").encode()
        self.sources.append(source)
        lines.starts, lines.ends, lines.times = find_words(scan.starts), find_words(scan.ends), find_words(scan.times_ns)
        lines.index_ids = find_numbers(scan.index_ids)
        lines.first_index, lines.first_seq = len(self.index_numbers), batch.first_seq
        for name in scan.index_names:
            self.index_numbers.append(self.index_names.setdefault(name, len(self.index_names)))
        lines.source = Item(PyBytes_AS_STRING(source), len(source), STR, False, 0, 0.0)
        self._open_readings(lines, scan.readings)
        lines.data = PyBytes_AS_STRING(batch.data)
        return 0

    cdef int _open_readings(self, BatchLines* lines, Readings readings) except -1:
        cdef Readings whole
        if readings is not None:
            whole = readings if readings.whole is None else readings.whole
            lines.forms = <int32_t*>whole.numbers.data + readings.skipped
            lines.first_words = <int32_t*>whole.first_words.data + readings.skipped
            lines.words = <int64_t*>whole.words.data
            lines.plans = self.plans.open_forms(readings.forms)
        return 0

    cdef int _make_plan(self, int64_t place) except -1:
        """Work out what becomes of the lines of one form, or forget the forms of the batch if they are retired."""
        cdef BatchLines* lines = &self.lines[place >> 32]
        cdef int32_t form = lines.forms[place & ROW_MASK], number, type
        cdef Readings readings = self.batches[place >> 32].scan.readings
        if form >= len(readings.forms.described):
            lines.forms = NULL
            return 0
        shape, names, types = readings.forms.described[form]
        fields = [self.parser.field_id(name) for name in names]
        self.columns.reserve_fields(len(self.parser.field_names))
        new_fields = sum([not self.columns.knows(field) for field in fields])
        if new_fields and self.columns.field_count + new_fields > self.max_fields:
            lines.plans[form] = NO_PLAN
            return 0
        columns = [self._open_column(field, type) for field, type in zip(fields, types)]
        lines.plans[form] = self.plans.add(self._add_shape(shape), columns, SOURCE_FIELD in fields)
        return 0

    cdef int32_t _open_column(self, int32_t field, int32_t type) except -1:
        if self.columns.open_column(field, type) == NULL:
            raise MemoryError
        return self.columns.places[<int64_t>field * TYPES + type] - 1

    cdef int32_t _add_shape(self, bytes shape) except -1:
        """The number of the shape of a form."""
        if shape not in self.plans.shape_ids:
            if not append(&self.shapes.values, PyBytes_AS_STRING(shape), len(shape)) or not self._end_shape():
                raise MemoryError
            self.plans.shape_ids[shape] = self.shape_count - 1
        return self.plans.shape_ids[shape]

    cdef bint _end_shape(self) noexcept nogil:
        """Number the shape whose text was added last; False if memory runs out."""
        if not (append(&self.shapes.ends, &self.shapes.values.length, 8)
                and append_row(&self.shapes, self.shape_count)):
            return False
        self.shape_count += 1
        return True

    cdef int _add_rows(self, int32_t* position, int32_t rows, int64_t[:] places,
                       int32_t[:] shape_ids) noexcept nogil:
        """Add rows until one needs the interpreter."""
        cdef int32_t row = position[0]
        cdef BatchLines* lines
        cdef int64_t at
        cdef int status
        while row < rows:
            position[0] = row
            lines = &self.lines[places[row] >> 32]
            if lines.data == NULL:
                return NEW_BATCH
            at = places[row] & ROW_MASK
            if lines.forms != NULL and lines.forms[at] >= 0:
                status = self._add_read(row, lines, at, shape_ids)
            else:
                status = self._add_parsed(row, lines, at, shape_ids)
            if status != FINISHED:
                return status
            row += 1
            position[0] = row
            if <int64_t>self.columns.count * row >= CELL_LIMIT:
                return FULL
        return FINISHED

    cdef int _add_read(self, int32_t row, BatchLines* lines, int64_t at, int32_t[:] shape_ids) noexcept nogil:
        """Add a row that was read by scanning."""
        cdef const char* text = lines.data + lines.starts[at]
        cdef int64_t* word = lines.words + lines.first_words[at]
        cdef int32_t number = lines.plans[lines.forms[at]]
        cdef int32_t* columns
        cdef Plan* plan
        cdef int32_t each
        if number == UNPLANNED:
            return NEW_FORM
        if number == NO_PLAN:
            return NO_ROOM
        plan = self.plans.find(number)
        columns = <int32_t*>self.plans.columns.data + plan.first
        for each in range(plan.count):
            word = append_words(&self.columns.columns[columns[each]], row, word, text)
            if word == NULL:
                return OUT_OF_MEMORY
        if not plan.has_source and not self._add_source(row, &lines.source):
            return OUT_OF_MEMORY
        shape_ids[row] = plan.shape
        return FINISHED

    cdef int _add_parsed(self, int32_t row, BatchLines* lines, int64_t at, int32_t[:] shape_ids) noexcept nogil:
        """Add a row that has to be parsed."""
        cdef int status = self.parser.parse(lines.data + lines.starts[at], lines.data + lines.ends[at])
        if status != PARSED:
            return status
        status = self._add_leaves(row, &lines.source)
        if status != FINISHED:
            return status
        shape_ids[row] = self._intern()
        return FINISHED if shape_ids[row] >= 0 else OUT_OF_MEMORY

    cdef int _add_leaves(self, int32_t row, Item* source) noexcept nogil:
        cdef ColumnData* column
        cdef Leaf* leaf
        cdef int32_t at, element
        if self.columns.field_count + self.parser.leaf_count > self.max_fields and not self._has_room():
            return NO_ROOM
        for at in range(self.parser.leaf_count):
            leaf = &self.parser.leaves[at]
            if leaf.field < 0:
                continue
            column = self.columns.open_column(leaf.field, leaf.item.type)
            if column == NULL or not append_row(column, row):
                return OUT_OF_MEMORY
            if leaf.item.type < LIST:
                if not append_item(column, leaf.item.type, &leaf.item):
                    return OUT_OF_MEMORY
                continue
            for element in range(leaf.first, leaf.first + leaf.count):
                if not append_item(column, leaf.item.type - LIST, &self.parser.elements[element]):
                    return OUT_OF_MEMORY
            if not end_list(column):
                return OUT_OF_MEMORY
        if self.parser.stamps[SOURCE_FIELD] != self.parser.stamp and not self._add_source(row, source):
            return OUT_OF_MEMORY
        return FINISHED

    cdef bint _add_source(self, int32_t row, Item* source) noexcept nogil:
        """Add the source of a line that names none; False if memory runs out."""
        cdef ColumnData* column
        if source.length == 0:
            return True
        column = self.columns.open_column(SOURCE_FIELD, STR)
        return column != NULL and append_row(column, row) and append_item(column, STR, source)

    cdef bint _has_room(self) noexcept nogil:
        """Whether every field of the last parsed event may have its own columns."""
        cdef int32_t at, fields = self.columns.field_count
        for at in range(self.parser.leaf_count):
            if self.parser.leaves[at].field >= 0 and not self.columns.knows(self.parser.leaves[at].field):
                fields += 1
        return fields == self.columns.field_count or fields <= self.max_fields

    cdef int32_t _intern(self) noexcept nogil:
        """The shape of the last parsed event; -1 if memory runs out."""
        cdef int32_t found = self.signatures.find(self.parser)
        if found != NO_SIGNATURE:
            return (<int32_t*>self.signature_shapes.data)[found]
        if not append(&self.signature_shapes, &self.shape_count, 4) or self.signatures.add(self.parser) < 0:
            return -1
        if not self.parser.describe(&self.shapes.values) or not self._end_shape():
            return -1
        return self.shape_count - 1

    cdef int _add_by_definition(self, int32_t row, int64_t place) except -1:
        """Add a row as described in `model.event`."""
        cdef BatchLines* lines = &self.lines[place >> 32]
        cdef int64_t at = place & ROW_MASK
        cdef bytes line = lines.data[lines.starts[at]:lines.ends[at]]
        shredded = shred_line(line, self.batches[place >> 32].target.source)
        cells = shredded.cells
        self.columns.reserve_fields(len(self.parser.field_names) + len(cells))
        rest = self._split_overflow(cells)
        if rest is not None:
            self.rest[row] = rest
        if shredded.shape is None:
            self.raw[row] = decode_line(line)
        for column, cell in cells.items():
            self._add_cell(row, column, cell)
        # Shapes by definition are numbered down from -1.
        self.shape_ids[row] = -1 - self.text_ids.setdefault(shredded.shape, len(self.text_ids))
        return 0

    def _split_overflow(self, cells):
        if self.columns.field_count + len(cells) <= self.max_fields:
            return None
        while self.known_columns < self.columns.count:
            self.known_names.add(self.parser.field_names[self.columns.columns[self.known_columns].field])
            self.known_columns += 1
        return split_overflow(cells, self.known_names, self.max_fields)

    cdef int _add_cell(self, int32_t row, column, cell) except -1:
        cdef int32_t field = self.parser.field_id(column.field)
        cdef int32_t type = TYPE_NUMBERS[column.kind]
        cdef ColumnData* data
        cdef Item item
        cdef bytes text
        self.columns.reserve_fields(len(self.parser.field_names))
        data = self.columns.open_column(field, type)
        if data == NULL or not append_row(data, row):
            raise MemoryError
        for value in cell if type >= LIST else (cell,):
            if type & 3 == STR:
                text = value.encode()
                item = Item(PyBytes_AS_STRING(text), len(text), STR, False, 0, 0.0)
            elif type & 3 == FLOAT:
                item = Item(NULL, 0, FLOAT, False, 0, value)
            else:
                item = Item(NULL, 0, type & 3, False, value, 0.0)
            if not append_item(data, type & 3, &item):
                raise MemoryError
        if type >= LIST and not end_list(data):
            raise MemoryError
        return 0

    def _finish(self, int32_t rows):
        columns = [series.rename(name) for name, series in self._core_columns(rows).items()]
        summaries = {}
        for field, type, data, summary in self.columns.take(rows, MESSAGE_FIELD):
            name = Column(self.parser.field_names[field], KINDS[type]).name
            columns.append(pl.Series(data).rename(name))
            summaries[name] = summary
        return Rows(pl.DataFrame(columns), summaries)

    def _core_columns(self, int32_t rows):
        cdef int64_t[:] places = self.order
        cdef int64_t[:] numbers = self.index_numbers
        cdef BatchLines* lines
        cdef int64_t* times
        cdef int64_t* sequences
        cdef int64_t* indexes
        cdef int64_t at
        cdef int32_t row
        time_column = new_words(rows, &times)
        sequence_column = new_words(rows, &sequences)
        index_column = new_words(rows, &indexes)
        with nogil:
            for row in range(rows):
                lines = &self.lines[places[row] >> 32]
                at = places[row] & ROW_MASK
                times[row] = lines.times[at]
                sequences[row] = lines.first_seq + at
                indexes[row] = numbers[lines.first_index + lines.index_ids[at]]
        return {
            "_time": pl.Series(time_column),
            "_seq": pl.Series(sequence_column),
            "_index": pl.Series(list(self.index_names), dtype=pl.String)[pl.Series(index_column)],
            "_shape": self._shape_column(rows),
            "_raw": sparse_texts(self.raw, rows),
            "_rest": sparse_texts(self.rest, rows),
        }

    def _shape_column(self, int32_t rows):
        cdef int32_t row, count = self.shape_count
        cdef int32_t[:] shape_ids = self.shape_ids
        cdef int64_t* places
        texts = pl.Series(export_column(&self.shapes, count))
        if self.text_ids:
            texts = texts.append(pl.Series(list(self.text_ids), dtype=pl.String))
        column = new_words(rows, &places)
        for row in range(rows):
            places[row] = shape_ids[row] if shape_ids[row] >= 0 else count - 1 - shape_ids[row]
        return texts[pl.Series(column)]


cdef int64_t* find_words(int64_t[:] words) except? NULL:
    """The address of the values of an array, valid as long as the array."""
    return &words[0] if words.shape[0] else NULL


cdef int32_t* find_numbers(int32_t[:] numbers) except? NULL:
    return &numbers[0] if numbers.shape[0] else NULL


def sparse_texts(by_row: dict, int32_t rows):
    if not by_row:
        return pl.Series([None], dtype=pl.String).new_from_index(0, rows)
    return pl.Series([by_row.get(row) for row in range(rows)], dtype=pl.String)
