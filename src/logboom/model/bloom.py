"""Bloom filters: whether a hash of 64 bits is certainly not among those of a filter, or may be."""


def list_bits(hash: int, size_bits: int, probes: int) -> list[int]:
    first, step = hash & 0xFFFFFFFF, hash >> 32 | 1
    return [(first + probe * step) % size_bits for probe in range(probes)]


def set_bits(bloom: bytearray, hash: int, probes: int) -> None:
    for bit in list_bits(hash, len(bloom) * 8, probes):
        bloom[bit >> 3] |= 1 << (bit & 7)


def has_bits(bloom: bytes, hash: int, probes: int) -> bool:
    bits = list_bits(hash, len(bloom) * 8, probes)
    return all(bloom[bit >> 3] >> (bit & 7) & 1 for bit in bits)
