# The rows of batches in the order of their times.

ctypedef struct Timed:
    int64_t time
    int64_t place


cdef class RowOrder:
    """The rows of all batches, sorted by merging runs that are already in order."""

    cdef Timed* rows
    cdef Timed* spare
    cdef int64_t count
    cdef Bytes ends  # int64: where each stretch in order ends

    def __cinit__(self, list batches):
        self.count = sum(map(len, batches))
        self.rows = <Timed*>take_memory(self.count, sizeof(Timed))
        self.spare = <Timed*>take_memory(self.count, sizeof(Timed))

    def __dealloc__(self):
        free(self.rows)
        free(self.spare)
        free(self.ends.data)

    cdef int fill(self, list batches) except -1:
        cdef int64_t[:] times
        cdef int64_t number, at, row = 0
        for number, batch in enumerate(batches):
            times = batch.scan.times_ns
            for at in range(times.shape[0]):
                if row and times[at] < self.rows[row - 1].time and not append(&self.ends, &row, 8):
                    raise MemoryError
                self.rows[row] = Timed(times[at], number << 32 | at)
                row += 1
        if not append(&self.ends, &row, 8):
            raise MemoryError
        return 0

    cdef void sort(self) noexcept nogil:
        """Merge neighbouring runs until one is left; equal times keep their order."""
        cdef int64_t* ends = <int64_t*>self.ends.data
        cdef int64_t count = self.ends.length // 8, pair, start
        while count > 1:
            start = 0
            for pair in range(count // 2):
                self._merge(start, ends[2 * pair], ends[2 * pair + 1])
                start = ends[2 * pair + 1]
                ends[pair] = start
            if count % 2:
                memcpy(self.spare + start, self.rows + start, (self.count - start) * sizeof(Timed))
                ends[count // 2] = self.count
            self.rows, self.spare = self.spare, self.rows
            count = (count + 1) // 2

    cdef void _merge(self, int64_t first, int64_t middle, int64_t end) noexcept nogil:
        cdef int64_t left = first, right = middle, at
        for at in range(first, end):
            if left < middle and (right == end or self.rows[left].time <= self.rows[right].time):
                self.spare[at] = self.rows[left]
                left += 1
            else:
                self.spare[at] = self.rows[right]
                right += 1

    cdef tuple take(self):
        cdef int64_t at
        times, places = array("q", bytes(8 * self.count)), array("q", bytes(8 * self.count))
        cdef int64_t[:] time_words = times, place_words = places
        for at in range(self.count):
            time_words[at], place_words[at] = self.rows[at].time, self.rows[at].place
        return times, places


def sort_rows(batches):
    """See `model.rows.sort_rows`."""
    cdef list of_all = list(batches)
    cdef RowOrder order = RowOrder(of_all)
    order.fill(of_all)
    with nogil:
        order.sort()
    return order.take()
