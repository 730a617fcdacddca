"""Answers as a model reads them: short text, in which what came from logs is marked as data."""
