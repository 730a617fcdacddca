"""The catalog: the log of commits that says which blocks are live, and what is known from it."""
