/* Loaded before the C library: lets chosen allocations of one module fail, and counts what it has not freed. */

#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

#define PLACES (1 << 16)

static char *low, *high;
static long before_failure = -1, live, failures;
static int is_lasting;
/* What was allocated and not freed, found by address: a call of `free` at the end of a function does not show its caller. */
static void *kept[PLACES];
static int lock;

void watch(char *start, char *end) { low = start, high = end; }

/* Let the allocation after the next `count` ones fail, and with `lasting` all after it; none when negative. */
void fail_after(long count, int lasting) { before_failure = count, is_lasting = lasting, failures = 0; }

long count_failures(void) { return failures; }

long count_live(void) { return live; }

static int is_watched(void *caller) { return (char *)caller >= low && (char *)caller < high; }

static int must_fail(void)
{
    if (before_failure < 0 || before_failure-- > 0)
        return 0;
    before_failure = is_lasting ? 0 : -1;
    failures++;
    return 1;
}

static unsigned long choose_place(void *memory) { return ((unsigned long)memory >> 4) * 0x9E3779B97F4A7C15UL >> 48; }

/* Exchange one address for another among those kept, within a few places; whether that was possible. */
static int exchange(void *memory, void *wanted, void *instead)
{
    unsigned long place = choose_place(memory);
    int turn, is_done = 0;
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        ;
    for (turn = 0; turn < 64 && !is_done; turn++, place = (place + 1) % PLACES)
        if (kept[place] == wanted)
            kept[place] = instead, is_done = 1;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    return is_done;
}

static void *keep(void *memory)
{
    if (memory != NULL)
        live += exchange(memory, NULL, memory);
    return memory;
}

static void forget(void *memory)
{
    if (memory != NULL && low != NULL)
        live -= exchange(memory, memory, NULL);
}

void *malloc(size_t size)
{
    if (!is_watched(__builtin_return_address(0)))
        return __libc_malloc(size);
    return must_fail() ? NULL : keep(__libc_malloc(size));
}

void *calloc(size_t number, size_t size)
{
    if (!is_watched(__builtin_return_address(0)))
        return __libc_calloc(number, size);
    return must_fail() ? NULL : keep(__libc_calloc(number, size));
}

void *realloc(void *memory, size_t size)
{
    if (!is_watched(__builtin_return_address(0)))
        return __libc_realloc(memory, size);
    if (must_fail())
        return NULL;
    forget(memory);
    return keep(__libc_realloc(memory, size));
}

void free(void *memory)
{
    forget(memory);
    __libc_free(memory);
}
