"""A block's file while it is written."""

import errno
from typing import IO

import google_crc32c


class CheckedFile:
    """Counts and sums up what is written to a file.

    Its writer must not be stopped by an exception: a failed write is kept in `failure`, and those after it are
    ignored.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.size_bytes = 0
        self.checksum = 0
        self.failure: OSError | None = None

    def write(self, data: bytes) -> int:
        self.size_bytes += len(data)
        self.checksum = google_crc32c.extend(self.checksum, bytes(data))
        if self.failure is None:
            try:
                self._file.write(data)
            except OSError as error:
                self.failure = error
        return len(data)

    def flush(self) -> None:
        """Whoever opened the file flushes it."""

    def seek(self, _offset: int, _whence: int = 0) -> int:
        """Parquet is written from front to back."""
        raise OSError(errno.ESPIPE, "not a file to seek in")
