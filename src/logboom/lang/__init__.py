"""The query language: text to a frozen syntax tree and back; independent of how queries are run."""
