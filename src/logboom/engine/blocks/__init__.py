"""Blocks: which are in scope, which of their columns are read, and which are damaged."""
