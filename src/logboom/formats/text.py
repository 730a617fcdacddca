"""Plain text: every line is the message of an event."""

from logboom.formats.reader import LineReader, Options, Reader, encode_messages
from logboom.model.batch import Lines


def open_text(options: Options) -> Reader:
    return LineReader("text", encode_texts, options)


def encode_texts(records: list[str]) -> Lines:
    return Lines(encode_messages(records))
