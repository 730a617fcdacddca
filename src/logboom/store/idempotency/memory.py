"""Answers by idempotency key in bounded memory, with a maximum share for each sender.

A sender that makes too many keys loses its own oldest ones. Only if all senders together exceed the limit do those
that hold most lose some, so that many keys of one sender never push out the few of another.
"""

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator

import msgspec

DIGEST_BYTES = 16
SHARE = 4
"""A sender may use one part in this many of the memory."""
ROOM_AFTER_CUT = 7 / 8
"""The share of the memory that is left after a cut, so that cuts are rare."""
SENDER_BYTES = 1_000
"""The memory of a sender beside its answers."""
ANSWER_BYTES = 208
"""The memory of an answer beside its packed form: two objects, and their entries in a dictionary and a queue."""


class IngestAnswer(msgspec.Struct, frozen=True):
    """The answer to the request with `key`; if `block` is set it counts only if that block was committed."""

    key: str
    time_ns: int
    ingested: int
    errors: int
    partitions: list[str]
    block: str | None = None
    sender: str = ""
    """The sender whose share of the memory it uses."""


class Sender:
    """The keys of one sender, oldest first, and their memory."""

    __slots__ = ("digests", "name", "size_bytes")

    def __init__(self, name: str) -> None:
        self.name = name
        self.digests: deque[bytes] = deque()
        self.size_bytes = SENDER_BYTES


class AnswerMemory:
    """Holds answers for `keep_ns`, in `size_bytes`. Not thread-safe."""

    def __init__(self, keep_ns: int, size_bytes: int) -> None:
        self._keep_ns = keep_ns
        self._limit_bytes = size_bytes
        self._share_bytes = size_bytes // SHARE
        self._packed: dict[bytes, bytes] = {}
        self._senders: dict[str, Sender] = {}
        self.size_bytes = 0

    def __len__(self) -> int:
        return len(self._packed)

    def __iter__(self) -> Iterator[tuple[bytes, IngestAnswer]]:
        """Yield every digest and its answer, without the key."""
        for digest, packed in list(self._packed.items()):
            yield digest, unpack("", packed)

    def find(self, key: str, now_ns: int) -> IngestAnswer | None:
        packed = self._packed.get(digest_key(key))
        if packed is None:
            return None
        answer = unpack(key, packed)
        return answer if self._is_fresh(answer, now_ns) else None

    def keep(self, digest: bytes, answer: IngestAnswer, now_ns: int) -> None:
        """Store an answer, and drop others to make room."""
        if not self._is_fresh(answer, now_ns):
            return
        sender = self._open_sender(answer.sender)
        self._drop_old(sender, now_ns)
        if self._find_sender(digest) is not sender:
            self._withdraw(digest)
            sender.digests.append(digest)
        self._put(digest, pack(answer), sender)
        self._trim(sender, self._share_bytes)
        self._close_if_empty(sender)
        if self.size_bytes > self._limit_bytes:
            self._cut(now_ns)

    def drop_old(self, now_ns: int) -> None:
        """Forget expired answers."""
        for sender in list(self._senders.values()):
            self._drop_old(sender, now_ns)
            self._close_if_empty(sender)

    def _is_fresh(self, answer: IngestAnswer, now_ns: int) -> bool:
        return answer.time_ns >= now_ns - self._keep_ns

    def _cut(self, now_ns: int) -> None:
        """Make the largest senders drop their oldest keys."""
        self.drop_old(now_ns)
        target_bytes = int(self._limit_bytes * ROOM_AFTER_CUT)
        level_bytes = find_level((each.size_bytes for each in self._senders.values()), target_bytes)
        for sender in list(self._senders.values()):
            if self.size_bytes <= target_bytes:
                return
            self._trim(sender, level_bytes)
            self._close_if_empty(sender)

    def _trim(self, sender: Sender, size_bytes: int) -> None:
        while sender.digests and sender.size_bytes > size_bytes:
            self._drop_oldest(sender)

    def _drop_old(self, sender: Sender, now_ns: int) -> None:
        while sender.digests and not self._is_fresh(self._peek(sender.digests[0]), now_ns):
            self._drop_oldest(sender)

    def _drop_oldest(self, sender: Sender) -> None:
        packed = self._packed.pop(sender.digests.popleft())
        self._charge(sender, -measure(packed))

    def _put(self, digest: bytes, packed: bytes, sender: Sender) -> None:
        before = self._packed.get(digest)
        self._packed[digest] = packed
        self._charge(sender, measure(packed) - (measure(before) if before else 0))

    def _peek(self, digest: bytes) -> IngestAnswer:
        return unpack("", self._packed[digest])

    def _find_sender(self, digest: bytes) -> Sender | None:
        return self._senders[self._peek(digest).sender] if digest in self._packed else None

    def _withdraw(self, digest: bytes) -> None:
        """Forget the answer that another sender got for this key, which would be repeated otherwise."""
        sender = self._find_sender(digest)
        if sender is not None:
            sender.digests.remove(digest)
            self._charge(sender, -measure(self._packed.pop(digest)))
            self._close_if_empty(sender)

    def _open_sender(self, name: str) -> Sender:
        sender = self._senders.get(name)
        if sender is None:
            sender = self._senders[name] = Sender(name)
            self.size_bytes += SENDER_BYTES
        return sender

    def _close_if_empty(self, sender: Sender) -> None:
        if not sender.digests and sender.name in self._senders:
            del self._senders[sender.name]
            self.size_bytes -= SENDER_BYTES

    def _charge(self, sender: Sender, size_bytes: int) -> None:
        sender.size_bytes += size_bytes
        self.size_bytes += size_bytes


def digest_key(key: str) -> bytes:
    return hashlib.blake2b(key.encode(), digest_size=DIGEST_BYTES).digest()


def pack(answer: IngestAnswer) -> bytes:
    """Return an answer without its key, in few bytes."""
    return msgspec.msgpack.encode(msgspec.structs.astuple(answer)[1:])


def unpack(key: str, packed: bytes) -> IngestAnswer:
    return IngestAnswer(key, *msgspec.msgpack.decode(packed))


def measure(packed: bytes) -> int:
    """Return the bytes that an answer really takes."""
    return ANSWER_BYTES + len(packed)


def find_level(sizes_bytes: Iterable[int], total_bytes: int) -> int:
    """Return the limit for each sender so that all together stay within the total."""
    left_bytes = total_bytes
    sizes = sorted(sizes_bytes)
    for place, size_bytes in enumerate(sizes):
        fair_bytes = left_bytes // (len(sizes) - place)
        if size_bytes > fair_bytes:
            return fair_bytes
        left_bytes -= size_bytes
    return total_bytes
