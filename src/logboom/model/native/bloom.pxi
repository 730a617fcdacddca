# Bloom filters in C; `model.filters.bloom` says what they are.

cdef inline void set_bits(uint8_t* bits, uint64_t size_bits, uint64_t hash, int32_t probes) noexcept nogil:
    cdef uint64_t bit = (hash & 0xFFFFFFFFULL) % size_bits, step = ((hash >> 32) | 1) % size_bits
    cdef int32_t probe
    for probe in range(probes):
        bits[bit >> 3] |= 1 << (bit & 7)
        bit += step
        if bit >= size_bits:
            bit -= size_bits
