"""Frames as an Arrow C stream that is generated while it is read.

A reader may hold the interpreter lock while it works; other threads get a turn whenever it asks for the next frame.
"""

import ctypes
import errno
import time
from collections.abc import Iterator

import polars as pl


class ArrowArray(ctypes.Structure):
    """One batch of the C data interface; only whether it is present matters here."""

    _fields_ = [
        ("counts", ctypes.c_int64 * 5),
        ("pointers", ctypes.c_void_p * 3),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


class ArrowStream(ctypes.Structure):
    """The callbacks of a C stream; each gets the address of the stream."""


Get = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.c_void_p)
LastError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ArrowStream))
Release = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowStream))
ArrowStream._fields_ = [
    ("get_schema", Get),
    ("get_next", Get),
    ("get_last_error", LastError),
    ("release", Release),
    ("private_data", ctypes.c_void_p),
]

REASON = ctypes.create_string_buffer(b"the next frame could not be made")
CAPSULE_NAME = b"arrow_array_stream"
new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", ctypes.pythonapi))
open_capsule = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class FrameStream:
    """Frames of one schema as a stream that can be read once, while this object is alive.

    An exception from the iterator ends the stream with an error, and is kept in `failure`.
    """

    def __init__(self, schema: pl.Schema, frames: Iterator[pl.DataFrame]) -> None:
        self.failure: BaseException | None = None
        self._frames = frames
        self._schema = pl.DataFrame(schema=schema)
        self._current: FrameCapsule | None = None
        self._functions = ArrowStream(
            Get(self._get_schema),
            Get(self._get_next),
            LastError(lambda _stream: ctypes.addressof(REASON)),
            Release(self._release),
            None,
        )

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return new_capsule(ctypes.addressof(self._functions), CAPSULE_NAME, None)

    def _get_schema(self, _stream: object, target: int) -> int:
        return FrameCapsule(self._schema).get_schema(target)

    def _get_next(self, _stream: object, target: int) -> int:
        time.sleep(0)
        try:
            return self._export_next(target)
        except BaseException as error:  # noqa: BLE001 - no exception may leave a C function
            self.failure = error
            return errno.EIO

    def _export_next(self, target: int) -> int:
        batch = ArrowArray.from_address(target)
        while True:
            if self._current is None:
                frame = next(self._frames, None)
                if frame is None:
                    batch.release = None
                    return 0
                self._current = FrameCapsule(frame)
            status = self._current.get_next(target)
            if status or batch.release:
                return status
            self._current = None

    def _release(self, stream: "ctypes._Pointer[ArrowStream]") -> None:
        stream.contents.release = Release()


class FrameCapsule:
    """The C stream of one frame."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._capsule = frame.__arrow_c_stream__()
        self._stream = ArrowStream.from_address(open_capsule(self._capsule, CAPSULE_NAME))

    def get_schema(self, target: int) -> int:
        return int(self._stream.get_schema(ctypes.byref(self._stream), target))

    def get_next(self, target: int) -> int:
        return int(self._stream.get_next(ctypes.byref(self._stream), target))
