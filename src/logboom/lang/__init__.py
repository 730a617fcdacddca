"""The query language: text to a frozen syntax tree and back; nothing here knows how to run it."""
