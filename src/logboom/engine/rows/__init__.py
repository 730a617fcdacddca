"""Rows: tables of events or results, their columns and values, and the order of values."""
