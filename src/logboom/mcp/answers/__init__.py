"""Answers for a model to read: short text, in which log data is marked as such."""
