"""Pipes that compute further columns, row by row."""
