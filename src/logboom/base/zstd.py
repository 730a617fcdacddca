"""Zstandard as Python has it from 3.14 on; older Pythons have the same from a package."""

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import (
        CompressionParameter,
        DecompressionParameter,
        ZstdDecompressor,
        ZstdError,
        compress,
        decompress,
    )
else:
    from backports.zstd import (
        CompressionParameter,
        DecompressionParameter,
        ZstdDecompressor,
        ZstdError,
        compress,
        decompress,
    )

__all__ = [
    "CompressionParameter",
    "DecompressionParameter",
    "ZstdDecompressor",
    "ZstdError",
    "compress",
    "decompress",
]
