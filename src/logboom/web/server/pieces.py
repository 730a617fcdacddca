"""What has arrived of a body."""


class Pieces:
    """Collects pieces as uvicorn's buffer does, but copies them only when they are taken, and a single one never."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size_bytes = 0

    def __iadd__(self, piece: bytes) -> "Pieces":
        self._pieces.append(piece)
        self._size_bytes += len(piece)
        return self

    def __len__(self) -> int:
        return self._size_bytes

    def __bytes__(self) -> bytes:
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)

    def clear(self) -> None:
        self._pieces.clear()
        self._size_bytes = 0
