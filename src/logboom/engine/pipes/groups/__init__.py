"""Pipes that compute over groups of rows."""
