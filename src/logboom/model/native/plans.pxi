# How the values of lines of one form get into the columns of a block: worked out once for each form.

cdef enum:
    UNPLANNED = 0
    NO_PLAN = -1  # the columns do not fit into the block: `model.event` says what becomes of the row

ctypedef struct Plan:
    int32_t shape
    int32_t first  # of the numbers of its columns
    int32_t count
    bint has_source


cdef class Plans:
    """The plans of one block."""

    cdef dict of_forms  # for each `Forms` the number of each form's plan + 1
    cdef dict shape_ids
    cdef Bytes plans
    cdef Bytes columns  # int32

    def __cinit__(self):
        self.of_forms, self.shape_ids = {}, {}

    def __dealloc__(self):
        free(self.plans.data)
        free(self.columns.data)

    cdef int32_t* open_forms(self, Forms forms) except NULL:
        """The numbers for these forms; the address stays valid."""
        numbers = self.of_forms.get(forms)
        if numbers is None:
            numbers = self.of_forms[forms] = array("i", bytes(4 * MAX_FORMS))
        return find_numbers(numbers)

    cdef inline Plan* find(self, int32_t number) noexcept nogil:
        return <Plan*>self.plans.data + number - 1

    cdef int32_t add(self, int32_t shape, list columns, bint has_source) except 0:
        """Add a plan; returns its number + 1."""
        cdef Plan plan = Plan(shape, <int32_t>(self.columns.length // 4), len(columns), has_source)
        cdef int32_t column
        for column in columns:
            if not append(&self.columns, &column, 4):
                raise MemoryError
        if not append(&self.plans, &plan, sizeof(Plan)):
            raise MemoryError
        return <int32_t>(self.plans.length // sizeof(Plan))
