# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""A thread that empties the kernel's buffer of datagrams, and never waits for the interpreter.

Does what `datagrams.PythonInbox` defines. There are two arenas: the thread fills one, and readers empty the other; when
that is empty they are exchanged. While there is no room the thread waits, and the kernel holds, drops and counts.
"""

import socket

from logboom.sources.syslog.datagrams import LARGEST_BYTES, format_address
from logboom.sources.syslog.framing import Message

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.errno cimport EAGAIN, EINTR, errno
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy
from posix.mman cimport MAP_ANONYMOUS, MAP_FAILED, MAP_PRIVATE, PROT_READ, PROT_WRITE, mmap, munmap
from posix.signal cimport sigfillset, sigset_t
from posix.time cimport itimerspec
from posix.unistd cimport close, read, write

cdef extern from *:
    """
    #include <netinet/in.h>
    #include <poll.h>
    #include <pthread.h>
    #include <signal.h>
    #include <sys/eventfd.h>
    #include <sys/socket.h>
    #include <sys/syscall.h>
    #include <sys/timerfd.h>
    #include <unistd.h>
    """
    enum:
        CLOCK_MONOTONIC
        EFD_CLOEXEC
        EFD_NONBLOCK
        MSG_DONTWAIT
        MSG_TRUNC
        POLLIN
        SIG_SETMASK
        SYS_sched_getattr
        SYS_sched_setattr
        TFD_CLOEXEC
        TFD_NONBLOCK
    struct iovec:
        void* iov_base
        size_t iov_len
    struct msghdr:
        void* msg_name
        uint32_t msg_namelen
        iovec* msg_iov
        size_t msg_iovlen
        int msg_flags
    struct mmsghdr:
        msghdr msg_hdr
        unsigned int msg_len
    struct sockaddr_in6:
        pass
    struct pollfd:
        int fd
        short events
        short revents
    ctypedef struct pthread_t:
        pass
    ctypedef struct pthread_mutex_t:
        pass
    int eventfd(unsigned int value, int flags) nogil
    int timerfd_create(int clock, int flags) nogil
    int timerfd_settime(int fd, int flags, const itimerspec* wanted, itimerspec* before) nogil
    int poll(pollfd* watched, unsigned long count, int timeout_ms) nogil
    int recvmmsg(int fd, mmsghdr* datagrams, unsigned int count, int flags, void* timeout) nogil
    int pthread_create(pthread_t* thread, void* attributes, void* (*run)(void*) noexcept nogil, void* argument) nogil
    int pthread_join(pthread_t thread, void** result) nogil
    int pthread_mutex_init(pthread_mutex_t* mutex, void* attributes) nogil
    int pthread_mutex_destroy(pthread_mutex_t* mutex) nogil
    int pthread_mutex_lock(pthread_mutex_t* mutex) nogil
    int pthread_mutex_unlock(pthread_mutex_t* mutex) nogil
    long syscall(long number, ...) nogil
    int pthread_sigmask(int how, const sigset_t* signals, sigset_t* before) nogil

cdef enum:
    LOOK = 256  # datagrams that one look at the socket finds
    BATCH = 1024  # messages that are given at once
    AT_ONCE_NS = 1
    GATHER_NS = 2000000
    RECOVER_MS = 10
    FOREVER = -1
    SLICE_NS = 100000


cdef struct Scheduling:
    # The kernel's `struct sched_attr`, as it was first.
    uint32_t size
    uint32_t policy
    uint64_t flags
    int32_t nice
    uint32_t priority
    uint64_t slice_ns
    uint64_t deadline_ns
    uint64_t period_ns


cdef struct Entry:
    # Stands before the bytes of each datagram in an arena.
    uint32_t size_bytes
    uint32_t is_truncated
    uint8_t address[16]


cdef struct Arena:
    char* data
    size_t used_bytes
    size_t taken_bytes


cdef struct Shared:
    # What thread and readers both use; arenas and flags only with the lock.
    pthread_mutex_t lock
    Arena* filling
    Arena* emptying
    Arena arenas[2]
    size_t arena_bytes
    bint is_stopping
    bint is_full
    int ready  # a timer, readable when there are messages
    int wake  # an event, readable when the thread is to look at the flags
    int fd
    int address_place
    int address_bytes
    size_t stride_bytes
    char* room
    mmsghdr datagrams[LOOK]
    iovec spans[LOOK]
    sockaddr_in6 names[LOOK]


cdef size_t measure_entry(size_t size_bytes) noexcept nogil:
    """The size with padding, so that the next one is aligned."""
    return (sizeof(Entry) + size_bytes + 7) & ~<size_t>7


cdef void set_timer(int fd, long after_ns) noexcept nogil:
    """Make it readable after this long; 0 disarms it."""
    cdef itimerspec wanted
    wanted.it_interval.tv_sec = wanted.it_interval.tv_nsec = wanted.it_value.tv_sec = 0
    wanted.it_value.tv_nsec = after_ns
    timerfd_settime(fd, 0, &wanted, NULL)


cdef void wake_thread(Shared* shared) noexcept nogil:
    cdef uint64_t one = 1
    write(shared.wake, &one, sizeof(one))


cdef void* run(void* argument) noexcept nogil:
    """The body of the thread."""
    cdef Shared* shared = <Shared*>argument
    cdef int count, expected
    shorten_slice()
    while True:
        expected = find_room(shared)
        if expected < 0:
            return NULL
        if expected == 0:
            wait(shared, False, FOREVER)
            continue
        count = look(shared, expected)
        if count == 0:
            wait(shared, True, FOREVER)
        elif count < 0:
            wait(shared, False, RECOVER_MS)


cdef void shorten_slice() noexcept nogil:
    """Ask for short, early time slices, before threads that compute; older kernels ignore it."""
    cdef Scheduling scheduling
    if syscall(SYS_sched_getattr, 0, &scheduling, <unsigned int>sizeof(scheduling), 0) == 0:
        scheduling.slice_ns = SLICE_NS
        syscall(SYS_sched_setattr, 0, &scheduling, 0)


cdef void wait(Shared* shared, bint is_for_datagrams, int timeout_ms) noexcept nogil:
    cdef pollfd watched[2]
    cdef uint64_t count
    watched[0].fd = shared.wake
    watched[0].events = watched[1].events = POLLIN
    watched[0].revents = watched[1].revents = 0
    watched[1].fd = shared.fd
    poll(watched, 2 if is_for_datagrams else 1, timeout_ms)
    if watched[0].revents:
        read(shared.wake, &count, sizeof(count))


cdef int find_room(Shared* shared) noexcept nogil:
    """The number of datagrams of any size that fit; -1 if the thread must end."""
    cdef int count
    pthread_mutex_lock(&shared.lock)
    count = count_room(shared)
    shared.is_full = count == 0
    if shared.is_stopping:
        count = -1
    pthread_mutex_unlock(&shared.lock)
    return count


cdef int count_room(Shared* shared) noexcept nogil:
    cdef size_t free_bytes = shared.arena_bytes - shared.filling.used_bytes
    return <int>min(free_bytes // measure_entry(shared.stride_bytes), <size_t>LOOK)


cdef int look(Shared* shared, int expected) noexcept nogil:
    """Move the datagrams of the socket to the arena; returns their number, or -1 on an error."""
    cdef int at, count
    cdef bint was_empty
    count = recvmmsg(shared.fd, shared.datagrams, expected, MSG_DONTWAIT, NULL)
    if count < 0:
        return 0 if errno == EAGAIN or errno == EINTR else -1
    pthread_mutex_lock(&shared.lock)
    was_empty = shared.filling.used_bytes == 0
    for at in range(count):
        append(shared, at)
    pthread_mutex_unlock(&shared.lock)
    if was_empty:
        # Not at once, so that a steady stream is taken in batches.
        set_timer(shared.ready, GATHER_NS)
    return count


cdef void append(Shared* shared, int at) noexcept nogil:
    cdef Entry* entry = <Entry*>(shared.filling.data + shared.filling.used_bytes)
    cdef mmsghdr* datagram = &shared.datagrams[at]
    entry.size_bytes = datagram.msg_len
    entry.is_truncated = datagram.msg_hdr.msg_flags & MSG_TRUNC
    datagram.msg_hdr.msg_namelen = sizeof(sockaddr_in6)
    memcpy(entry.address, <char*>&shared.names[at] + shared.address_place, shared.address_bytes)
    memcpy(<char*>entry + sizeof(Entry), shared.spans[at].iov_base, entry.size_bytes)
    shared.filling.used_bytes += measure_entry(entry.size_bytes)


cdef void turn_over(Shared* shared) noexcept nogil:
    """Exchange an empty arena for the one with the datagrams received since.

    Who holds the lock makes no call of the kernel, which could put it to sleep while the thread waits. So the timer is
    stopped before: what comes after that starts it again.
    """
    cdef bint was_full = False
    set_timer(shared.ready, 0)
    pthread_mutex_lock(&shared.lock)
    if shared.filling.used_bytes:
        shared.emptying.used_bytes = shared.emptying.taken_bytes = 0
        shared.filling, shared.emptying = shared.emptying, shared.filling
        was_full = shared.is_full
    pthread_mutex_unlock(&shared.lock)
    if was_full:
        wake_thread(shared)


cdef bint is_emptied(Arena* arena) noexcept nogil:
    return arena.taken_bytes == arena.used_bytes


cdef char* map_memory(size_t size_bytes) except NULL:
    """Untouched pages take no memory."""
    cdef void* memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    if memory == MAP_FAILED:
        raise MemoryError
    return <char*>memory


cdef int check(int fd) except -1:
    if fd < 0:
        raise OSError(errno, "no file for signals")
    return fd


cdef class ThreadInbox:
    """Receives from a socket in its own thread, which starts at once and ends with `stop`."""

    cdef Shared* _shared
    cdef pthread_t _thread
    cdef bint _is_running
    cdef object _socket

    def __cinit__(self, receiving, size_t limit_bytes, size_t size_bytes):
        """Holds up to this many bytes, and at least one datagram."""
        self._socket = receiving
        self._shared = <Shared*>calloc(1, sizeof(Shared))
        if self._shared == NULL:
            raise MemoryError
        self._shared.ready = self._shared.wake = -1
        if pthread_mutex_init(&self._shared.lock, NULL):
            raise MemoryError
        self._prepare(min(limit_bytes, <size_t>LARGEST_BYTES), size_bytes // 2)
        self._start()

    cdef int _prepare(self, size_t stride_bytes, size_t arena_bytes) except -1:
        cdef Shared* shared = self._shared
        cdef int at
        cdef bint is_ipv6 = self._socket.family == socket.AF_INET6
        shared.fd = self._socket.fileno()
        shared.address_place, shared.address_bytes = (8, 16) if is_ipv6 else (4, 4)
        shared.stride_bytes = stride_bytes
        shared.arena_bytes = max(arena_bytes, measure_entry(stride_bytes))
        shared.room = map_memory(LOOK * stride_bytes)
        for at in range(2):
            shared.arenas[at].data = map_memory(shared.arena_bytes)
        shared.filling, shared.emptying = &shared.arenas[0], &shared.arenas[1]
        shared.ready = check(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK))
        shared.wake = check(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
        for at in range(LOOK):
            shared.spans[at].iov_base = shared.room + at * stride_bytes
            shared.spans[at].iov_len = stride_bytes
            shared.datagrams[at].msg_hdr.msg_name = &shared.names[at]
            shared.datagrams[at].msg_hdr.msg_namelen = sizeof(sockaddr_in6)
            shared.datagrams[at].msg_hdr.msg_iov = &shared.spans[at]
            shared.datagrams[at].msg_hdr.msg_iovlen = 1
        return 0

    cdef int _start(self) except -1:
        cdef sigset_t every, before
        cdef int error
        # Signals are for the threads of the interpreter.
        sigfillset(&every)
        pthread_sigmask(SIG_SETMASK, &every, &before)
        error = pthread_create(&self._thread, NULL, run, self._shared)
        pthread_sigmask(SIG_SETMASK, &before, NULL)
        if error:
            raise OSError(error, "no thread")
        self._is_running = True
        return 0

    def fileno(self):
        return self._shared.ready

    def receive(self):
        """If memory runs out, no message is lost: the next call returns them."""
        cdef Shared* shared = self._shared
        cdef list messages = []
        if is_emptied(shared.emptying):
            turn_over(shared)
        if is_emptied(shared.emptying) and not self._is_running:
            # All that the thread has taken is given: the rest is in the kernel.
            look(shared, count_room(shared))
            turn_over(shared)
        cdef size_t taken_bytes = shared.emptying.taken_bytes
        try:
            while len(messages) < BATCH and not is_emptied(shared.emptying):
                messages.append(self._take())
        except MemoryError:
            shared.emptying.taken_bytes = taken_bytes
            raise
        finally:
            if not is_emptied(shared.emptying):
                set_timer(shared.ready, AT_ONCE_NS)
        return messages

    cdef object _take(self):
        cdef Arena* arena = self._shared.emptying
        cdef Entry* entry = <Entry*>(arena.data + arena.taken_bytes)
        cdef bytes data = PyBytes_FromStringAndSize(<char*>entry + sizeof(Entry), entry.size_bytes)
        cdef bytes address = PyBytes_FromStringAndSize(<char*>entry.address, self._shared.address_bytes)
        arena.taken_bytes += measure_entry(entry.size_bytes)
        return Message(data, format_address(address), entry.is_truncated != 0)

    def stop(self):
        self._end_thread()

    cdef void _end_thread(self) noexcept:
        if not self._is_running:
            return
        pthread_mutex_lock(&self._shared.lock)
        self._shared.is_stopping = True
        pthread_mutex_unlock(&self._shared.lock)
        wake_thread(self._shared)
        with nogil:
            pthread_join(self._thread, NULL)
        self._is_running = False

    def __dealloc__(self):
        cdef Shared* shared = self._shared
        cdef int at
        if shared == NULL:
            return
        self._end_thread()
        for fd in (shared.ready, shared.wake):
            if fd >= 0:
                close(fd)
        if shared.room != NULL:
            munmap(shared.room, LOOK * shared.stride_bytes)
        for at in range(2):
            if shared.arenas[at].data != NULL:
                munmap(shared.arenas[at].data, shared.arena_bytes)
        pthread_mutex_destroy(&shared.lock)
        free(shared)
