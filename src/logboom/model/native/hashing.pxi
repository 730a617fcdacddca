# A keyed hash for the tables whose keys come from outside: SipHash-1-3.
#
# Nobody who does not know the process's seed can make keys that collide. What is written to files has
# hashes of its own, which never change (`model.summary`, `model.filters.trigrams`).

cdef enum:
    MOST_PROBES = 128  # places of a table that are looked at for one key

ctypedef struct Seed:
    uint64_t first
    uint64_t second

ctypedef struct Sip:
    uint64_t a
    uint64_t b
    uint64_t c
    uint64_t d

cdef Seed SEED = read_seed(urandom(16))


cdef Seed read_seed(bytes seed):
    cdef Seed words
    assert len(seed) == sizeof(words)
    memcpy(&words, PyBytes_AS_STRING(seed), sizeof(words))
    return words


def hash_with_seed(bytes seed, bytes data) -> int:
    """SipHash-1-3 of `data` with a seed of 16 bytes."""
    return hash_with(read_seed(seed), PyBytes_AS_STRING(data), len(data))


cdef inline uint64_t hash_seeded(uint64_t table, const char* data, int64_t length) noexcept nogil:
    """The hash of outside data, different in each process and for each number of a table."""
    return hash_with(Seed(SEED.first, SEED.second ^ table), data, length)


cdef inline uint64_t hash_with(Seed seed, const char* data, int64_t length) noexcept nogil:
    cdef const char* end = data + length
    cdef uint64_t word
    cdef Sip state = Sip(seed.first ^ 0x736F6D6570736575ULL, seed.second ^ 0x646F72616E646F6DULL,
                         seed.first ^ 0x6C7967656E657261ULL, seed.second ^ 0x7465646279746573ULL)
    while end - data >= 8:
        memcpy(&word, data, 8)
        absorb(&state, word)
        data += 8
    absorb(&state, <uint64_t>length << 56 | read_rest(end, length & 7, length))
    state.c ^= 0xFF
    mix_round(&state)
    mix_round(&state)
    mix_round(&state)
    return state.a ^ state.b ^ state.c ^ state.d


cdef inline void absorb(Sip* state, uint64_t word) noexcept nogil:
    state.d ^= word
    mix_round(state)
    state.a ^= word


cdef inline void mix_round(Sip* state) noexcept nogil:
    state.a += state.b
    state.b = rotate(state.b, 13) ^ state.a
    state.a = rotate(state.a, 32)
    state.c += state.d
    state.d = rotate(state.d, 16) ^ state.c
    state.a += state.d
    state.d = rotate(state.d, 21) ^ state.a
    state.c += state.b
    state.b = rotate(state.b, 17) ^ state.c
    state.c = rotate(state.c, 32)


cdef inline uint64_t rotate(uint64_t word, int bits) noexcept nogil:
    return word << bits | word >> (64 - bits)


cdef inline uint64_t read_rest(const char* end, int64_t rest, int64_t length) noexcept nogil:
    """The last `rest` bytes before `end`, fewer than eight, as one word: by loads that overlap, without a loop."""
    cdef uint64_t word = 0
    cdef uint32_t low, high
    cdef const uint8_t* data = <const uint8_t*>end - rest
    if rest == 0:
        return 0
    if length > 8:
        memcpy(&word, end - 8, 8)
        return word >> (8 - rest) * 8
    if rest >= 4:
        memcpy(&low, data, 4)
        memcpy(&high, end - 4, 4)
        return low | <uint64_t>high << (rest - 4) * 8
    return data[0] | <uint64_t>data[rest // 2] << rest // 2 * 8 | <uint64_t>data[rest - 1] << (rest - 1) * 8
