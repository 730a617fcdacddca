"""The catalog: the log of commits that says which blocks are live."""
