"""Filters that say what a column certainly does not contain."""
