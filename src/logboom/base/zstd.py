"""Zstandard: the standard library from Python 3.14 on, a package with the same interface before."""

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
