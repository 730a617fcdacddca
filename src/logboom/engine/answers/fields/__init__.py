"""Answers about fields: the field panel, lists of fields and values, and completion."""
