"""The pieces of a body: what uvicorn expects of its buffer."""

from logboom.web.server.pieces import Pieces


def test_pieces_are_joined_when_they_are_taken() -> None:
    pieces = Pieces()
    assert not pieces
    assert bytes(pieces) == b""
    pieces += b"one"
    pieces += b"two"
    assert (len(pieces), bytes(pieces)) == (6, b"onetwo")
    pieces.clear()
    assert (len(pieces), bytes(pieces)) == (0, b"")


def test_a_single_piece_is_not_copied() -> None:
    piece = b"x" * 1000
    pieces = Pieces()
    pieces += piece
    assert bytes(pieces) is piece
