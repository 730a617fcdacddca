"""Generates `docs/reference` from the tables of the program: `make docs` writes it, a test compares it."""
